#include "tools/common/tool.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/ranks/launched.h"
#include "tools/common/completions.h"
#include "tools/common/help_text.h"
#include "tools/common/manual_page.h"
#include "tools/common/messages.h"
#include "tools/common/option_table.h"
#include "tools/common/phrases.h"
#include "tools/common/terminal.h"

namespace vox {
namespace {

constexpr int kBadUsage = 2;  // an exit code

LogLevel parse_log_level(const std::string& text) {
  if (text == "error") return LogLevel::Error;
  if (text == "warning") return LogLevel::Warning;
  if (text == "info") return LogLevel::Info;
  if (text == "debug") return LogLevel::Debug;
  throw UsageError(fmt::format("--log-level is '{}', expected error, warning, info or debug", text));
}

// The help in the form that the value of --help asks for. The build asks for the forms that become files
// (cmake/manual.cmake); users do not need these, so that --help does not name them.
std::string help_as(const std::string& form, const HelpParts& parts) {
  if (form == "text") return help_text(parts, screen_width());
  if (form == "man") return manual_page(parts, generator_text());
  if (form == "bash") return bash_completions(parts);
  if (form == "zsh") return zsh_completions(parts);
  throw UsageError(fmt::format("--help is '{}', expected no value, or man, bash or zsh", form));
}

// How a program ends: its exit code, and what it says where that is not 0.
struct Ending {
  int code = 0;
  std::string message;

  void say(const char* name) const {
    log_error("{}", message);
    if (code == kBadUsage) print_message(fmt::format("{}: try {} --help\n", name, name));
  }
};

Ending ending_of(const std::function<void()>& body) {
  try {
    body();
    return {};
  } catch (const Cancelled& error) {
    return {130, error.what()};
  } catch (const UsageError& error) {
    return {kBadUsage, error.what()};
  } catch (const cxxopts::exceptions::exception& error) {
    return {kBadUsage, error.what()};
  } catch (const std::bad_alloc&) {
    return {1, "out of memory (lower the resolution, or --memory-limit)"};
  } catch (const std::exception& error) {
    return {1, error.what()};
  }
}

void begin(const char* name) {
  occupy_closed_streams();
  show_messages(name);
  set_phrases(tool_words);
  cancel_on_interrupt();
}

// Of ranks other than 0, nothing is seen as long as they do not fail.
void be_silent() {
  set_log_sink(nullptr);
  set_progress_sink(nullptr);
  if (std::freopen("/dev/null", "w", stdout) == nullptr) std::fclose(stdout);
}

// The end of a process that has not joined others. Processes of one launch that fail before they can join all have the
// same to say; one that exits ends the others, and would keep rank 0 from saying it.
int alone(const Ending& ending, const char* name, const ranks::Launch& launch) {
  if (ending.code != 0 && launch.rank == 0) ending.say(name);
  if (ending.code != 0 && launch.rank > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  return ending.code;
}

}  // namespace

int run_tool(const char* name, const std::function<void()>& body) {
  begin(name);
  const ranks::Launch launch = ranks::launch();
  const Ending ending = ending_of([&] {
    if (launch.count > 1)
      throw UsageError(fmt::format("{} runs as one process, but was started as {}", name, launch.count));
    body();
  });
  return alone(ending, name, launch);
}

int run_tool_on_ranks(const char* name, const std::function<void(ranks::Ranks*)>& body) {
  begin(name);
  const ranks::Launch launch = ranks::launch();
  if (launch.rank > 0) be_silent();
  ranks::LaunchedRanks* joined = nullptr;
  const Ending joining = ending_of([&] { joined = ranks::joined_ranks(); });
  if (joining.code != 0) return alone(joining, name, launch);
  Ending ending = ending_of([&] {
    body(joined);
    if (joined) joined->gather(0);  // as long as one is at work, the others can hear of its failure
  });
  if (!joined || ending.code == 0) return alone(ending, name, launch);
  if (joined->first_to_fail()) {
    show_messages(name);
    if (ending.code == 1) ending.message = fmt::format("rank {}: {}", launch.rank, ending.message);
    ending.say(name);
  }
  joined->end_all(ending.code);
  return ending.code;
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

void add_common_options(cxxopts::Options& options) {
  options.add_options("General")("h,help", "Show this help",
                                 cxxopts::value<std::string>()->implicit_value("text"))(
      "version", "Show the version and what it was built with")("v,verbose", "Say more")(
      "q,quiet", "Errors only, no progress")("log-level", "error, warning, info or debug",
                                             cxxopts::value<std::string>()->default_value("info"), "LEVEL")(
      "json", "Print the result as one JSON object on stdout")(
      "force", "Overwrite files that vox did not write; go on with damaged scenes");
}

cxxopts::ParseResult parse_command_line(cxxopts::Options& options, int argc, char** argv,
                                        CommonOptions& common, std::vector<std::string> groups) {
  auto parsed = options.parse(argc, argv);
  if (parsed.count("help")) {
    groups.emplace_back("General");
    print_result(help_as(parsed["help"].as<std::string>(), help_parts(options, groups)));
    std::exit(0);
  }
  if (parsed.count("version")) {
    print_result(parsed.count("json") ? version_json() + "\n" : version_text());
    std::exit(0);
  }
  LogLevel level = parse_log_level(parsed["log-level"].as<std::string>());
  if (parsed.count("verbose")) level = LogLevel::Debug;
  if (parsed.count("quiet")) level = LogLevel::Error;
  set_log_level(level);
  if (!parsed.unmatched().empty())
    throw UsageError(fmt::format("unexpected argument '{}'", parsed.unmatched().front()));
  common.json = parsed.count("json") > 0;
  common.overwrite = parsed.count("force") > 0 ? Overwrite::AllFiles : Overwrite::OwnFiles;
  common.given = given_options(parsed);
  return parsed;
}

std::string command_text(int argc, char** argv) {
  std::string text = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    bool plain = !argument.empty() && argument.find_first_of(" \t\n'\"") == std::string::npos;
    text += plain ? " " + argument : " '" + argument + "'";
  }
  return text;
}

std::string timestamp() {
  std::time_t now = std::time(nullptr);
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) now = std::strtoll(epoch, nullptr, 10);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace vox
