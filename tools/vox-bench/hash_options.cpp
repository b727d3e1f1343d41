#include "tools/vox-bench/hash_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/keyed/growing_key_table.h"
#include "tools/common/device_options.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/axes.h"
#include "tools/vox-bench/parsed_command.h"

namespace vox {
namespace {

constexpr const char* kAboutHash =
    R"(Measures the hash tables that hold a DAG as one uses them to edit it (Molenaar & Eisemann 2024, §6.1).

For every size of items, load factor and table: fills a table with items, searches a batch of them for
every hit rate, fills new tables and inserts a batch of new items. Every time is the median of the repetitions
after one that does not count. Every repetition searches for other items, and what it finds is checked: one
item too many or too few, and the command fails. Random reads of 32 and of 128 bytes, measured first, say
what the memory could do. Then come the tables that find the duplicates inside a batch.

Of the tables, {} hold keys, which are items of 1 and 2 words: the first as SlabHash does, whose buckets are
lists of slabs, the second as DyCuckoo does, whose buckets of 128 bytes are filled to {} % at most, whatever the
load factor. The others hold items of 2 words and more.

Examples:
  vox-bench hash                                     Table 2: {} to {} words, {} items per bucket
  vox-bench hash --figure8                           Figure 8: {} words, {}
  vox-bench hash --item-words 6 --scale 1/8          another size, an eighth of the items
  vox-bench hash --fill 64M --batch 1M -o report.h5 --csv report.csv
  vox-bench hash --html report.html                  charts with the spread of what was measured
)";

std::vector<uint32_t> figure8_load_factors() {
  const auto& values = measure::HashBenchOptions::kFigure8LoadFactors;
  return {values.begin(), values.end()};
}

cxxopts::Options describe_hash() {
  using Bench = measure::HashBenchOptions;
  const Bench preset;
  cxxopts::Options options(
      "vox-bench hash",
      fmt::format(kAboutHash, fmt::join(hash::growing_key_table_names(), " and "), 100 * Bench::kMostFull,
                  preset.item_words.front(), preset.item_words.back(), axis_text(preset.load_factors),
                  Bench::kFigure8Words, axis_text(figure8_load_factors())));
  options.custom_help("[options]").positional_help("").set_width(100);
  auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options("Axes")(
      "tables", fmt::format("Tables (default: all: {})", fmt::join(measure::hash_bench_tables(), ",")),
      text(),
      "NAMES")("item-words",
               fmt::format("Words of 4 bytes in an item, {} to {}: 2,4,6 or 2-10 (default: those that the "
                           "tables hold, of {})",
                           Bench::kFewestWords, Bench::kMostWords, axis_text(preset.item_words)),
               text(), "LIST")("load-factors",
                               fmt::format("Items per bucket after the insertion, 1 to {} (default: {})",
                                           Bench::kMostLoadFactor, axis_text(preset.load_factors)),
                               text(), "LIST")(
      "hit-rates",
      fmt::format("Per cent of a batch that are found, or are copies of others (default: {})",
                  axis_text(preset.hit_rates)),
      text(), "LIST")("figure8", fmt::format("Other defaults: --item-words {} --load-factors {}",
                                             Bench::kFigure8Words, axis_text(figure8_load_factors())));
  options.add_options("Size")("scale",
                              fmt::format("Of fill and batch (default: {} on a GPU, {} on the CPU)",
                                          scale_text(Bench::kGpuScale), scale_text(Bench::kCpuScale)),
                              text(), "S")(
      "fill",
      fmt::format("Items to fill a table with (default: {} times the scale)", format_count(Bench::kFill)),
      text(), "N")("batch",
                   fmt::format("Items to search and to insert at once (default: {} times the scale)",
                               format_count(Bench::kBatch)),
                   text(),
                   "N")("repetitions",
                        fmt::format("Of everything that is timed, {} to {} (default: {})",
                                    Bench::kFewestRepetitions, Bench::kMostRepetitions, preset.repetitions),
                        text(), "N");
  add_result_options(options);
  add_device_options(options);
  add_common_options(options);
  return options;
}

// Leaves out the sizes of items that none of the tables holds.
void leave_out_unheld(measure::HashBenchOptions& options) {
  if (options.tables.empty()) return;
  std::erase_if(options.item_words, [&](uint32_t words) {
    return std::ranges::none_of(
        options.tables, [&](const std::string& table) { return measure::holds_items_of(table, words); });
  });
}

measure::HashBenchOptions read_hash_bench(const cxxopts::ParseResult& parsed) {
  measure::HashBenchOptions options;
  if (parsed.count("figure8")) {
    options.item_words = {measure::HashBenchOptions::kFigure8Words};
    options.load_factors = figure8_load_factors();
  }
  if (const auto value = given(parsed, "tables"); value && *value != "all")
    options.tables = parse_names(*value, "--tables");
  if (const auto value = given(parsed, "item-words"))
    options.item_words = parse_axis(*value, "--item-words");
  else if (parsed.count("figure8") == 0)
    leave_out_unheld(options);
  if (const auto value = given(parsed, "load-factors"))
    options.load_factors = parse_axis(*value, "--load-factors");
  if (const auto value = given(parsed, "hit-rates")) options.hit_rates = parse_axis(*value, "--hit-rates");
  if (const auto value = given(parsed, "scale")) options.scale = parse_scale(*value, "--scale");
  if (const auto value = given(parsed, "fill")) options.fill = parse_count(*value, "--fill");
  if (const auto value = given(parsed, "batch")) options.batch = parse_count(*value, "--batch");
  if (const auto value = given(parsed, "repetitions"))
    options.repetitions = parse_axis(*value, "--repetitions").front();
  measure::check(options);
  return options;
}

// Refuses an option where two others already say all that it would choose.
void check_effects(const cxxopts::ParseResult& parsed) {
  const auto all_given = [&](std::initializer_list<const char*> options) {
    return std::ranges::all_of(options, [&](const char* option) { return parsed.count(option) > 0; });
  };
  if (all_given({"scale", "fill", "batch"}))
    throw UsageError("--scale has no effect on --fill with --batch: they say what it would multiply");
  if (all_given({"figure8", "item-words", "load-factors"}))
    throw UsageError("--figure8 has no effect on --item-words with --load-factors: it is for their defaults");
}

}  // namespace

HashCommand parse_hash_command(int argc, char** argv) {
  return parsed_command(describe_hash(), {"Axes", "Size", "Results", "Device"}, argc, argv,
                        [](const cxxopts::ParseResult& parsed, const std::vector<std::string>&) {
                          HashCommand command;
                          check_effects(parsed);
                          command.bench = read_hash_bench(parsed);
                          return command;
                        });
}

}  // namespace vox
