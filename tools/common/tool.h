// The parts that all programs share: the command line, common options, messages, exit codes (docs/architecture.md,
// "Errors and exit codes").
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "formats/io/output_file.h"
#include "libvox/base/log_line.h"
#include "libvox/ranks/ranks.h"
#include "tools/common/command_line.h"

namespace vox {

std::string generator_text();  // "vox 0.1.0"
// Returns the text that --version prints: the version in the first line, then the libraries and options of this
// build.
std::string version_text();  // lines that end with "\n"
std::string version_json();
std::string compiler_text();  // "GNU 12.2.0 -O3 -DNDEBUG; CUDA 13.0 for 90"

// Returns the options of every tool: --help, --version, --verbose, --quiet, --log-level, --json and --force.
OptionTopic general_topic();

// Reads the command line. For --help and --version it prints the text, otherwise it calls `body`. Returns the exit
// code: 0 for success, 2 for bad usage, 130 after an interrupt, 1 for other errors. Prints errors on stderr. If a
// launcher has started several processes of the tool, they refuse to run.
int run_tool(const std::function<ToolDescription()>& describe, int argc, char** argv,
             const std::function<void(const CommandLine&)>& body);

// The same for a tool that several processes may run together. Calls `body` with these ranks, or with nullptr if the
// process is alone. Only rank 0 prints. If ranks fail, the first one reports its error, and all end.
int run_tool_on_ranks(const std::function<ToolDescription()>& describe, int argc, char** argv,
                      const std::function<void(const CommandLine&, ranks::Ranks*)>& body);

// Runs `body`, which reads and uses this input. If it throws an Error that names no place, or one for lack of memory,
// the input's name is added. A UsageError is about the command line and stays as it is.
void with_input(const std::filesystem::path& input, const std::function<void()>& body);

// These functions check, before the work, that inputs exist and that results can be written to their files.

// True if two paths name the same file, which need not exist yet. Symbolic links are followed, even to nothing.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// The files of results, by the options that name them.
using NamedFiles = std::map<std::string_view, std::optional<std::filesystem::path>>;

// Throws UsageError if two results would be written to the same file.
void check_different(const NamedFiles& results);

struct Target {
  std::string_view what;  // "the picture"
  std::filesystem::path file;
  OutputKind kind;
};

// Throws Error if there is no such file. The hint names a file beside it with a similar name.
void check_exists(const std::filesystem::path& file);

// Throws UsageError if the target is `scene`, the file that is read. Throws Error if the target cannot
// be written, or if a file would be lost that vox did not write.
void check_target(const Target& target, const std::filesystem::path& scene, Overwrite overwrite);

// All text of a program goes to stdout and stderr through these functions. Names and messages contain text from files,
// so everything is escaped (libvox/base/json.h), even if the output is no terminal: equal runs print equal text.

// Opens /dev/null for each of descriptors 0 to 2 that the process was started without: 0 for writing, 1 and 2 for
// reading. Reading and writing then fail as on a closed descriptor, and no file that is opened later gets its number.
void occupy_closed_streams();

// Prints a result on stdout at once. Throws Error if it cannot be written, for example on a full disk.
void print_result(std::string_view text);

// Prints lines on stderr. Failures are ignored.
void print_message(std::string_view text);

// These functions show messages of the library and of the program on stderr, and progress: a bar on a terminal, a line
// for each 10 % elsewhere.

// Shows messages from here on, under the program's name.
void show_messages(const std::string& tool);

// Shows messages up to this level, and progress if the level is Info or higher.
void set_log_level(LogLevel level);

// The texts of --help are made from a tool's description: a page with what most people need, the options of a
// topic, and everything. Manual pages and completions are made from the last one.

// Returns the width of the terminal in characters, or $COLUMNS, limited to 80 to 100. Returns 100 if neither is
// known.
size_t screen_width();

// Returns the help for `--help TOPIC`. An empty topic gives the short page, and "all" gives everything. Throws
// UsageError if the tool has no such topic.
std::string help_on(const ToolDescription& tool, const std::string& topic, size_t width);

}  // namespace vox
