// vox-bench: measures on this machine what the tables of the papers show.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "libvox/base/error.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

std::string names(const char* separator) {
  std::string text;
  for (const Command& command : kCommands)
    text += (text.empty() ? "" : separator) + std::string(command.name);
  return text;
}

ToolDescription bench_description() {
  std::string about = "Measures on this machine what the papers' tables show.\n\nCommands:\n";
  for (const Command& command : kCommands) about += fmt::format("  {:<11} {}\n", command.name, command.about);
  about += "\nvox-bench COMMAND --help explains a command.\n";
  return {.program = "vox-bench",
          .usage = "COMMAND [options]",
          .about = about,
          .examples = {"vox-bench hash --html report.html", "vox-bench convert house.glb --res 1K,4K",
                       "vox-bench edit --help"},
          .basics = {"help", "version", "verbose", "quiet", "log-level", "json", "force"},
          .topics = {general_topic()},
          .operands = {{.name = "command", .argument = "COMMAND", .help = "The benchmark to run."}}};
}

// Refuses a command line that begins with none of the commands.
void refuse(const CommandLine& arguments) {
  const auto word = arguments.given("command");
  if (!word) throw UsageError("no command named, expected: " + names(", "));
  if (command_named(*word) != nullptr) throw UsageError(fmt::format("unexpected argument '{}'", *word));
  std::vector<std::string_view> known;
  for (const Command& command : kCommands) known.emplace_back(command.name);
  throw UsageError(fmt::format("there is no command '{}', expected: {}", *word, names(", ")))
      .hint(did_you_mean(*word, known));
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  const vox::Command* command = vox::command_named(argc > 1 ? argv[1] : "");
  if (command != nullptr)
    return vox::run_tool(command->description, argc, argv, [command](const vox::CommandLine& arguments) {
      command->run(arguments, vox::show_report);
    });
  const bool names_command = argc > 1 && argv[1][0] != '-';  // a wrong one, whose options are not read
  return vox::run_tool(vox::bench_description, names_command ? 2 : argc, argv, vox::refuse);
}
