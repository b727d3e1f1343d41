#include "tools/vox-bench/reports.h"

#include <fmt/format.h>

#include "formats/results/views.h"
#include "libvox/base/units.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

using MatchRow = measure::MatchBenchRow;
using measure::PictureFeatures;

std::string features_text(const std::string& name, const PictureFeatures& found) {
  return fmt::format("{}, {} x {} pixels: {}, {}, {}", name, found.width, found.height,
                     format_count(found.edge_points, "edge point"),
                     format_count(found.points, "feature point"), format_count(found.bases) + " bases");
}

// "turned by 12.34°, scaled by 0.9876, shifted by 12.30, -4.50 pixels", or "none".
std::string match_text(const measure::MatchedQuery& result) {
  if (!result.match)
    return fmt::format("none (at most {} for a pair of bases)", format_count(result.most_votes, "vote"));
  const match::PictureMatch& match = *result.match;
  return fmt::format(
      "turned by {:.3f}°, scaled by {:.5f}, shifted by {:.2f}, {:.2f} pixels; {}, {} of the query's points "
      "fall on points of the reference",
      match.similarity.degrees(), match.similarity.scale(), match.similarity.shift.x,
      match.similarity.shift.y, format_count(match.votes, "vote"), format_percent(result.share()));
}

HtmlPage::Facts facts_of(const MatchRun& run) {
  const measure::MatchedQuery& first = run.result.queries.front();
  HtmlPage::Facts facts = {{"query", features_text(run.queries.front(), first.features)},
                           {"reference", features_text(run.reference, run.result.reference)},
                           {"match", match_text(first)}};
  if (const auto off = run.off(0))
    facts.emplace_back("off", fmt::format("{:.3f} pixels at most, at the corners of the query", *off));
  return facts;
}

void set_features(ResultGroup& group, const std::string& name, const PictureFeatures& found) {
  group.set("file", name, "Name of the picture.")
      .set("width", found.width, "pixels", "Width of the picture.")
      .set("height", found.height, "pixels", "Height of the picture.")
      .set("edge_points", found.edge_points, "points", "Number of pixels on edges.")
      .set("points", found.points, "points",
           "Number of feature points, where an edge turns; at most `--points`.")
      .set("bases", found.bases, "bases", "Number of pairs of points that were chosen as bases.");
}

// A bar for each table, of its three parts.
Chart times_chart(const ResultRows& rows) {
  BarChart chart = {
      .title = "Time of a match",
      .description = "For each table how long it takes to build the map and the index, and to vote",
      .unit = "ms",
      .bars = BarChart::Bars::EndToEnd,
      .series = {{"map", {}}, {"index", {}}, {"votes", {}}}};
  add_bars(chart, rows_with_value(rows, "ms"), text_in("table"), {"map_ms", "index_ms", "vote_ms"}, 1,
           [](const ResultRow& row) { return row.text("ms", Look::fixed(2)); });
  return draw(chart);
}

ResultTable queries_table(const MatchRun& run) {
  struct Row {
    std::string file;
    const measure::MatchedQuery* query;
    std::optional<double> off;
  };
  std::vector<Row> rows;
  for (size_t i = 0; i < run.queries.size(); ++i)
    rows.push_back({run.queries[i], &run.result.queries.at(i), run.off(i)});
  ResultTable table;
  table.column("file", "", rows, &Row::file, both({"query"}), "Name of the picture.")
      .column(
          "points", "points", rows, [](const Row& row) { return row.query->features.points; },
          both({"points", Look::count()}), "Number of feature points.")
      .column(
          "bases", "bases", rows, [](const Row& row) { return row.query->features.bases; },
          both({"bases", Look::count()}), "Number of pairs of points that were chosen as bases.")
      .column(
          "most_votes", "votes", rows, [](const Row& row) { return row.query->most_votes; },
          both({"votes", Look::count()}), "Greatest number of votes for a pair of bases.")
      .column(
          "matched", "", rows, [](const Row& row) { return row.query->match ? "yes" : "no"; },
          both({"found"}), "`yes` if the query was found, otherwise `no`.")
      .column(
          "share", "1", rows, [](const Row& row) { return row.query->share(); },
          both({"share", Look::fixed(3)}),
          "Share of the query's points that fall on points of the reference.");
  add_optional(
      table, "off", "pixels", rows, [](const Row& row) { return row.off; }, both({"off", Look::fixed(3)}),
      "Greatest distance from the known place at a corner of the query, for generated pictures.");
  return table;
}

}  // namespace

std::optional<double> MatchRun::off(size_t query) const {
  const measure::MatchedQuery& found = result.queries.at(query);
  if (known.empty() || !found.match) return std::nullopt;
  return match::greatest_distance(known[query], found.match->similarity, found.features.width,
                                  found.features.height);
}

ResultTable rows_table(const MatchRun& run) {
  const std::vector<MatchRow>& rows = run.result.rows;
  const Look ms = Look::fixed(2);
  ResultTable table;
  table
      .column("table", "", rows, &MatchRow::table, both({"table"}),
              "Name of the table of voxel keys, as for `--tables`.")
      .column("items", "items", rows, &MatchRow::items, both({"items", Look::count()}),
              "Number of items of the map: a point of the reference and a basis.")
      .column("keys", "keys", rows, &MatchRow::keys, both({"keys", Look::count()}),
              "Number of different coordinates.")
      .column("mean_values", "values per key", rows, &MatchRow::mean_values,
              both({"values a key", Look::fixed(1)}), "Mean number of values of a key.")
      .column("most_values", "values", rows, &MatchRow::most_values, both({"most", Look::count()}),
              "Greatest number of values of a key.")
      .column("votes", "votes", rows, &MatchRow::votes, both({"votes", Look::count()}),
              "Number of votes that were cast, for all queries.")
      .column("bytes", "bytes", rows, &MatchRow::bytes, both({"MiB", Look::mib()}),
              "Size of the map and of the index of the reference's bases.")
      .column("map_ms", "ms", rows, in_ms(&MatchRow::map_time), both({"map ms", ms}),
              "Median time of building the map, if the table could be built.")
      .column("index_ms", "ms", rows, in_ms(&MatchRow::index_time), both({"index ms", ms}),
              "Median time of building the index.")
      .column("vote_ms", "ms", rows, in_ms(&MatchRow::vote_time), both({"vote ms", ms}),
              "Median time of voting for a query: the mean of all queries.")
      .column(for_people(), "ms", rows, in_ms(&MatchRow::time),
              both({"all ms", ms, "", Heading::Weight::Total}));
  add_times(table, rows);
  table.column("repetitions", "", rows, &MatchRow::repetitions, "Number of repetitions.")
      .column("error", "", rows, &MatchRow::error,
              "The reason if there are no times or the votes differ; otherwise empty.");
  return table;
}

void set_results(ResultGroup& group, const MatchRun& run) {
  const measure::MatchedQuery& result = run.result.queries.front();
  set_features(group.group("query"), run.queries.front(), result.features);
  set_features(group.group("reference"), run.reference, run.result.reference);
  group
      .set("matched", result.match.has_value(),
           "True if the query was found: the first one, if there are several, as all down to `off`.")
      .set("most_votes", result.most_votes, "votes", "Greatest number of votes for a pair of bases.");
  if (result.match) {
    const match::PictureMatch& match = *result.match;
    group
        .set("turn", match.similarity.degrees(), "degrees",
             "Rotation of the query in the reference, clockwise; only with a match.")
        .set("scale", match.similarity.scale(), "1",
             "Number of pixels of the reference for a pixel of the query.")
        .set("shift", std::vector<double>{match.similarity.shift.x, match.similarity.shift.y}, "pixels",
             "Place of the query's first pixel in the reference, x and y.")
        .set("votes", match.votes, "votes",
             "Number of votes for the pair of bases by which the match was found.")
        .set("points", match.points, "points",
             "Number of the query's points that fall on points of the reference.")
        .set("share", result.share(), "1", "Share of these in the query's points.");
  }
  if (const auto off = run.off(0))
    group.set("off", *off, "pixels",
              "Greatest distance from the known place at a corner of the query, for generated pictures.");
  set_seconds(group, run.result.seconds);
  group.put("queries", queries_table(run));
  group.put("rows", rows_table(run));
}

std::string table_text(const MatchRun& run) {
  std::string text = run.device_text + "\n";
  for (const auto& [name, fact] : facts_of(run)) text += fmt::format("{:<10} {}\n", name + ":", fact);
  const ResultTable rows = rows_table(run);
  text += "\n" + text_table(rows).text();
  if (run.queries.size() > 1) text += "\n" + text_table(queries_table(run)).text();
  for (const ResultRow& row : rows_with_errors(rows_of(rows)))
    text += fmt::format("  {}: {}\n", row.word("table"), row.word("error"));
  return text;
}

HtmlPage page_of(const MatchRun& run) {
  HtmlPage page(fmt::format("{} in {}", run.queries.front(), run.reference),
                fmt::format("Matched on {} in {}.", run.device_text, format_seconds(run.result.seconds)));
  page.section("Match").facts(facts_of(run));
  if (!run.overlay.pixels.empty())
    page.picture(run.overlay, run.result.queries.front().match
                                  ? "The reference, with the edges of the query where it was found."
                                  : "The reference, in which the query was not found.");
  const ResultTable rows = rows_table(run);
  page.section("Tables").figure("Time of a match", "Median of the repetitions; shorter is better.",
                                times_chart(rows_of(rows)), page_table(rows));
  if (run.queries.size() > 1) page.section("Queries").table("All queries", page_table(queries_table(run)));
  return page;
}

}  // namespace vox
