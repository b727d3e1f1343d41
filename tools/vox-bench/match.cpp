#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <string>

#include "formats/images/image.h"
#include "formats/results/views.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/match/similarity.h"
#include "libvox/measure/match_bench.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
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

// The command vox-bench match.

namespace {

struct PictureFiles {
  std::vector<std::filesystem::path> queries;
  std::filesystem::path reference;
};

struct MatchCommand : BenchCommand {
  measure::MatchBenchOptions bench;  // but for the pictures
  std::optional<PictureFiles> pictures;
  match::PicturePairOptions pair;  // where no files are named
  uint32_t frames = 1;             // the number of generated queries
  std::optional<std::filesystem::path> overlay;
};

using MatchBench = measure::MatchBenchOptions;
using match::PicturePairOptions;

enum MatchTrait : uint32_t { kGeneratedPair = 1 };

constexpr uint32_t kMostFrames = 1000;

constexpr OptionRule kGeneratedRule = {kGeneratedPair, "it is for generated ones"};

constexpr const char* kAboutMatch =
    R"(The query may be turned, scaled and shifted in the reference. Times are measured with tables of voxel keys, as
their Table 1 does for hashing and binary search.

Feature points are pixels where an edge turns. A pair of them, a basis, gives coordinates to all other points. A table
leads from coordinates to those bases of the reference that have a point there; every basis of the query looks up its
points, and each basis that it finds gets a vote. Each of the pairs of bases with the most votes shows how the query
may lie in the reference; the points that then fall on each other make this more precise. If too few do, the answer is
"match: none".

For each table, the program shows the map from coordinates to bases (items, different keys, values of a key), and the
milliseconds of building it, building the index of bases, and voting. All tables find the same; every time is the
median of the repetitions after a first one that is not counted.

All pictures but the last are queries, for example the frames of a video. The map and the index are built once, and the
time of voting is the mean of the queries; the program shows for each of them whether it was found.

Without files, a pair of pictures is generated for which it is known how one lies in the other.
)";

Option ranged(std::string name, OptionRange range, uint32_t usual, std::string help,
              std::vector<OptionRule> rules = {}) {
  return {.name = std::move(name),
          .argument = "N",
          .preset = std::to_string(usual),
          .range = range,
          .rules = std::move(rules),
          .help = std::move(help)};
}

OptionTopic match_matching() {
  const MatchBench preset;
  Option step = ranged("edge-step", {1, 255}, preset.step,
                       "Smallest difference in gray levels from pixel to pixel that is an edge.");
  step.setting = "step";
  return {
      .name = "matching",
      .title = "matching",
      .options = {
          names_option("tables", with_all(hash::key_table_names()), joined(preset.tables),
                       "Measure these tables."),
          ranged("points", {MatchBench::kFewestPoints, match::kMostFeaturePoints}, preset.points,
                 "Largest number of feature points of each picture."),
          ranged("bases", {1, MatchBench::kMostBases}, preset.bases,
                 "Largest number of bases of the reference."),
          ranged("query-bases", {1, MatchBench::kMostBases}, preset.query_bases,
                 "Largest number of bases of the query."),
          ranged("cells", {MatchBench::kFewestCells, match::BasisFrame::kMostCells}, preset.cells,
                 "Number of cells between the two points of a basis. More cells tell points apart, fewer "
                 "forgive errors."),
          step,
          ranged("least-share", {1, 100}, preset.least_percent,
                 "Share of the query's points, in per cent, that must fall on points of the reference."),
          repetitions_option({1, MatchBench::kMostRepetitions}, std::to_string(preset.repetitions)),
          {.name = "seed",
           .argument = "N",
           .preset = std::to_string(preset.seed),
           .help = "Another seed chooses other pairs of points as bases, and generates other pictures."}}};
}

OptionTopic match_pictures() {
  const PicturePairOptions preset;
  return {
      .name = "pictures",
      .title = "pictures",
      .options = {ranged("side", {PicturePairOptions::kLeastSide, PicturePairOptions::kMostSide}, preset.side,
                         "Side of the generated reference in pixels; the query has three quarters of it.",
                         {kGeneratedRule}),
                  ranged("clutter", {0, PicturePairOptions::kMostClutter}, preset.clutter,
                         "Number of things in front of the generated query, in per cent of the things that "
                         "it shows of the reference.",
                         {kGeneratedRule}),
                  ranged("noise", {0, PicturePairOptions::kMostNoise}, preset.noise,
                         "Largest error of a generated pixel in gray levels.", {kGeneratedRule}),
                  ranged("frames", {1, kMostFrames}, 1, "Number of generated queries in one reference.",
                         {kGeneratedRule}),
                  plain_option("overlay", "FILE.png", "",
                               "Write the reference in gray with the edges of the query in color, where it "
                               "was found; with several queries, the first one.")}};
}

MatchBench read_match_bench(const CommandLine& arguments) {
  MatchBench options;
  options.tables = arguments.text("tables") == "all" ? hash::key_table_names() : arguments.names("tables");
  options.points = arguments.whole("points");
  options.bases = arguments.whole("bases");
  options.query_bases = arguments.whole("query-bases");
  options.cells = arguments.whole("cells");
  options.step = arguments.whole("edge-step");
  options.least_percent = arguments.whole("least-share");
  if (arguments.has("repetitions")) options.repetitions = arguments.whole("repetitions");
  options.seed = arguments.count("seed");
  measure::check(options);
  return options;
}

PicturePairOptions read_pair(const CommandLine& arguments, uint64_t seed) {
  PicturePairOptions options = {.seed = seed};
  options.side = arguments.whole("side");
  options.clutter = arguments.whole("clutter");
  options.noise = arguments.whole("noise");
  match::check(options);
  return options;
}

std::optional<PictureFiles> read_files(const CommandLine& arguments) {
  std::vector<std::filesystem::path> pictures = arguments.paths("pictures");
  if (pictures.empty()) return std::nullopt;
  if (pictures.size() == 1)
    throw UsageError("one picture is named, expected queries and the reference, or none");
  for (const std::filesystem::path& picture : pictures) check_exists(picture);
  const std::filesystem::path reference = std::move(pictures.back());
  pictures.pop_back();
  return PictureFiles{std::move(pictures), reference};
}

MatchCommand read_match_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    MatchCommand command;
    command.pictures = read_files(given);
    command.bench = read_match_bench(given);
    command.pair = read_pair(given, command.bench.seed);
    check_effects(given.given_options(), {command.pictures ? 0u : kGeneratedPair, "pictures of files"});
    command.frames = given.whole("frames");
    command.overlay = given.given("overlay");
    return command;
  });
}

// Reads the pictures, or makes them. Returns what brings each query onto the reference, if that is known.
std::vector<match::Similarity> fetch_pictures(const MatchCommand& command,
                                              measure::MatchBenchOptions& bench) {
  std::vector<match::Similarity> known;
  if (command.pictures) {
    for (const std::filesystem::path& query : command.pictures->queries)
      bench.queries.push_back(read_image(query));
    bench.reference = read_image(command.pictures->reference);
    return known;
  }
  match::PicturePairOptions options = command.pair;
  for (options.frame = 0; options.frame < command.frames; ++options.frame) {
    match::PicturePair pair = match::make_picture_pair(options);
    bench.queries.push_back(std::move(pair.query));
    bench.reference = std::move(pair.reference);
    known.push_back(pair.known);
  }
  return known;
}

scene::Image overlay_of(const measure::MatchBenchOptions& bench, const measure::MatchBenchResult& result) {
  std::optional<match::Similarity> similarity;
  if (result.queries.front().match) similarity = result.queries.front().match->similarity;
  return match::overlay_of(match::gray_of(bench.queries.front()), match::gray_of(bench.reference), bench.step,
                           similarity);
}

// The measurements are written before this: they show which table is wrong.
void throw_if_not_alike(const measure::MatchBenchResult& result) {
  for (const measure::MatchBenchRow& row : result.rows)
    if (row.time && !row.error.empty()) throw Error(row.table + ": " + row.error);
}

}  // namespace

ToolDescription match_bench_description() {
  return {.program = "vox-bench match",
          .usage = "[QUERY... REFERENCE] [options]",
          .about =
              "Finds a picture, the query, in another one, the reference, by geometric hashing (Alcantara et "
              "al. 2009, §6), and measures how long that takes.\n",
          .examples = {"vox-bench match detail.png photo.png --overlay found.png",
                       "vox-bench match frames/*.png photo.png --query-bases 4096   the frames of a video",
                       "vox-bench match --seed 7 --clutter 50 --html match.html",
                       "vox-bench match --tables all --query-bases 4096 --csv table1.csv"},
          .basics = {"tables", "points", "bases", "query-bases", "least-share", "overlay", "repetitions",
                     "output", "html", "device"},
          .more = kAboutMatch,
          .topics = {match_matching(), match_pictures(), result_topic(), device_topic(), general_topic()},
          .operands = {{.name = "pictures",
                        .argument = "FILE",
                        .repeats = Repeats::Yes,
                        .help = "The pictures to find, and last the picture to search."}}};
}

void run_match(const CommandLine& arguments, const ReportSink& sink) {
  MatchCommand command = read_match_command(arguments);
  check_targets(command.files, {{"--overlay", command.overlay}});
  if (command.overlay) check_writable(*command.overlay, OutputKind::Picture, command.files.overwrite);
  const std::vector<match::Similarity> known = fetch_pictures(command, command.bench);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  log_info("{} x {} pixels in {} x {}, on {}", command.bench.queries.front().width,
           command.bench.queries.front().height, command.bench.reference.width,
           command.bench.reference.height, engine->device_text());
  std::vector<std::string> names;
  for (const scene::Image& query : command.bench.queries) names.push_back(query.name);
  MatchRun run = {run_on(*engine, command.command),
                  measure::bench_match(*engine, command.bench),
                  known,
                  names,
                  command.bench.reference.name,
                  {}};
  if (command.overlay || command.files.html) run.overlay = overlay_of(command.bench, run.result);
  report(command, run, engine->profile(), sink);
  if (command.overlay)
    write_png(run.overlay, {{"Software", generator_text()}, {"Command", command.command}}, *command.overlay);
  throw_if_not_alike(run.result);
}

}  // namespace vox
