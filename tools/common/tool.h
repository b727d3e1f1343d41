// The parts that all programs share: common options, messages, exit codes (docs/architecture.md, "Errors and
// exit codes").
#pragma once

#include <cxxopts.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "formats/io/overwrite.h"
#include "libvox/ranks/ranks.h"
#include "tools/common/version.h"

namespace vox {

// Runs `body` and turns what it throws into a message on stderr and an exit code: 0 done, 2 bad usage, 130
// interrupted, 1 everything else. Where a launcher has started several processes of it, they refuse to run.
int run_tool(const char* name, const std::function<void()>& body);

// The same for a program that several processes may run together; `body` is called with these ranks, or nullptr where
// the process is alone. Rank 0 speaks for all. Of ranks that fail, the first says why, and all end.
int run_tool_on_ranks(const char* name, const std::function<void(ranks::Ranks*)>& body);

// Runs `body`, which reads and uses this input. An Error that names no place of its own, and one for lack of memory, names
// the input then. UsageError, which is about the command line, stays as it is.
void with_input(const std::filesystem::path& input, const std::function<void()>& body);

struct CommonOptions {
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::vector<std::string> given;  // long names of all options on the command line, for check_options()
};

// Adds -h, --version, -v, -q, --log-level, --json, --force.
void add_common_options(cxxopts::Options& options);

// Parses the command line and sets the log level. --help and --version print and exit(0); --help=man, bash or
// zsh prints the help as these programs read it, --version --json an object. --help shows `groups` in their order, then the common
// options. Throws UsageError, also for arguments that no option takes.
cxxopts::ParseResult parse_command_line(cxxopts::Options& options, int argc, char** argv,
                                        CommonOptions& common, std::vector<std::string> groups);

// The command line as one string, arguments with spaces quoted.
std::string command_text(int argc, char** argv);

// The time now as UTC in ISO 8601, or the time in SOURCE_DATE_EPOCH where that is set.
std::string timestamp();

}  // namespace vox
