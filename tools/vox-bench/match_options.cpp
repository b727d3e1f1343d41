#include "tools/vox-bench/match_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/keyed/key_table.h"
#include "tools/common/device_options.h"
#include "tools/common/option_table.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/axes.h"
#include "tools/vox-bench/parsed_command.h"

namespace vox {
namespace {

using MatchBench = measure::MatchBenchOptions;
using measure::PicturePairOptions;

constexpr const char* kAboutMatch =
    R"(Finds a picture, the query, in another one, the reference, where it is turned, scaled and shifted, by geometric
hashing (Alcantara et al. 2009, §6); and measures how long that takes with tables of voxel keys, as their Table 1
does for hashing and binary search.

Feature points are pixels where an edge turns. A pair of them, a basis, has coordinates for all other points. A table
leads from coordinates to those bases of the reference that have a point there; every basis of the query looks up its
points, and each basis that it finds gets a vote. The pairs of bases with the most votes each say how the query lies
in the reference; the points that then fall on each other say it better. Where too few do, the answer is "match: none".

For each table: the map from coordinates to bases (items, different keys, values of a key), and the milliseconds that
take building it, building the index of bases, and voting. All tables find the same; every time is the median of
the repetitions after one that does not count.

Without files a pair of pictures is made of which it is known how one lies in the other.

Examples:
  vox-bench match detail.png photo.png --overlay found.png
  vox-bench match --seed 7 --clutter 50 --html match.html
  vox-bench match --tables all --query-bases 4096 --csv table1.csv
)";

std::string range_text(const char* what, uint32_t low, uint32_t high, uint32_t usual) {
  return fmt::format("{}, {} to {} (default: {})", what, format_count(low), format_count(high),
                     format_count(usual));
}

void describe_matching(cxxopts::Options& options) {
  const MatchBench preset;
  auto text = [] { return cxxopts::value<std::string>(); };
  auto add = options.add_options("Matching");
  add("tables",
      fmt::format("Tables, or all: {} (default: {})", fmt::join(hash::key_table_names(), ","),
                  fmt::join(preset.tables, ",")),
      text(), "NAMES");
  add("points",
      range_text("Feature points of each picture at most", MatchBench::kFewestPoints,
                 measure::kMostFeaturePoints, preset.points),
      text(), "N");
  add("bases", range_text("Bases of the reference at most", 1, MatchBench::kMostBases, preset.bases), text(),
      "N");
  add("query-bases", range_text("Bases of the query at most", 1, MatchBench::kMostBases, preset.query_bases),
      text(), "N");
  add("cells",
      range_text("Cells that the points of a basis are apart: more tell points apart, fewer forgive errors",
                 MatchBench::kFewestCells, measure::BasisFrame::kMostCells, preset.cells),
      text(), "N");
  add("edge-step",
      range_text("Grey levels from pixel to pixel, from which on there is an edge", 1, 255, preset.step),
      text(), "N");
  add("least-share",
      range_text("Per cent of the query's points that have to fall on the reference's", 1, 100,
                 preset.least_percent),
      text(), "N");
  add("repetitions",
      range_text("Of everything that is timed", 1, MatchBench::kMostRepetitions, preset.repetitions), text(),
      "N");
  add("seed",
      fmt::format("Decides which pairs of points are bases, and what is generated (default: {})",
                  preset.seed),
      text(), "N");
}

cxxopts::Options describe_match() {
  const PicturePairOptions preset;
  cxxopts::Options options("vox-bench match", kAboutMatch);
  options.custom_help("[QUERY REFERENCE] [options]").positional_help("").set_width(100);
  auto text = [] { return cxxopts::value<std::string>(); };
  describe_matching(options);
  auto add = options.add_options("Generated pictures");
  add("side",
      range_text("Pixels a side of the reference; the query has three quarters",
                 PicturePairOptions::kLeastSide, PicturePairOptions::kMostSide, preset.side),
      text(), "N");
  add("clutter",
      range_text("Things before the query, per cent of those that it shows of the reference", 0,
                 PicturePairOptions::kMostClutter, preset.clutter),
      text(), "N");
  add("noise",
      range_text("Grey levels by which a pixel may be wrong", 0, PicturePairOptions::kMostNoise,
                 preset.noise),
      text(), "N");
  options.add_options("Picture")(
      "overlay", "Write the reference in grey with the edges of the query in colour, where it was found",
      text(), "FILE.png");
  add_result_options(options);
  add_device_options(options);
  add_common_options(options);
  options.add_options("Input")("query", "", text(), "FILE")("reference", "", text(), "FILE");
  options.parse_positional({"query", "reference"});
  return options;
}

// The number of an option, or the one that is usual.
uint32_t number_of(const cxxopts::ParseResult& parsed, const char* option, uint32_t usual) {
  const auto value = given(parsed, option);
  return value ? parse_number_of(*value, fmt::format("--{}", option)) : usual;
}

MatchBench read_match_bench(const cxxopts::ParseResult& parsed) {
  MatchBench options;
  if (const auto value = given(parsed, "tables"))
    options.tables = *value == "all" ? hash::key_table_names() : parse_names(*value, "--tables");
  options.points = number_of(parsed, "points", options.points);
  options.bases = number_of(parsed, "bases", options.bases);
  options.query_bases = number_of(parsed, "query-bases", options.query_bases);
  options.cells = number_of(parsed, "cells", options.cells);
  options.step = number_of(parsed, "edge-step", options.step);
  options.least_percent = number_of(parsed, "least-share", options.least_percent);
  options.repetitions = number_of(parsed, "repetitions", options.repetitions);
  if (const auto value = given(parsed, "seed")) options.seed = parse_count(*value, "--seed");
  measure::check(options);
  return options;
}

PicturePairOptions read_pair(const cxxopts::ParseResult& parsed, uint64_t seed) {
  PicturePairOptions options = {.seed = seed};
  options.side = number_of(parsed, "side", options.side);
  options.clutter = number_of(parsed, "clutter", options.clutter);
  options.noise = number_of(parsed, "noise", options.noise);
  measure::check(options);
  return options;
}

std::optional<PictureFiles> read_files(const cxxopts::ParseResult& parsed) {
  const auto query = given(parsed, "query"), reference = given(parsed, "reference");
  if (query && !reference)
    throw UsageError("one picture is named, expected the query and the reference, or none");
  if (!query) return std::nullopt;
  return PictureFiles{*query, *reference};
}

void check_given(const std::vector<std::string>& given, const MatchCommand& command) {
  enum : uint32_t { kGenerated = 1 };
  static constexpr const char* kOfGenerated = "it is for generated ones";
  static constexpr OptionRow kTable[] = {{"side", kGenerated, kOfGenerated},
                                         {"clutter", kGenerated, kOfGenerated},
                                         {"noise", kGenerated, kOfGenerated}};
  RunTraits run = {.bits = 0, .what = "pictures of files"};
  if (!command.pictures) run.bits |= kGenerated;
  check_options(given, kTable, run);
}

}  // namespace

MatchCommand parse_match_command(int argc, char** argv) {
  return parsed_command(
      describe_match(), {"Matching", "Generated pictures", "Picture", "Results", "Device"}, argc, argv,
      [](const cxxopts::ParseResult& parsed, const std::vector<std::string>& given_options) {
        MatchCommand command;
        command.pictures = read_files(parsed);
        command.bench = read_match_bench(parsed);
        command.pair = read_pair(parsed, command.bench.seed);
        check_given(given_options, command);
        command.overlay = given(parsed, "overlay");
        return command;
      });
}

}  // namespace vox
