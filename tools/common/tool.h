// What every program shares: common options, messages, exit codes (docs/architecture.md, "Errors and exit codes").
#pragma once

#include <cxxopts.hpp>
#include <functional>
#include <string>
#include <vector>

#include "formats/io/overwrite.h"

namespace vox {

// Runs `body` and turns what it throws into a message on stderr and an exit code: 0 done, 2 bad usage, 130
// interrupted, 1 everything else.
int run_tool(const char* name, const std::function<void()>& body);

struct CommonOptions {
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::vector<std::string> given;  // long names of all options on the command line, see option_table.h
};

// Adds -h, --version, -v, -q, --log-level, --json, --force.
void add_common_options(cxxopts::Options& options);

// Parses the command line; --help and --version print and exit(0), --help=man, bash or zsh as other programs read it. Sets the log level. Throws UsageError,
// also for arguments that no option takes. --help shows `groups` in their order, then the common options.
cxxopts::ParseResult parse_command_line(cxxopts::Options& options, int argc, char** argv,
                                        CommonOptions& common, std::vector<std::string> groups);

// The command line as one string, arguments with spaces quoted.
std::string command_text(int argc, char** argv);

std::string generator_text();  // "vox 0.1.0"

// UTC in ISO 8601; the time in SOURCE_DATE_EPOCH where that is set.
std::string timestamp();

}  // namespace vox
