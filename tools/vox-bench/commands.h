// The commands of vox-bench. Each has a source file with its name.
#pragma once

namespace vox {

// Each takes the whole command line, whose second word is the command, and throws the errors that run_tool()
// reports.
void run_bricks(int argc, char** argv);
void run_convert(int argc, char** argv);
void run_edit(int argc, char** argv);
void run_forms(int argc, char** argv);
void run_hash(int argc, char** argv);
void run_intersect(int argc, char** argv);
void run_keys(int argc, char** argv);
void run_match(int argc, char** argv);

struct Command {
  const char* name;
  const char* about;
  void (*run)(int argc, char** argv);
};

inline constexpr Command kCommands[] = {
    {"bricks", "reading a volume's hybrid bricks: filters and gathers, compiled or not", run_bricks},
    {"convert", "meshes to SVDAGs, phase by phase, over resolutions, coverage and materials", run_convert},
    {"edit", "series of edits by kernel: spheres, copies, small spheres in batches, garbage", run_edit},
    {"forms", "a scene as SVDAG, bricks and spatial hash, side by side: bytes, gathers, filters, rays",
     run_forms},
    {"hash", "the tables that hold a DAG's nodes: fill, search, insertion, memory", run_hash},
    {"intersect", "two moving surfaces, intersected each frame by tables of voxel keys", run_intersect},
    {"keys", "the tables of voxel keys: build, searches at random and side by side, failures", run_keys},
    {"match", "finding a picture in another one by geometric hashing, with each table", run_match},
};

}  // namespace vox
