// The parts of the command line that all commands share: axes, the files to write, and the scene to measure.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/scene/scene.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/results.h"

namespace vox {

// These functions make the options that all commands of vox-bench share, and read command lines.

// Returns the topic "results": --output, --csv, --html and --against.
OptionTopic result_topic();

// Reads these options, and the file of --against. Throws UsageError, or Error that names the file.
ResultFiles read_result_options(const CommandLine& arguments);

// Returns --repetitions, --res and --brick-sizes.
Option repetitions_option(OptionRange range, std::string usual);
Option resolution_option(std::string usual);
Option brick_sizes_option(std::string preset, std::string help, std::vector<OptionRule> rules = {});

// Return an option that has only a name, an argument, a default and help, such as --filters; one for a number or a list
// of numbers; and one for a list of names.
Option plain_option(std::string name, std::string argument, std::string usual, std::string help);
Option number_option(std::string name, std::string argument, std::string usual, OptionRange range,
                     std::string help, std::vector<OptionRule> rules = {});
Option names_option(std::string name, std::vector<std::string> words, std::string preset, std::string help,
                    std::vector<OptionRule> rules = {});

// Returns the values of --brick-sizes as logarithms. `auto` is 0, if it is allowed. Throws UsageError.
enum class AutoSize : uint8_t { Refused, Allowed };
std::vector<uint32_t> read_brick_sizes(const CommandLine& arguments, AutoSize auto_size);

// The parts of a command line that all commands have.
struct BenchCommand {
  EngineOptions engine;
  ResultFiles files;
  bool json = false;
  std::string command;
};

// Reads the command line. `read` returns a BenchCommand with the command's own options; the others are set here.
template <class Read>
auto read_command(const CommandLine& arguments, const Read& read) {
  auto command = read(arguments);
  const std::string table = command.engine.table;  // only some commands have a hash table to choose
  command.engine = read_device_options(arguments);
  command.engine.table = table;
  command.files = read_result_options(arguments);
  command.json = arguments.json();
  command.command = arguments.command();
  return command;
}

// Reads the command line of a benchmark that measures one device. Throws UsageError if several are named.
template <class Read>
auto read_command_for_one(const CommandLine& arguments, const Read& read) {
  auto command = read_command(arguments, read);
  check_one_device(command.engine);
  return command;
}

std::string scale_text(double scale);                                 // "1/64"
std::string on_each(const std::string& gpu, const std::string& cpu);  // "64 on a GPU, 16 on the CPU"
std::string counts_on_each(uint64_t gpu, uint64_t cpu);               // "1,000 on a GPU, 10 on the CPU"

// Returns the values of a list with commas between them.
std::string joined(const auto& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

// Returns the same of the values' names, by a list of all names.
std::string joined_names(const auto& values, const auto& names) {
  std::vector<std::string> of_values;
  for (const auto value : values) of_values.emplace_back(names[static_cast<size_t>(value)]);
  return joined(of_values);
}

// Returns the names in an array of the library as the words of an option.
template <class Names>
std::vector<std::string> words_of(const Names& names) {
  return {names.begin(), names.end()};
}

// The scene that `vox-bench forms`, `edit` or `rays` measures: a scene file, a mesh, or a generated scene.
struct SceneRequest {
  std::optional<std::filesystem::path> file;  // a scene file or a mesh; if absent, the scene is generated
  // The resolution of a mesh (absent: the default), or of a coarser level of a scene file (absent: its own resolution).
  std::optional<uint32_t> resolution;
  uint32_t default_resolution;
  std::function<scene::Scene()> generate;
  std::string generated;  // "the village of vox-scene"
  EngineOptions engine;   // the engine that makes the SVDAG of a file without one
};

struct SceneInput {
  dag::VoxelScene scene;
  std::optional<double> svdag_seconds;  // the time for making the SVDAG, if it was made
};

// Throws UsageError if the file is neither a scene file nor a mesh, and Error if it is missing.
SceneInput read_scene_input(Engine& engine, const SceneRequest& request);

// The commands of vox-bench. Each has a source file with its name.

// These run a command and pass its results to the sink. They throw errors for run_tool(), even after passing results.
void run_all(const CommandLine& arguments, const ReportSink& sink);
void run_bricks(const CommandLine& arguments, const ReportSink& sink);
void run_compression(const CommandLine& arguments, const ReportSink& sink);
void run_convert(const CommandLine& arguments, const ReportSink& sink);
void run_edit(const CommandLine& arguments, const ReportSink& sink);
void run_forms(const CommandLine& arguments, const ReportSink& sink);
void run_hash(const CommandLine& arguments, const ReportSink& sink);
void run_intersect(const CommandLine& arguments, const ReportSink& sink);
void run_keys(const CommandLine& arguments, const ReportSink& sink);
void run_machine(const CommandLine& arguments, const ReportSink& sink);
void run_match(const CommandLine& arguments, const ReportSink& sink);
void run_rays(const CommandLine& arguments, const ReportSink& sink);
void run_replay(const CommandLine& arguments, const ReportSink& sink);

// These describe the commands.
ToolDescription all_bench_description();
ToolDescription bricks_bench_description();
ToolDescription compression_bench_description();
ToolDescription convert_bench_description();
ToolDescription edit_bench_description();
ToolDescription forms_bench_description();
ToolDescription hash_bench_description();
ToolDescription intersect_bench_description();
ToolDescription keys_bench_description();
ToolDescription machine_bench_description();
ToolDescription match_bench_description();
ToolDescription rays_bench_description();
ToolDescription replay_bench_description();

struct Command {
  const char* name;
  const char* about;
  ToolDescription (*description)();
  void (*run)(const CommandLine& arguments, const ReportSink& sink);
};

inline constexpr Command kCommands[] = {
    {"all", "all of the others, on one page beside the papers' figures", all_bench_description, run_all},
    {"bricks", "how fast a volume's hybrid bricks are read: filters and gathers, compiled or not",
     bricks_bench_description, run_bricks},
    {"compression", "how small a scene is in every form of an octree or a DAG, at several resolutions",
     compression_bench_description, run_compression},
    {"convert", "how fast meshes become SVDAGs, phase by phase", convert_bench_description, run_convert},
    {"edit", "how fast edits are, kernel by kernel: spheres, copies, batches, garbage",
     edit_bench_description, run_edit},
    {"forms", "a scene as SVDAG, bricks and spatial hash, side by side: bytes and times",
     forms_bench_description, run_forms},
    {"hash", "the tables that hold a DAG's nodes: fill, search, insertion, memory", hash_bench_description,
     run_hash},
    {"intersect", "two moving surfaces, intersected each frame by tables of voxel keys",
     intersect_bench_description, run_intersect},
    {"keys", "the tables of voxel keys: build, searches at random and side by side, failures",
     keys_bench_description, run_keys},
    {"machine", "the limits of this machine: copies, random reads, swaps, disk, a sort",
     machine_bench_description, run_machine},
    {"match", "finding a picture in another one by geometric hashing, with each table",
     match_bench_description, run_match},
    {"rays", "rays and paths that read a scene in the memory of each hash table", rays_bench_description,
     run_rays},
    {"replay", "runs the command of a report again and compares the results", replay_bench_description,
     run_replay},
};

// Return the command with this name, and the one that the arguments of a command line name, of which the first is the
// program. Return nullptr if there is none.
const Command* command_named(std::string_view name);
const Command* command_in(const std::vector<std::string>& arguments);

// Reads arguments as main()'s are read. The first is the program.
CommandLine read_arguments(const ToolDescription& tool, std::vector<std::string> arguments);

}  // namespace vox
