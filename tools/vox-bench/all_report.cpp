// The results of vox-bench all.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/common/reports.h"
#include "tools/vox-bench/all_parts.h"
#include "tools/vox-bench/columns.h"
#include "tools/vox-bench/reports.h"

namespace vox {
namespace {

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
  table.column("part", "", rows, &PublishedRow::part, both({"part"}))
      .about("Name of the part that measures the figure.")
      .column("paper", "", rows, &PublishedRow::paper)
      .about("The paper that states the figure; empty if `where` names it.")
      .column("where", "", rows, &PublishedRow::where, both({"figure", Look::words()}))
      .about("The place in the paper, and what the figure is of.")
      .column("published", "as `unit` says", rows, &PublishedRow::published)
      .about("The published figure.")
      .column(
          for_people(), "", rows, [&](const PublishedRow& row) { return shown(row.published); },
          both({"published"}))
      .column("here", "as `unit` says", rows, &PublishedRow::here)
      .about("The same, measured here; absent if the part has failed.")
      .column(
          for_people(), "", rows, [&](const PublishedRow& row) { return shown(row.here); }, both({"here"}))
      .column("unit", "", rows, &PublishedRow::unit, both({"unit"}))
      .about("Unit of both figures.")
      .column("times", "1", rows, times, both({"times", Look::fixed(2)}))
      .about("The figure measured here divided by the published one.")
      .column("machine", "", rows, &PublishedRow::machine, {.page = {"machine", Look::words()}})
      .about("The machine of the paper; `any` for sizes, which do not depend on it.");
  return table;
}

ResultTable parts_table(const std::vector<PartOfAll>& parts) {
  ResultTable table;
  table.column("part", "", parts, &PartOfAll::name, both({"part"}))
      .about("Name of a part, which is also that of the group or object with its results.")
      .column("command", "", parts, &PartOfAll::command,
              {.screen = {"command"}, .page = {"command", Look::words()}})
      .about("The command that repeats the part, without the options of the device.")
      .column("ms", "ms", parts, [](const PartOfAll& part) { return part.seconds * 1e3; })
      .about("Time of the whole part.")
      .column(for_people(), "s", parts, &PartOfAll::seconds, both({"seconds", Look::fixed(1)}))
      .column(for_people(), "", parts, outcome_of, {.page = {"outcome", Look::words()}})
      .column("error", "", parts, &PartOfAll::error)
      .about("The reason if the part has failed or was interrupted, otherwise empty.");
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

ResultGroup results_of(const AllRun& run) {
  ResultGroup results;
  set_run(results, run);
  ResultGroup& group = results.group({".", "all"});
  group.set("scale", run.result.scale)
      .about("`small` or `full`: the sizes that were measured.")
      .set("failed", run.result.failed(), "parts")
      .about("Number of parts that have failed.")
      .set("interrupted", run.result.interrupted())
      .about("True if the benchmark was interrupted, so that parts are missing.");
  set_seconds(group, run.result.seconds);
  group.put("rows", rows_table(run));
  group.put("published", published_table(run.result.published));
  for (const PartOfAll& part : run.result.parts)
    if (part.report) results.group(listed_as("PART", part.name)) = part.report->results;
  return results;
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
            "the "
            "column machine names the paper's, and docs/papers.md says what else is not the same.")
        .table("Published figures", page_table(published_table(run.result.published)));
  page.section("Not on this page")
      .paragraph("Other programs make these tables and figures, or need files that are not generated.")
      .table("Commands", others_table());
  for (const PartOfAll& part : run.result.parts) page.chapter(page_of_part(run, part), part.name);
  set_run(page, run);
  return page;
}

}  // namespace vox
