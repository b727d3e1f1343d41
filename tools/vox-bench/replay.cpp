// The command vox-bench replay, which runs the command of a report again.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "formats/results/files.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

constexpr const char* kAboutReplay =
    R"(The command line that REPORT names is run again in this folder, with the inputs as they are now, and its
results are compared with those in the report, row by row, as with --against. A row counts as slower or faster if all
its repetitions are, and if the medians differ by more than 3 %. Rows that did other work are marked instead of
compared. A report also holds the machine, the build and digests of the inputs: a warning names each of them that has
changed.

The options -o, --csv, --html, --against, --json, --force and those for messages are taken from this command line, not
from the report.
)";

// The options of the run that made the report are left out if they only say where its results went.
constexpr std::array<std::string_view, 10> kOfOneRun = {"output", "csv",   "html",      "against", "json",
                                                        "force",  "quiet", "log-level", "verbose", "help"};

const Command& command_of(const std::vector<std::string>& arguments, const std::string& report) {
  const Command* const found = command_in(arguments);
  if (found == nullptr || found->run == run_replay)
    throw Error("the report is of no command of vox-bench").at(report);
  return *found;
}

}  // namespace

ToolDescription replay_bench_description() {
  OptionTopic results = result_topic();
  std::erase_if(results.options, [](const Option& option) { return option.name == "against"; });
  return {.program = "vox-bench replay",
          .usage = "REPORT [options]",
          .about = "Runs the command of a report again, and marks what differs by more than the spread.\n",
          .examples = {"vox-bench hash -o report.h5                 a report",
                       "vox-bench replay report.h5                  the same here, against the report",
                       "vox-bench replay report.h5 --html page.html"},
          .basics = {"output", "csv", "html", "json", "force"},
          .more = kAboutReplay,
          .topics = {results, general_topic()},
          .operands = {{.name = "report", .argument = "REPORT", .help = "A report that vox-bench wrote."}}};
}

void run_replay(const CommandLine& arguments, const ReportSink& sink) {
  const auto report = arguments.given("report");
  if (!report) throw UsageError("no report named");
  check_exists(*report);
  if (!is_report_of_vox(*report))
    throw Error("is no report of vox").at(*report).hint("vox-bench writes reports with -o FILE.h5");
  const ReadResults results = read_results(*report);
  const std::vector<std::string> reported = arguments_of(results.command);
  const Command& command = command_of(reported, *report);
  const ToolDescription description = command.description();

  std::vector<std::string> again = {"vox-bench", command.name};
  for (const char* option : {"output", "csv", "html"})
    if (const auto file = arguments.given(option)) again.push_back(fmt::format("--{}={}", option, *file));
  for (const char* flag : {"json", "force"})
    if (arguments.has(flag)) again.push_back(fmt::format("--{}", flag));
  again.push_back(fmt::format("--against={}", *report));
  const std::vector<std::string> kept = read_arguments(description, reported).arguments_without(kOfOneRun);
  again.insert(again.end(), kept.begin(), kept.end());
  const CommandLine line = read_arguments(description, std::move(again));
  log_info("{}", line.command());
  for (const std::string& change : changed_conditions(results, conditions_of(line.command())))
    log_warning("{}", change);
  command.run(line, sink);
}

}  // namespace vox
