// Reads the command line of a command that measures. What all of them have is read here, for the structs of commands
// have it under the same names: `engine`, `files`, `json` and `command`.
#pragma once

#include <cxxopts.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/common/device_options.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/results.h"

namespace vox {

// read(parsed, given) returns a command with the rest; `given` are the long names of all options on the command line.
// --help shows `groups` in their order. Throws UsageError, and Error that names a file.
template <class Read>
auto parsed_command(cxxopts::Options description, std::vector<std::string> groups, int argc, char** argv,
                    const Read& read) {
  CommonOptions common;
  const cxxopts::ParseResult parsed =
      parse_command_line(description, argc - 1, argv + 1, common, std::move(groups));
  auto command = read(parsed, common.given);
  const std::string table = command.engine.table;  // which tables there are is the command's own
  command.engine = read_device_options(parsed);
  command.engine.table = table;
  command.files = read_result_options(parsed, common.overwrite);
  command.json = common.json;
  command.command = command_text(argc, argv);
  return command;
}

}  // namespace vox
