// The command vox-bench all, which runs the other commands one after the other, and its results.

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

#include "formats/results/views.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "tools/common/command_line.h"
#include "tools/common/reports.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct AllCommand : BenchCommand {
  std::vector<std::string> parts;  // names
  std::string scale;
  std::vector<std::string> device_arguments;  // those of this command, for each part
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
          .options = {names_option("parts", with_all(part_names()), "all", "Run these parts."),
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
  return arguments_of("vox-bench " + part.command + " " + (scale == "full" ? part.full : part.small));
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
    const Command& named = *command_in(arguments);
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

std::string outcome_of(const PartOfAll& part) {
  if (part.interrupted) return part.error;
  return part.error.empty() ? "measured" : "failed: " + part.error;
}

ResultTable published_table(const std::vector<PublishedRow>& rows) {
  const auto times = [](const PublishedRow& row) {
    return row.here ? std::optional(*row.here / row.published) : std::nullopt;
  };
  const auto shown = [](std::optional<double> value) {
    return value ? std::optional(number_text(*value)) : std::nullopt;
  };
  ResultTable table;
  table
      .column("part", "", rows, &PublishedRow::part, both({"part"}),
              "Name of the part that measures the figure.")
      .column("paper", "", rows, &PublishedRow::paper,
              "The paper that states the figure; empty if `where` names it.")
      .column("where", "", rows, &PublishedRow::where, both({"figure", Look::words()}),
              "The place in the paper, and what the figure is of.")
      .column("published", "as `unit` says", rows, &PublishedRow::published, "The published figure.")
      .column(
          for_people(), "", rows, [&](const PublishedRow& row) { return shown(row.published); },
          both({"published"}))
      .column("here", "as `unit` says", rows, &PublishedRow::here,
              "The same, measured here; absent if the part has failed.")
      .column(
          for_people(), "", rows, [&](const PublishedRow& row) { return shown(row.here); }, both({"here"}))
      .column("unit", "", rows, &PublishedRow::unit, both({"unit"}), "Unit of both figures.")
      .column("times", "1", rows, times, both({"times", Look::fixed(2)}),
              "The figure measured here divided by the published one.")
      .column("machine", "", rows, &PublishedRow::machine, {.page = {"machine", Look::words()}},
              "The machine of the paper; `any` for sizes, which do not depend on it.");
  return table;
}

ResultTable parts_table(const std::vector<PartOfAll>& parts) {
  ResultTable table;
  table
      .column("part", "", parts, &PartOfAll::name, both({"part"}),
              "Name of a part, which is also that of the group or object with its results.")
      .column("command", "", parts, &PartOfAll::command,
              {.screen = {"command"}, .page = {"command", Look::words()}},
              "The command that repeats the part, without the options of the device.")
      .column("ms", "ms", parts, in_ms(&PartOfAll::seconds), "Time of the whole part.")
      .column(for_people(), "s", parts, &PartOfAll::seconds, both({"seconds", Look::fixed(1)}))
      .column(for_people(), "", parts, outcome_of, {.page = {"outcome", Look::words()}})
      .column("error", "", parts, &PartOfAll::error,
              "The reason if the part has failed or was interrupted, otherwise empty.");
  return table;
}

HtmlTable others_table() {
  HtmlTable table({{"paper", "", HtmlTable::Kind::Name},
                   {"figure", "", HtmlTable::Kind::Words},
                   {"command", "", HtmlTable::Kind::Words}});
  for (const OtherFigure& figure : other_figures()) table.row({figure.paper, figure.where, figure.command});
  return table;
}

// Returns the published figures of a part.
std::vector<PublishedRow> figures_of(const AllRun& run, const std::string& part) {
  std::vector<PublishedRow> rows = run.result.published;
  std::erase_if(rows, [&](const PublishedRow& row) { return row.part != part; });
  return rows;
}

// Returns a part's page, with the papers' figures at its end.
HtmlPage page_of_part(const AllRun& run, const PartOfAll& part) {
  HtmlPage page = part.report ? part.report->page : HtmlPage(part.name, part.command);
  if (!part.error.empty()) page.section(part.interrupted ? "Interrupted" : "Failed").paragraph(part.error);
  if (const std::vector<PublishedRow> figures = figures_of(run, part.name); !figures.empty())
    page.section("Beside the paper").table("Published figures", page_table(published_table(figures)));
  return page;
}

}  // namespace

uint64_t AllResult::failed() const {
  return static_cast<uint64_t>(std::ranges::count_if(
      parts, [](const PartOfAll& part) { return !part.error.empty() && !part.interrupted; }));
}

ResultTable rows_table(const AllRun& run) {
  return parts_table(run.result.parts);
}

std::string table_text(const AllRun& run) {
  std::string text = fmt::format("scale {}, on {}\n{}", run.result.scale, run.device_text,
                                 text_table(rows_table(run)).text());
  for (const PartOfAll& part : run.result.parts)
    if (!part.error.empty()) text += fmt::format("{}: {}\n", part.name, outcome_of(part));
  if (!run.result.published.empty())
    text += "\nBeside the papers, whose machines were others\n" +
            text_table(published_table(run.result.published)).text();
  return text;
}

void set_results(ResultGroup& group, const AllRun& run) {
  group.set("scale", run.result.scale, "`small` or `full`: the sizes that were measured.")
      .set("failed", run.result.failed(), "parts", "Number of parts that have failed.")
      .set("interrupted", run.result.interrupted(),
           "True if the benchmark was interrupted, so that parts are missing.");
  set_seconds(group, run.result.seconds);
  group.put("rows", rows_table(run));
  group.put("published", published_table(run.result.published));
}

void set_parts(ResultGroup& results, const AllRun& run) {
  for (const PartOfAll& part : run.result.parts)
    if (part.report) results.group(listed_as("PART", part.name)) = part.report->results;
}

HtmlPage page_of(const AllRun& run) {
  HtmlPage page("All benchmarks of vox",
                fmt::format("Scale {}, on {}. {}, measured in {}{}.", run.result.scale, run.device_text,
                            format_count(run.result.parts.size(), "part"), format_seconds(run.result.seconds),
                            run.result.interrupted() ? "; interrupted: what was measured until then"
                            : run.result.failed() > 0
                                ? fmt::format("; {} failed", format_count(run.result.failed(), "part"))
                                : ""));
  HtmlPage::Facts chapters;
  for (const PartOfAll& part : run.result.parts)
    chapters.emplace_back(part.name, part.name + ": " + part.command);
  page.section("Contents").contents(chapters);
  page.section("Parts").table("Commands and times", page_table(rows_table(run)));
  if (!run.result.published.empty())
    page.section("Beside the papers")
        .paragraph(
            "Figures that the papers state, and the same measured here. Machines, scenes and sizes differ: "
            "the column machine names the paper's, and docs/papers.md says what else is not the same.")
        .table("Published figures", page_table(published_table(run.result.published)));
  page.section("Not on this page")
      .paragraph("Other programs make these tables and figures, or need files that are not generated.")
      .table("Commands", others_table());
  for (const PartOfAll& part : run.result.parts) page.chapter(page_of_part(run, part), part.name);
  return page;
}

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
