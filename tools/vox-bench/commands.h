// The commands of vox-bench. Each has a source file with its name.
#pragma once

#include "tools/common/command_line.h"

namespace vox {

// These run a command. They throw the errors that run_tool() reports.
void run_bricks(const CommandLine& arguments);
void run_convert(const CommandLine& arguments);
void run_edit(const CommandLine& arguments);
void run_forms(const CommandLine& arguments);
void run_hash(const CommandLine& arguments);
void run_intersect(const CommandLine& arguments);
void run_keys(const CommandLine& arguments);
void run_match(const CommandLine& arguments);

// These describe the commands.
ToolDescription bricks_description();
ToolDescription convert_description();
ToolDescription edit_description();
ToolDescription forms_description();
ToolDescription hash_description();
ToolDescription intersect_description();
ToolDescription keys_description();
ToolDescription match_description();

struct Command {
  const char* name;
  const char* about;
  ToolDescription (*description)();
  void (*run)(const CommandLine& arguments);
};

inline constexpr Command kCommands[] = {
    {"bricks", "how fast a volume's hybrid bricks are read: filters and gathers, compiled or not",
     bricks_description, run_bricks},
    {"convert", "how fast meshes become SVDAGs, phase by phase", convert_description, run_convert},
    {"edit", "how fast edits are, kernel by kernel: spheres, copies, batches, garbage", edit_description,
     run_edit},
    {"forms", "a scene as SVDAG, bricks and spatial hash, side by side: bytes and times", forms_description,
     run_forms},
    {"hash", "the tables that hold a DAG's nodes: fill, search, insertion, memory", hash_description,
     run_hash},
    {"intersect", "two moving surfaces, intersected each frame by tables of voxel keys",
     intersect_description, run_intersect},
    {"keys", "the tables of voxel keys: build, searches at random and side by side, failures",
     keys_description, run_keys},
    {"match", "finding a picture in another one by geometric hashing, with each table", match_description,
     run_match},
};

}  // namespace vox
