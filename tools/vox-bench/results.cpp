#include "tools/vox-bench/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "formats/results/files.h"
#include "formats/results/views.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"

namespace vox {
namespace {

// "1.234 to 1.301": the fastest and the slowest repetition.
std::optional<std::string> span_text(const std::optional<measure::Timing>& time) {
  if (!time) return std::nullopt;
  return fmt::format("{:.3f} to {:.3f}", time->min, time->max);
}

ResultTable against_table(const std::vector<AgainstRow>& rows) {
  const auto time = [](std::optional<measure::Timing> AgainstRow::*which, double measure::Timing::*value) {
    return [=](const AgainstRow& row) {
      return row.*which ? std::optional((*(row.*which)).*value) : std::nullopt;
    };
  };
  const auto ms = [](const char* title) { return both({title, Look::fixed(3), "ms"}); };
  const auto range = [](std::optional<measure::Timing> AgainstRow::*which) {
    return [=](const AgainstRow& row) { return span_text(row.*which); };
  };
  ResultTable table;
  table
      .column("row", "", rows, &AgainstRow::row, both({"row"}),
              "The values of the row's axes, with commas between them.")
      .column(
          "change", "", rows,
          [](const AgainstRow& row) { return kChangeNames[static_cast<size_t>(row.change)]; },
          both({"change"}), "`slower`, `faster`, `same`, `other work`, `added` or `gone`.")
      .column("ratio", "1", rows, &AgainstRow::ratio, both({"ratio", Look::fixed(3)}),
              "Median of this run divided by that of the earlier one.")
      .column("ms", "ms", rows, time(&AgainstRow::now, &measure::Timing::median), ms("now"),
              "Median of this run.")
      .column(for_people(), "", rows, range(&AgainstRow::now), both({"range"}))
      .column("ms_before", "ms", rows, time(&AgainstRow::before, &measure::Timing::median), ms("before"),
              "Median of the earlier run.")
      .column(for_people(), "", rows, range(&AgainstRow::before), both({"range before"}))
      .column("other_work", "", rows, &AgainstRow::other_work, both({"work", Look::words()}),
              "The differences, if the row did other work; otherwise empty.");
  return table;
}

std::string summary_text(const Against& against) {
  const auto count = [&](RowChange change) { return count_of(against.rows, change); };
  const uint64_t slower = count(RowChange::Slower), faster = count(RowChange::Faster),
                 same = count(RowChange::None);
  std::string text =
      fmt::format("against {}: of {}, {} slower by more than the spread, {} faster, {} the same",
                  against.file, format_count(slower + faster + same, "row"), slower, faster, same);
  if (const uint64_t other = count(RowChange::OtherWork)) text += fmt::format(", {} of other work", other);
  if (const uint64_t added = count(RowChange::Added))
    text += fmt::format(", {} that it does not have", added);
  if (const uint64_t gone = count(RowChange::Gone)) text += fmt::format(", {} that it has alone", gone);
  return text;
}

std::string device_text(const Against& against) {
  if (against.same_device()) return "";
  return fmt::format("measured then on {}, now on {}: times of two devices say nothing of a change",
                     against.device_before.empty() ? "an unknown device" : against.device_before,
                     against.device);
}

// The number of rows that became slower, and the rows that changed or did other work. JSON and the page have all rows.
std::string against_text(const Against& against) {
  std::string text = summary_text(against) + "\n";
  if (!against.same_device()) text += device_text(against) + "\n";
  std::vector<AgainstRow> changed = against.rows;
  std::erase_if(changed, [](const AgainstRow& row) {
    return row.change == RowChange::None || row.change == RowChange::Added || row.change == RowChange::Gone;
  });
  if (!changed.empty()) text += text_table(against_table(changed)).text();
  return text;
}

void add_against(HtmlPage& page, const Against& against) {
  page.section("Against an earlier run").paragraph(summary_text(against) + ".");
  if (!against.same_device()) page.paragraph(device_text(against) + ".");
  page.table("Each row, now and before", page_table(against_table(against.rows)));
}

// The meanings of kChangeNames.
constexpr std::array kChangeMeanings = {"Number of rows that changed by no more than the spread.",
                                        "Number of rows that became slower.",
                                        "Number of rows that became faster.",
                                        "Number of rows that did other work.",
                                        "Number of rows that only this run has.",
                                        "Number of rows that only the earlier run has."};

// The files among the operands of a command line of vox-bench.
std::vector<std::filesystem::path> inputs_of(const std::string& command) {
  std::vector<std::filesystem::path> inputs;
  const std::vector<std::string> arguments = arguments_of(command);
  const Command* const named = command_in(arguments);
  if (named == nullptr) return inputs;
  const ToolDescription tool = named->description();
  const CommandLine line = read_arguments(tool, arguments);
  for (const Option& operand : tool.operands) {
    const std::vector<std::filesystem::path> files = line.paths(operand.name);
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  return inputs;
}

// Returns a line for each fact of the report that differs now, and for each input whose content differs.
std::vector<std::string> changed_conditions(const ReadResults& report, const RunConditions& now) {
  std::vector<std::string> changed;
  for (const MachineFact& fact : now.machine)
    if (const auto before = report.machine.find(fact.name);
        before != report.machine.end() && before->second != fact.text)
      changed.push_back(fmt::format("{}: {}; in the report {}", fact.name, fact.text, before->second));
  for (const InputFile& input : now.inputs)
    if (const auto before = report.inputs.find(input.file);
        before != report.inputs.end() && before->second != input.digest)
      changed.push_back(fmt::format("{}: other content than in the report", input.file));
  return changed;
}

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

double sum_of(const std::vector<BarPart>& parts, size_t bar) {
  double sum = 0;
  for (const BarPart& part : parts) sum += part.ms[bar];
  return sum;
}

}  // namespace

BenchRun run_on(const Engine& engine, const std::string& command) {
  return {engine.device(), engine.device_text(), origin_of(command)};
}

void set_run(ResultGroup& results, const BenchRun& run) {
  set_origin(results, run.origin);
  results.set("device", run.device, "Name of the device that was measured.")
      .set("device_text", run.device_text, "The device in words.");
}

void check_targets(const ResultFiles& files, NamedFiles others) {
  others.insert({{"-o", files.report}, {"--csv", files.csv}, {"--html", files.html}});
  check_different(others);
  if (files.report) check_writable(*files.report, OutputKind::Report, files.overwrite);
  if (files.csv) check_writable(*files.csv, OutputKind::Rows, files.overwrite);
  if (files.html) check_writable(*files.html, OutputKind::Page, files.overwrite);
}

void set_against(ResultGroup& results, const Against& against) {
  ResultGroup& group = results.group("against");
  group.set("file", against.file, "The file of the earlier run.")
      .set("device_text", against.device_before, "The device of the earlier run in words.")
      .set("same_device", against.same_device(), "True if both runs measured the same device.");
  for (size_t change = 0; change < kChangeNames.size(); ++change) {
    std::string name = kChangeNames[change];
    std::ranges::replace(name, ' ', '_');
    group.set(name, count_of(against.rows, static_cast<RowChange>(change)), "rows", kChangeMeanings[change]);
  }
  group.put("rows", against_table(against.rows));
}

void compare(BenchReport& report, const EarlierRun& earlier) {
  const Against against = {earlier.file.string(), earlier.results.device_text, report.run.device_text,
                           compare_results(report.rows, earlier.results.rows, report.compared)};
  set_against(report.results, against);
  add_against(report.page, against);
  report.text += "\n" + against_text(against);
}

void show_report(BenchReport report) {
  const ResultFiles& files = report.files;
  if (files.against) compare(report, *files.against);
  if (files.report) write_report_of(report.results, inputs_of(report.run.origin.command), *files.report);
  if (files.csv) write_csv(report.rows, *files.csv);
  if (files.html) write_html(report.page, *files.html);
  print_result(report.json ? json_text(report.results) + "\n" : report.text);
  if (report.profile) print_profile(*report.profile);
  log_debug("measured in {}", format_seconds(report.seconds));
}

// The command vox-bench replay, which runs the command of a report again.

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
  for (const std::string& change : changed_conditions(results, conditions_of(inputs_of(line.command()))))
    log_warning("{}", change);
  command.run(line, sink);
}

void add_kernel_columns(ResultTable& table, const Kernels& kernels) {
  using Kernel = device::KernelTime;
  table
      .column("kernel", "", kernels, &Kernel::name,
              "A kernel that the row's work has launched; the longest comes first.")
      .column("launches", "", kernels, &Kernel::launches, "Number of its launches.")
      .column("kernel_ms", "ms", kernels, in_ms(&Kernel::seconds),
              "Time of all these launches, in a repetition in which each was timed.")
      .column("kernel_bytes", "bytes", kernels, &Kernel::bytes,
              "Bytes that they read and wrote; 0 if they are not counted.");
}

std::vector<std::string> longest_kernels(const std::vector<KernelBar>& bars) {
  constexpr size_t kMost = kSeriesColors - 2;  // beside those of the other kernels and the rest
  std::vector<Kernels> profiles;
  for (const KernelBar& bar : bars) profiles.push_back(bar.kernels);
  std::vector<std::string> names;
  for (const device::KernelTime& kernel : device::all_kernels(profiles))
    if (names.size() < kMost) names.push_back(kernel.name);
  return names;
}

std::vector<BarPart> kernel_parts(const std::vector<KernelBar>& bars, const std::vector<std::string>& names) {
  std::vector<BarPart> parts;
  for (const std::string& name : names) parts.push_back({name, {}});
  BarPart others = {"other kernels", {}}, rest = {"between kernels", {}};
  for (const KernelBar& bar : bars) {
    const double all = device::seconds_of(bar.kernels) * 1e3;
    double left = all;
    for (BarPart& part : parts) {
      part.ms.push_back(device::seconds_of(bar.kernels, part.name) * 1e3);
      left -= part.ms.back();
    }
    others.ms.push_back(std::max(left, 0.0));
    rest.ms.push_back(std::max(bar.ms - all, 0.0));
  }
  parts.push_back(std::move(others));
  parts.push_back(std::move(rest));
  return parts;
}

void add_parts_figure(HtmlPage& page, const std::string& title, const std::string& caption,
                      const std::string& head, const std::vector<std::string>& labels,
                      const std::vector<BarPart>& parts, BarUnit unit) {
  const bool percent = unit == BarUnit::Percent;
  BarChart chart = {.title = title,
                    .description = caption,
                    .unit = percent ? "% of the time" : "ms",
                    .bars = BarChart::Bars::EndToEnd,
                    .rows = labels};
  std::vector<HtmlTable::Column> columns = {{head, "", HtmlTable::Kind::Name}, {"all", "ms"}};
  for (const BarPart& part : parts) {
    columns.push_back({part.name, "ms"});
    chart.series.push_back({part.name, part.ms});
  }
  HtmlTable table(std::move(columns));
  for (size_t bar = 0; bar < labels.size(); ++bar) {
    const double sum = sum_of(parts, bar);
    std::vector<HtmlCell> cells = {labels[bar], number_cell(sum, 3)};
    for (size_t part = 0; part < parts.size(); ++part) {
      cells.push_back(number_cell(parts[part].ms[bar], 3));
      if (percent && sum > 0) chart.series[part].values[bar] *= 100 / sum;
    }
    table.row(std::move(cells));
  }
  page.figure(title, caption, draw(chart), table);
}

measure::Timing time_of(const ResultRow& row) {
  return {row.number("ms"), row.number("ms_min"), row.number("ms_max")};
}

std::array<double, 2> range_of_times(const ResultRow& row) {
  return {row.number("ms_min"), row.number("ms_max")};
}

std::array<double, 2> range_of_rates(const ResultRow& row, std::string_view column) {
  const double done = row.number(column) * 1e3;
  return {done / row.number("ms_max"), done / row.number("ms_min")};
}

ResultRows rows_with_errors(ResultRows rows) {
  std::erase_if(rows, [](const ResultRow& row) { return row.word("error").empty(); });
  return rows;
}

void set_seconds(ResultGroup& group, double seconds) {
  group.set("seconds", seconds, "s", "Time of the whole benchmark.");
}

std::string counted_text(const ResultRow& row, std::string_view column, std::string_view unit) {
  return format_count(static_cast<uint64_t>(row.number(column)), unit);
}

ResultTable ceilings_table(const Ceilings& ceilings) {
  using Row = measure::RandomReadCeiling;
  ResultTable table;
  table
      .column("bytes_each", "bytes", ceilings, &Row::bytes_each, {.page = {"bytes each"}},
              "Number of bytes that a random read takes.")
      .column("buffer_bytes", "bytes", ceilings, &Row::buffer_bytes, {.page = {"from", Look::mib(), "MiB"}},
              "Size of the memory that is read from.")
      .column("reads_per_second", "1/s", ceilings, &Row::reads_per_second,
              {.page = {"reads", Look::fixed(3, 1e-9), "G/s"}}, "Number of reads per second.");
  add_times(table, ceilings, {.page = {"time", Look::fixed(3), "ms"}});
  table.column("repetitions", "", ceilings, &Row::repetitions, "Number of repetitions.");
  return table;
}

std::string ceilings_text(const Ceilings& ceilings) {
  std::string text;
  for (const measure::RandomReadCeiling& ceiling : ceilings)
    text += fmt::format("random reads of {:>3} bytes from {:>10}: {:6.3f} G/s\n", ceiling.bytes_each,
                        format_bytes(ceiling.buffer_bytes), ceiling.reads_per_second * 1e-9);
  return text;
}

void add_ceilings(HtmlPage& page, const Ceilings& ceilings) {
  page.section("What the memory can do")
      .table("Random reads, measured first", page_table(ceilings_table(ceilings)));
}

}  // namespace vox
