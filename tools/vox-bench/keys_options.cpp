#include "tools/vox-bench/keys_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/measure/key_figures.h"
#include "libvox/measure/measured_tables.h"
#include "tools/common/device_options.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/axes.h"
#include "tools/vox-bench/parsed_command.h"

namespace vox {
namespace {

using Bench = measure::KeysBenchOptions;
using measure::KeyOp;
using measure::KeySetKind;

constexpr const char* kAboutKeys =
    R"(Measures tables of voxel keys as the papers about them do (Alcantara et al. 2009, §5; García et al. 2011, §4).

For every set of keys, layout, load factor and table: builds the table of the keys in random order and in their
own, searches it for random keys of which a given share is stored, and for all keys of a picture or around a
surface in their order, stored or not. Every time is the median of the repetitions after one that does not count,
and everything that a search finds is checked. Random reads, measured first, say what the memory could do. A table
that cannot be built is a row that says why.

Sets: random numbers; pixels that lie at random in a square; an image, of which all pixels are stored that are
not white; the voxels of a bumpy surface; the texels of an atlas that someone has painted.
What is built: build, build-ordered. What is searched: find-stored (only stored keys, which a table may rely
on), find (of --hit-rates), find-all, find-view (what a picture shows: slices through the surface at random
orientations, a model with the painted atlas). How old keys are, without a time: ages. Of random keys with
several values each: build-multi and find-multi, the runs of values of a key; build-index and find-index, numbers
for the different keys.

Examples:
  vox-bench keys                                      all tables, at two load factors
  vox-bench keys --figure 7 --html figure7.html       retrieval over load factors
  vox-bench keys --image fish.png --rebuilt back.png  a picture, stored and read back
  vox-bench keys --figure 4 --ages ages.png           maximum ages, random and coherent
  vox-bench keys --failures 25000 --load-factors 0.9,0.99 --scale 1/1024
)";

// "5: numbers of keys; 6: …".
std::string figures_text() {
  std::string text;
  for (const measure::KeyFigure& figure : measure::key_figures())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", figure.name, figure.about);
  return text;
}

std::string known_names(const auto& values, const auto& known) {
  std::string text;
  for (const auto value : values)
    text += (text.empty() ? "" : ",") + std::string(known[static_cast<size_t>(value)]);
  return text;
}

void describe_axes(cxxopts::Options& options) {
  const Bench preset;
  auto text = [] { return cxxopts::value<std::string>(); };
  auto add = options.add_options("Axes");
  add("tables", fmt::format("Tables (default: all: {})", fmt::join(measure::measured_tables(), ",")), text(),
      "NAMES");
  add("sets",
      fmt::format("Sets of keys: {} (default: {})", fmt::join(measure::kKeySetNames, ","),
                  known_names(preset.sets, measure::kKeySetNames)),
      text(), "NAMES");
  add("layouts",
      fmt::format("Keys of pixels and voxels: {} (default: {})", fmt::join(hash::kKeyLayoutNames, ","),
                  known_names(preset.layouts, hash::kKeyLayoutNames)),
      text(), "NAMES");
  add("load-factors",
      fmt::format("Keys for each cell, above 0 to 1 (default: {})", fmt::join(preset.load_factors, ",")),
      text(), "LIST");
  add("key-bits",
      fmt::format(
          "Bits of a key, {} to 64; with the value they make cells of 32 bits where they fit, else of 64 "
          "(default: {})",
          Bench::kFewestKeyBits, axis_text(preset.key_bits)),
      text(), "LIST");
  add("value-bits", fmt::format("Bits of a value, 0 to 31 (default: {})", preset.value_bits), text(), "N");
  add("ops",
      fmt::format("What is measured: {} (default: {})", fmt::join(measure::kKeyOpNames, ","),
                  known_names(preset.ops, measure::kKeyOpNames)),
      text(), "NAMES");
  add("hit-rates",
      fmt::format("Per cent of the keys of find that are stored (default: {})", axis_text(preset.hit_rates)),
      text(), "LIST");
  add("multiplicities",
      fmt::format("Values of a key, of build-multi to find-index, 1 to {} (default: {})",
                  format_count(Bench::kMostMultiplicity), axis_text(preset.multiplicities)),
      text(), "LIST");
  add("figure",
      "Other defaults, of a figure of García et al. 2011 or, behind an a, Alcantara et al. 2009: " +
          figures_text(),
      text(), "NAME");
  add("failures", "Count failures of so many builds of random keys, for each table and load factor, too",
      text(), "N");
  add("failure-keys",
      fmt::format("Keys of each of these builds (default: {})", format_count(Bench::kFailureKeys)), text(),
      "N");
}

void describe_sizes(cxxopts::Options& options) {
  auto text = [] { return cxxopts::value<std::string>(); };
  auto add = options.add_options("Size");
  add("scale",
      fmt::format("Of keys and searches (default: {} on a GPU, {} on the CPU)", scale_text(Bench::kGpuScale),
                  scale_text(Bench::kCpuScale)),
      text(), "S");
  add("keys",
      fmt::format(
          "Keys of a table, or items where keys have several values; shapes have about as many, pixels a "
          "sixteenth (default: {} times the scale)",
          format_count(Bench::kKeys)),
      text(), "LIST");
  add("searches",
      fmt::format("Keys to search at once (default: {} times the scale)", format_count(Bench::kSearches)),
      text(), "N");
  add("repetitions",
      fmt::format("Of everything that is timed, {} to {} (default: {})", Bench::kFewestRepetitions,
                  Bench::kMostRepetitions, Bench().repetitions),
      text(), "N");
}

cxxopts::Options describe() {
  cxxopts::Options options("vox-bench keys", kAboutKeys);
  options.custom_help("[options]").positional_help("").set_width(100);
  auto path = [] { return cxxopts::value<std::string>(); };
  describe_axes(options);
  describe_sizes(options);
  options.add_options("Picture")("image", "The picture of the set image, instead of discs and strokes",
                                 path(), "FILE")(
      "rebuilt",
      "Write the picture as the first table gives it back; other defaults: --value-bits 24 --key-bits 40",
      path(), "FILE.png")("ages",
                          "Draw the maximum ages of the tables that have them, side by side, of the first "
                          "set: 0 black, 1 blue, 2 "
                          "green, 3 yellow, more red",
                          path(), "FILE.png");
  add_result_options(options);
  add_device_options(options);
  add_common_options(options);
  return options;
}

Bench preset_of(const cxxopts::ParseResult& parsed) {
  const auto figure = given(parsed, "figure");
  Bench options = figure ? measure::key_figure(*figure) : Bench();
  if (!figure && parsed.count("rebuilt")) {
    options.value_bits = 24;
    options.key_bits = {40};
  }
  options.rebuild = parsed.count("rebuilt") > 0;
  options.draw_ages |= parsed.count("ages") > 0;
  return options;
}

void read_axes(const cxxopts::ParseResult& parsed, Bench& options) {
  if (const auto value = given(parsed, "tables"); value && *value != "all")
    options.tables = parse_names(*value, "--tables");
  if (const auto value = given(parsed, "sets"))
    options.sets = parse_choices<KeySetKind>(*value, "--sets", measure::kKeySetNames);
  if (const auto value = given(parsed, "layouts"))
    options.layouts = parse_choices<hash::KeyLayout>(*value, "--layouts", hash::kKeyLayoutNames);
  if (const auto value = given(parsed, "ops"))
    options.ops = parse_choices<KeyOp>(*value, "--ops", measure::kKeyOpNames);
  if (const auto value = given(parsed, "load-factors"))
    options.load_factors = parse_fractions(*value, "--load-factors");
  if (const auto value = given(parsed, "key-bits")) options.key_bits = parse_axis(*value, "--key-bits");
  if (const auto value = given(parsed, "value-bits"))
    options.value_bits = parse_number_of(*value, "--value-bits");
  if (const auto value = given(parsed, "hit-rates")) options.hit_rates = parse_axis(*value, "--hit-rates");
  if (const auto value = given(parsed, "multiplicities"))
    options.multiplicities = parse_axis(*value, "--multiplicities");
}

Bench read_bench(const cxxopts::ParseResult& parsed) {
  Bench options = preset_of(parsed);
  read_axes(parsed, options);
  if (const auto value = given(parsed, "failures"))
    options.failure_builds = parse_count(*value, "--failures");
  if (const auto value = given(parsed, "failure-keys"))
    options.failure_keys = parse_count(*value, "--failure-keys");
  if (const auto value = given(parsed, "scale")) options.scale = parse_scale(*value, "--scale");
  if (const auto value = given(parsed, "keys")) options.keys = parse_counts(*value, "--keys");
  if (const auto value = given(parsed, "searches")) options.searches = parse_count(*value, "--searches");
  if (const auto value = given(parsed, "repetitions"))
    options.repetitions = parse_number_of(*value, "--repetitions");
  measure::check(options);
  return options;
}

bool has(const auto& values, const auto& value) {
  return std::ranges::find(values, value) != values.end();
}

// Refuses options that have no effect on what is measured.
void check_effects(const cxxopts::ParseResult& parsed, const Bench& bench) {
  const auto refuse = [&](const char* option, bool has_effect, const char* why) {
    if (parsed.count(option) > 0 && !has_effect)
      throw UsageError(fmt::format("--{} has no effect {}", option, why));
  };
  const auto asks_for = [&](KeyOp op) { return measure::is_asked_for(bench, op); };
  const bool shapes =
      std::ranges::any_of(bench.sets, [](KeySetKind set) { return set != KeySetKind::Random; });
  const bool image = has(bench.sets, KeySetKind::Image);
  const bool views = has(bench.sets, KeySetKind::Surface) || has(bench.sets, KeySetKind::Painted);
  const bool searches = asks_for(KeyOp::Find) || asks_for(KeyOp::FindStored) ||
                        (asks_for(KeyOp::FindView) && has(bench.sets, KeySetKind::Surface));
  refuse("scale", bench.keys.empty() || (searches && !bench.searches),
         "where the numbers of keys and of searches are given: they say what it would multiply");
  refuse("hit-rates", asks_for(KeyOp::Find), "where --ops has no find");
  refuse("searches", searches, "where --ops has neither find nor find-stored, nor find-view of a surface");
  refuse("multiplicities", measure::any_multi(bench), "where --ops has none of build-multi to find-index");
  refuse("failure-keys", bench.failure_builds > 0, "without --failures");
  refuse("layouts", shapes, "on --sets random");
  refuse("image", image, "where --sets has no image");
  refuse("rebuilt", image && asks_for(KeyOp::FindAll), "without the set image and the op find-all");
  refuse("ages", asks_for(KeyOp::Ages), "without the op ages");
  if (asks_for(KeyOp::FindView) && !views)
    throw UsageError("--ops find-view has nothing to measure without the sets surface and painted");
  if (measure::any_multi(bench) && !has(bench.sets, KeySetKind::Random))
    throw UsageError("--ops build-multi to find-index are for --sets random");
  if (!shapes && std::ranges::all_of(bench.ops, [](KeyOp op) { return op == KeyOp::FindAll; }))
    throw UsageError("--ops find-all has nothing to measure on --sets random");
  if (bench.rebuild && bench.value_bits < 24)
    throw UsageError("--rebuilt needs --value-bits 24 or more, for the colours");
}

}  // namespace

KeysCommand parse_keys_command(int argc, char** argv) {
  return parsed_command(describe(), {"Axes", "Size", "Picture", "Results", "Device"}, argc, argv,
                        [](const cxxopts::ParseResult& parsed, const std::vector<std::string>&) {
                          KeysCommand command;
                          command.bench = read_bench(parsed);
                          check_effects(parsed, command.bench);
                          command.picture = given(parsed, "image");
                          command.rebuilt = given(parsed, "rebuilt");
                          command.ages = given(parsed, "ages");
                          return command;
                        });
}

}  // namespace vox
