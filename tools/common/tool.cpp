#include "tools/common/tool.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <new>
#include <thread>
#include <vector>

#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr int kBadUsage = 2;  // an exit code

// The name in messages: "vox-bench" of "vox-bench hash".
std::string name_of(const ToolDescription& tool) {
  return tool.program.substr(0, tool.program.find(' '));
}

constexpr std::array kLogLevels = {LogLevel::Error, LogLevel::Warning, LogLevel::Info, LogLevel::Debug};

// The topic of --help, if the command line asks for help: "" in "--help", "grid" in "--help grid" and "--help=grid".
std::optional<std::string> help_topic(int argc, char** argv) {
  constexpr std::string_view kWithTopic = "--help=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") break;
    if (argument.starts_with(kWithTopic)) return std::string(argument.substr(kWithTopic.size()));
    if (argument != "--help" && argument != "-h") continue;
    const bool has_topic = i + 1 < argc && argv[i + 1][0] != '-';
    return has_topic ? argv[i + 1] : "";
  }
  return std::nullopt;
}

void set_log_level(const CommandLine& arguments) {
  LogLevel level = kLogLevels[arguments.word("log-level")];
  if (arguments.has("verbose")) level = LogLevel::Debug;
  if (arguments.has("quiet")) level = LogLevel::Error;
  set_log_level(level);
}

// Reads the command line; returns nothing if it asked for help or for the version, which is printed then.
std::optional<CommandLine> read_command_line(const ToolDescription& tool, int argc, char** argv) {
  if (const auto topic = help_topic(argc, argv)) {
    print_result(help_on(tool, *topic, screen_width()));
    return std::nullopt;
  }
  CommandLine arguments(tool, argc, argv);
  if (arguments.has("help")) {
    print_result(help_on(tool, "", screen_width()));
    return std::nullopt;
  }
  if (arguments.has("version")) {
    print_result(arguments.json() ? version_json() + "\n" : version_text());
    return std::nullopt;
  }
  set_log_level(arguments);
  timestamp();  // so that it fails before the work and not behind it
  return arguments;
}

// The end of a program: its exit code, and the message if the code is not 0.
struct Ending {
  int code = 0;
  std::string message;

  void say(const ToolDescription& tool) const {
    log_error("{}", message);
    if (code == kBadUsage) print_message(fmt::format("{}: try {} --help\n", name_of(tool), tool.program));
  }
};

// The error's message, and the option that sets what the error is about.
std::string message_of(const Error& error, const ToolDescription& tool) {
  const Option* option = error.setting().empty() ? nullptr : tool.option_for(error.setting());
  return option == nullptr ? error.what() : fmt::format("{}; see {}", error.what(), option->spelled());
}

Ending ending_of(const ToolDescription& tool, const std::function<void()>& body) {
  try {
    body();
    return {};
  } catch (const Cancelled& error) {
    return {130, error.what()};
  } catch (const UsageError& error) {
    return {kBadUsage, message_of(error, tool)};
  } catch (const Error& error) {
    return {1, message_of(error, tool)};
  } catch (const std::bad_alloc&) {
    return {1, "out of memory (lower the resolution, or --memory-limit)"};
  } catch (const std::exception& error) {
    return {1, error.what()};
  }
}

std::array<char, 64> name_in_handler = {};  // the tool's name, for handlers

// Writes an error without taking memory. The next run that writes the same files removes the temporary ones.
[[noreturn]] void end_in_handler(const char* subject, const char* problem) {
  const char* const texts[] = {name_in_handler.data(), ": error: ", subject, problem};
  for (const char* text : texts)
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
  _exit(1);
}

// An input that is mapped into memory has become shorter, or the disk does not give a part of it. The reader cannot
// go on, and a handler may do next to nothing.
void on_bus_error(int signal, siginfo_t* about, void*) {
  const char* file = mapped_file_at(about->si_addr);
  if (file == nullptr) {
    std::signal(signal, SIG_DFL);  // the access is repeated, and ends the process
    return;
  }
  end_in_handler(file, ": ends earlier than it did, or cannot be read\n");
}

// HDF5 calls exit(-1) if it gets no memory to keep the number of an object (uthash_fatal() in its H5I_register()). No program of
// ours ends with this code.
void on_exit_of_library(int code, void*) {
  if (code == -1) end_in_handler("", "out of memory: a library has ended the program\n");
}

// A limit on the size of files and a pipe that nobody reads make writing fail. With these signals they would end
// the process without a word instead, and without the file that it has nearly written.
void hear_of_failures(const std::string& tool) {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  tool.copy(name_in_handler.data(), name_in_handler.size() - 1);
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  on_exit(on_exit_of_library, nullptr);
}

// The pictures of a film stay open until all are complete (AtomicFile::release()).
void allow_open_files() {
  constexpr rlim_t kEnough = 65536;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  setrlimit(RLIMIT_NOFILE, &limit);
}

void begin(const ToolDescription& tool) {
  occupy_closed_streams();
  hear_of_failures(name_of(tool));
  allow_open_files();
  show_messages(name_of(tool));
  cancel_on_interrupt();
}

// Ranks other than 0 show nothing as long as they do not fail.
void be_silent() {
  set_log_sink(nullptr);
  set_progress_sink(nullptr);
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::fclose(stdout);
}

// Returns the exit code of a process that has not joined others. If the processes of a launch fail before they can join,
// all have the same message; one that exits ends the others, and would keep rank 0 from showing it.
int alone(const Ending& ending, const ToolDescription& tool, const ranks::Launch& launch) {
  if (ending.code != 0 && launch.rank == 0) ending.say(tool);
  if (ending.code != 0 && launch.rank > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  return ending.code;
}

// Says that there is no memory, not even to describe the tool or to word another message.
int without_memory() {
  std::fprintf(stderr, "%s: error: out of memory\n", program_invocation_short_name);
  return 1;
}

// The names of the files beside this one.
std::vector<std::string> names_beside(const std::filesystem::path& file) {
  constexpr size_t kMostNames = 10000;
  const std::filesystem::path folder = file.parent_path();
  std::vector<std::string> names;
  std::error_code failed;
  const std::filesystem::directory_iterator entries(folder.empty() ? "." : folder, failed);
  for (const std::filesystem::directory_entry& entry : entries) {
    if (names.size() == kMostNames) break;
    if (entry.is_regular_file(failed)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

OptionTopic general_topic() {
  return {
      .name = "general",
      .title = "all tools",
      .options = {flag("help", {}, "Show this help; --help TOPIC and --help all show more.", {.letter = "h"}),
                  flag("version", {}, "Show the version and what the program was built with."),
                  flag("verbose", {}, "Show more messages.", {.letter = "v"}),
                  flag("quiet", {}, "Show errors only, and no progress.", {.letter = "q"}),
                  option("log-level", "LEVEL", {}, "Show messages of this importance and above.",
                         {.words = {"error", "warning", "info", "debug"}, .preset = "info"}),
                  flag("json", {}, "Print the result as one JSON object on stdout."),
                  flag("force", {},
                       "Overwrite existing files even if vox did not write them, and write scenes that do "
                       "not match their digest.",
                       {.setting = "overwrite"})}};
}

int run_tool(const std::function<ToolDescription()>& describe, int argc, char** argv,
             const std::function<void(const CommandLine&)>& body) try {
  const ToolDescription tool = describe();
  begin(tool);
  const ranks::Launch launch = ranks::launch();
  const Ending ending = ending_of(tool, [&] {
    if (launch.count > 1)
      throw UsageError(
          fmt::format("{} runs as one process, but was started as {}", name_of(tool), launch.count));
    if (const auto arguments = read_command_line(tool, argc, argv)) body(*arguments);
  });
  return alone(ending, tool, launch);
} catch (const std::bad_alloc&) {
  return without_memory();
}

int run_tool_on_ranks(const std::function<ToolDescription()>& describe, int argc, char** argv,
                      const std::function<void(const CommandLine&, ranks::Ranks*)>& body) try {
  const ToolDescription tool = describe();
  begin(tool);
  const ranks::Launch launch = ranks::launch();
  if (launch.rank > 0) be_silent();
  ranks::LaunchedRanks* joined = nullptr;
  const Ending joining = ending_of(tool, [&] { joined = ranks::joined_ranks(); });
  if (joining.code != 0) return alone(joining, tool, launch);
  Ending ending = ending_of(tool, [&] {
    if (const auto arguments = read_command_line(tool, argc, argv)) body(*arguments, joined);
    if (joined) joined->gather(0);  // as long as one is at work, the others can hear of its failure
  });
  if (!joined || ending.code == 0) return alone(ending, tool, launch);
  if (joined->first_to_fail()) {
    show_messages(name_of(tool));
    if (ending.code == 1) ending.message = fmt::format("rank {}: {}", launch.rank, ending.message);
    ending.say(tool);
  }
  joined->end_all(ending.code);
  return ending.code;
} catch (const std::bad_alloc&) {
  return without_memory();
}

void with_input(const std::filesystem::path& input, const std::function<void()>& body) {
  try {
    body();
  } catch (const Cancelled&) {
    throw;
  } catch (const UsageError&) {
    throw;
  } catch (Error& error) {
    if (!error.has_place()) error.at(input.string());
    throw;
  } catch (const std::bad_alloc&) {
    throw Error("out of memory").at(input.string()).hint("lower the resolution, or --memory-limit");
  }
}

void check_exists(const std::filesystem::path& file) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(file, failed);
  if (status.type() != std::filesystem::file_type::not_found) return;
  const std::vector<std::string> names = names_beside(file);
  const std::string name = file.filename().string();
  throw Error("no such file")
      .at(file.string())
      .hint(did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end())));
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  const auto place = [&](const std::filesystem::path& path) {
    const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
    const std::filesystem::path found = std::filesystem::weakly_canonical(followed(whole), ignored);
    return found.empty() ? whole : found;  // a disk that fails does not make two names one
  };
  return std::filesystem::equivalent(a, b, ignored) || place(a) == place(b);
}

void check_different(const NamedFiles& results) {
  for (auto first = results.begin(); first != results.end(); ++first)
    for (auto second = std::next(first); second != results.end(); ++second)
      if (first->second && second->second && same_file(*first->second, *second->second))
        throw UsageError(fmt::format("{} and {} are the same file", first->first, second->first));
}

void check_target(const Target& target, const std::filesystem::path& scene, Overwrite overwrite) {
  if (same_file(target.file, scene))
    throw UsageError(
        fmt::format("{} would replace '{}', which is the scene", target.what, target.file.string()));
  check_writable(target.file, target.kind, overwrite);
}

}  // namespace vox
