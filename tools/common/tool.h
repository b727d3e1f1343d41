// The parts that all programs share: the command line, common options, messages, exit codes (docs/architecture.md,
// "Errors and exit codes").
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "libvox/ranks/ranks.h"
#include "tools/common/command_line.h"
#include "tools/common/version.h"

namespace vox {

// Returns the options of every tool: --help, --version, --verbose, --quiet, --log-level, --json and --force.
OptionTopic general_topic();

// Reads the command line, prints --help and --version itself, and else calls `body`. Returns the exit code: 0 done, 2
// bad usage, 130 interrupted, 1 everything else; an error is a message on stderr. If a launcher has started several
// processes of the tool, they refuse to run.
int run_tool(const ToolDescription& tool, int argc, char** argv,
             const std::function<void(const CommandLine&)>& body);

// The same for a tool that several processes may run together; `body` is called with these ranks, or nullptr if the
// process is alone. Rank 0 speaks for all. If ranks fail, the first one says why, and all end.
int run_tool_on_ranks(const ToolDescription& tool, int argc, char** argv,
                      const std::function<void(const CommandLine&, ranks::Ranks*)>& body);

// Runs `body`, which reads and uses this input. An Error that names no place of its own, and one for lack of memory, names
// the input then. UsageError, which is about the command line, stays as it is.
void with_input(const std::filesystem::path& input, const std::function<void()>& body);

// Returns the time now as UTC in ISO 8601, or the time in SOURCE_DATE_EPOCH if that is set.
std::string timestamp();

}  // namespace vox
