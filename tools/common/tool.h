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

#include "formats/io/overwrite.h"
#include "libvox/base/log_line.h"
#include "libvox/ranks/ranks.h"
#include "tools/common/command_line.h"

namespace vox {

// The text that --version prints: the version in the first line, then the libraries and options of this build.

std::string generator_text();  // "vox 0.1.0"

std::string version_text();  // lines, each with its end
std::string version_json();
std::string compiler_text();  // "GNU 12.2.0 -O3 -DNDEBUG; CUDA 13.0 for 90"

// Returns the options of every tool: --help, --version, --verbose, --quiet, --log-level, --json and --force.
OptionTopic general_topic();

// Reads the command line, prints --help and --version itself, and else calls `body`. Returns the exit code: 0 done, 2
// bad usage, 130 interrupted, 1 everything else; an error is a message on stderr. If a launcher has started several
// processes of the tool, they refuse to run.
int run_tool(const std::function<ToolDescription()>& describe, int argc, char** argv,
             const std::function<void(const CommandLine&)>& body);

// The same for a tool that several processes may run together; `body` is called with these ranks, or nullptr if the
// process is alone. Rank 0 speaks for all. If ranks fail, the first one says why, and all end.
int run_tool_on_ranks(const std::function<ToolDescription()>& describe, int argc, char** argv,
                      const std::function<void(const CommandLine&, ranks::Ranks*)>& body);

// Runs `body`, which reads and uses this input. An Error that names no place of its own, and one for lack of memory, names
// the input then. UsageError, which is about the command line, stays as it is.
void with_input(const std::filesystem::path& input, const std::function<void()>& body);

// Checks before the work, not after it, that inputs are there and that results can be written to their files.

// True if two paths name the same file, which need not exist yet. Symbolic links are followed, also to where nothing is.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// Results by the options that name their files.
using NamedFiles = std::map<std::string_view, std::optional<std::filesystem::path>>;

// Throws UsageError if two results would be written to the same file.
void check_different(const NamedFiles& results);

struct Target {
  std::string_view what;  // "the picture"
  std::filesystem::path file;
  OutputKind kind;
};

// Throws Error if there is no such file; a file beside it with a similar name is in the hint.
void check_exists(const std::filesystem::path& file);

// Throws UsageError if the target is `scene`, the file that is read, and Error if nothing can be written
// there, or if a file would be lost that vox did not write.
void check_target(const Target& target, const std::filesystem::path& scene, Overwrite overwrite);

// The only way of a program's text to stdout and stderr. Names, notes and messages hold text of files, so that everything
// is escaped on its way (libvox/base/json.h), also where the output is no terminal: equal runs print equal text.

// Opens /dev/null for each of descriptors 0 to 2 that the process was started without, the wrong way round: reading
// and writing fail there as on a closed one, and no file that is opened later gets its number.
void occupy_closed_streams();

// Prints a result on stdout at once. Throws Error where it cannot be written, as on a full disk.
void print_result(std::string_view text);

// Prints lines on stderr. Where that fails there is nobody left to tell.
void print_message(std::string_view text);

// Shows messages on stderr: the library's and the program's own, and progress, which is a bar on a terminal and a line
// for each 10 % elsewhere.

// Shows messages from here on, under the program's name.
void show_messages(const std::string& tool);

// Shows messages up to this level, and progress if the level is Info or higher.
void set_log_level(LogLevel level);

// The texts of --help, made of a tool's description: a page of what most people need, the options of a topic, and
// everything, which manual pages and completions are made of.

// Returns the number of characters in a line of the terminal, or the number in $COLUMNS: between 80 and 100, and 100 if
// neither is known.
size_t screen_width();

// Returns the help for `--help TOPIC`; an empty topic is the short page, and "all" is everything. Throws UsageError if
// the tool has no such topic.
std::string help_on(const ToolDescription& tool, const std::string& topic, size_t width);

}  // namespace vox
