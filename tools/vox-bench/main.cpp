// vox-bench: measures on this machine what the papers' tables show.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "libvox/base/error.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/commands.h"

namespace vox {
namespace {

std::string about() {
  std::string text = "Measures on this machine what the papers' tables show.\n\nCommands:\n";
  for (const Command& command : kCommands) text += fmt::format("  {:<10} {}\n", command.name, command.about);
  return text + "\n'vox-bench COMMAND --help' explains a command.\n";
}

std::string names(const char* separator) {
  std::string text;
  for (const Command& command : kCommands)
    text += (text.empty() ? "" : separator) + std::string(command.name);
  return text;
}

void run(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  for (const Command& command : kCommands)
    if (word == command.name) return command.run(argc, argv);
  if (!word.empty() && word.front() != '-')
    throw UsageError(fmt::format("there is no command '{}', expected: {}", word, names(", ")));
  cxxopts::Options options("vox-bench", about());
  options.custom_help("COMMAND [options]").positional_help("").set_width(100);
  options.add_options("Commands")("command", "What to measure", cxxopts::value<std::string>(), names("|"));
  options.parse_positional({"command"});
  add_common_options(options);
  CommonOptions common;
  const cxxopts::ParseResult parsed = parse_command_line(options, argc, argv, common, {});
  // The first argument is the command; there may be none.
  if (parsed.count("command") > 0)
    throw UsageError(fmt::format("unexpected argument '{}'", parsed["command"].as<std::string>()));
  throw UsageError("no command named, expected: " + names(", "));
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool("vox-bench", [&] { vox::run(argc, argv); });
}
