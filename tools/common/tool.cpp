#include "tools/common/tool.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "tools/common/completions.h"
#include "tools/common/help_text.h"
#include "tools/common/manual_page.h"
#include "tools/common/messages.h"
#include "tools/common/option_table.h"
#include "tools/common/phrases.h"

namespace vox {
namespace {

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

}  // namespace

int run_tool(const char* name, const std::function<void()>& body) {
  show_messages(name);
  set_phrases(tool_words);
  cancel_on_interrupt();
  try {
    body();
    return 0;
  } catch (const Cancelled& error) {
    log_error("{}", error.what());
    return 130;
  } catch (const UsageError& error) {
    log_error("{}\n{}: try {} --help", error.what(), name, name);
    return 2;
  } catch (const cxxopts::exceptions::exception& error) {
    log_error("{}\n{}: try {} --help", error.what(), name, name);
    return 2;
  } catch (const std::bad_alloc&) {
    log_error("out of memory (lower the resolution, or --memory-limit)");
    return 1;
  } catch (const std::exception& error) {
    log_error("{}", error.what());
    return 1;
  }
}

void add_common_options(cxxopts::Options& options) {
  options.add_options("General")("h,help", "Show this help",
                                 cxxopts::value<std::string>()->implicit_value("text"))(
      "version", "Show the version and what it was built with")("v,verbose", "Say more")(
      "q,quiet", "Errors only, no progress")("log-level", "error, warning, info or debug",
                                             cxxopts::value<std::string>()->default_value("info"), "LEVEL")(
      "json", "Print the result as one JSON object on stdout")("force",
                                                               "Overwrite files that vox did not write, too");
}

cxxopts::ParseResult parse_command_line(cxxopts::Options& options, int argc, char** argv,
                                        CommonOptions& common, std::vector<std::string> groups) {
  auto parsed = options.parse(argc, argv);
  if (parsed.count("help")) {
    groups.emplace_back("General");
    fmt::print("{}", help_as(parsed["help"].as<std::string>(), help_parts(options, groups)));
    std::exit(0);
  }
  if (parsed.count("version")) {
    fmt::print("{}", parsed.count("json") ? version_json() + "\n" : version_text());
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
