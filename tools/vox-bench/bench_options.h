// The options that all commands of vox-bench share, and the reading of their command lines.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/common/command_line.h"
#include "tools/common/device_options.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/results.h"

namespace vox {

// Returns the topic "results": --output, --csv, --html and --against.
OptionTopic result_topic();

// Reads these options, and the file of --against. Throws UsageError, and Error that names the file.
ResultFiles read_result_options(const CommandLine& arguments);

// Returns --repetitions, --res and --brick-sizes.
Option repetitions_option(OptionRange range, std::string usual);
Option resolution_option(std::string usual);
Option brick_sizes_option(std::string preset, std::string help, std::vector<OptionRule> rules = {});

// Returns --filters or --filter and the like: an option that has a name, an argument, a default and help only.
Option plain_option(std::string name, std::string argument, std::string usual, std::string help);

// The values of --brick-sizes as logarithms; auto is 0, if the option's help allows it. Throws UsageError.
enum class AutoSize : uint8_t { Refused, Allowed };
std::vector<uint32_t> read_brick_sizes(const CommandLine& arguments, AutoSize auto_size);

// Reads the command line: `read` returns a command with the command's own options; the structs of all commands have the
// members `engine`, `files`, `json` and `command`, which are read here.
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

std::string axis_text(const std::vector<uint32_t>& values);           // "2,3,4"
std::string scale_text(double scale);                                 // "1/64"
std::string on_each(const std::string& gpu, const std::string& cpu);  // "64 on a GPU, 16 on the CPU"
std::string counts_on_each(uint64_t gpu, uint64_t cpu);               // "1,000 on a GPU, 10 on the CPU"

// The values of a list with commas between them.
std::string joined(const auto& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

// The names in an array of the library, as the words of an option.
template <class Names>
std::vector<std::string> words_of(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace vox
