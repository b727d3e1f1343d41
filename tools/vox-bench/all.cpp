// The command vox-bench all, which runs the other commands one after the other.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "tools/common/command_line.h"
#include "tools/common/common_options.h"
#include "tools/vox-bench/all_parts.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct AllCommand {
  std::vector<std::string> parts;  // names
  std::string scale;
  EngineOptions engine;
  std::vector<std::string> device_arguments;  // those of this command, for each part
  ResultFiles files;
  bool json = false;
  std::string command;
};

constexpr const char* kAboutAll =
    R"(The parts run one after the other in this process, each as the command that the page shows above its results.
Beside them stand the figures that the papers state, with the papers' machines. A part that fails says so in its
section; the others go on, all results are written, and the exit code is 1. Ctrl-C ends the command when it has
written what was measured until then.

The scale small is for a processor, where all parts take some minutes; full is for a GPU. auto chooses by the device.

'vox-bench replay REPORT' repeats all parts and compares each one with the report. A part alone is repeated by its
command, or by 'vox-bench all --parts NAME --against REPORT'.
)";

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const BenchPart& part : bench_parts()) names.push_back(part.name);
  return names;
}

OptionTopic all_parts_topic() {
  return {.name = "parts",
          .title = "what is measured",
          .options = {{.name = "parts",
                       .argument = "NAME,...",
                       .words = with_all(part_names()),
                       .preset = "all",
                       .help = "Run these parts."},
                      {.name = "scale",
                       .argument = "SCALE",
                       .words = {"auto", "small", "full"},
                       .preset = "auto",
                       .help = "Measure with sizes for a processor (small) or for a GPU (full)."}}};
}

// The options of the device, without --profile: parts that show kernels ask for it themselves.
OptionTopic all_device_topic() {
  OptionTopic topic = device_topic();
  std::erase_if(topic.options, [](const Option& option) { return option.name == "profile"; });
  return topic;
}

AllCommand read_all_command(const CommandLine& arguments) {
  AllCommand command;
  command.parts = arguments.names("parts");
  if (std::ranges::find(command.parts, "all") != command.parts.end()) command.parts = part_names();
  command.scale = arguments.text_of_word("scale");
  command.engine.device = arguments.text("device");
  if (const auto threads = arguments.given_whole("threads")) command.engine.threads = *threads;
  if (arguments.has("memory-limit")) command.engine.memory_limit = arguments.bytes("memory-limit");
  check_one_device(command.engine);
  for (const char* option : {"device", "threads", "memory-limit"})
    if (const auto value = arguments.given(option))
      command.device_arguments.push_back(fmt::format("--{}={}", option, *value));
  command.files = read_result_options(arguments);
  command.json = arguments.json();
  command.command = arguments.command();
  return command;
}

std::vector<std::string> arguments_of_part(const BenchPart& part, const std::string& scale) {
  std::vector<std::string> arguments = {"vox-bench", part.command};
  for (const auto* const some : {&part.axes, scale == "full" ? &part.full : &part.small})
    arguments.insert(arguments.end(), some->begin(), some->end());
  return arguments;
}

// Compares a part with the same part of an earlier run, if that has it.
void compare_part(BenchReport& report, const EarlierRun& earlier, const std::string& part) {
  try {
    compare(report, {earlier.file, read_results(earlier.file, part)});
  } catch (const Error& error) {
    log_warning("{} is not compared: {}", part, error.what());
  }
}

// Runs the part. Errors are results, and so is an interrupt.
PartOfAll measured_part(const BenchPart& part, const AllCommand& command) {
  std::vector<std::string> arguments = arguments_of_part(part, command.scale);
  PartOfAll result = {.name = part.name, .command = fmt::format("{}", fmt::join(arguments, " "))};
  std::ranges::copy(command.device_arguments, std::back_inserter(arguments));
  const Stopwatch watch;
  try {
    const Command& named = *command_named(part.command);
    named.run(read_arguments(named.description(), std::move(arguments)),
              [&](BenchReport report) { result.report = std::move(report); });
  } catch (const Cancelled& error) {
    result.interrupted = true;
    result.error = error.what();
  } catch (const std::bad_alloc&) {
    result.error = "out of memory";
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  result.seconds = watch.seconds();
  if (!result.interrupted && result.report && command.files.against)
    compare_part(*result.report, *command.files.against, part.name);
  return result;
}

std::vector<PublishedRow> published_rows(const BenchPart& part, const PartOfAll& result) {
  std::vector<PublishedRow> rows;
  for (const PublishedFigure& figure : part.published) {
    rows.push_back({part.name, part.paper, figure.where, figure.machine, figure.unit, figure.value});
    if (result.report && result.error.empty()) rows.back().here = figure.here(rows_of(result.report->rows));
  }
  return rows;
}

AllResult measured(const AllCommand& command) {
  AllResult result = {.scale = command.scale};
  const Stopwatch watch;
  for (const BenchPart& part : bench_parts()) {
    if (std::ranges::find(command.parts, part.name) == command.parts.end()) continue;
    if (result.interrupted()) break;
    log_info("part {} of {}, {}: {}", result.parts.size() + 1, command.parts.size(), part.name,
             fmt::join(arguments_of_part(part, command.scale), " "));
    PartOfAll measured = measured_part(part, command);
    if (!measured.error.empty() && !measured.interrupted)
      log_warning("{} failed: {}", part.name, measured.error);
    std::ranges::move(published_rows(part, measured), std::back_inserter(result.published));
    result.parts.push_back(std::move(measured));
  }
  result.seconds = watch.seconds();
  return result;
}

void throw_if_failed(const AllResult& result) {
  if (result.failed() == 0) return;
  std::vector<std::string> names;
  for (const PartOfAll& part : result.parts)
    if (!part.error.empty()) names.push_back(part.name);
  throw Error(fmt::format("{} of {} failed: {}", result.failed(), format_count(result.parts.size(), "part"),
                          fmt::join(names, ", ")))
      .hint("their sections of the results say why");
}

}  // namespace

ToolDescription all_bench_description() {
  return {
      .program = "vox-bench all",
      .usage = "[options]",
      .about =
          "Runs all benchmarks and shows every table and figure on one page beside the papers' figures.\n",
      .examples = {"vox-bench all --html all.html -o all.h5     everything, for this machine",
                   "vox-bench all --parts table2,figure8        some parts",
                   "vox-bench all --scale small --device cpu    a processor"},
      .basics = {"parts", "scale", "output", "csv", "html", "against", "json", "device", "threads",
                 "memory-limit"},
      .more = kAboutAll,
      .topics = {all_parts_topic(), result_topic(), all_device_topic(), general_topic()}};
}

void run_all(const CommandLine& arguments, const ReportSink& sink) {
  AllCommand command = read_all_command(arguments);
  check_targets(command.files);
  AllRun run = {run_on(*make_engine(command.engine), command.command), {}};
  if (command.scale == "auto") command.scale = run.device == "cpu" ? "small" : "full";
  run.result = measured(command);
  report(command, run, std::vector<device::KernelTime>(), sink);
  if (run.result.interrupted()) throw Cancelled();
  throw_if_failed(run.result);
}

}  // namespace vox
