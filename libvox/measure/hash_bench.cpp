#include "libvox/measure/hash_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/batch.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/hash/table_options.h"
#include "libvox/measure/timing.h"

namespace vox::measure {
namespace {

// Throws UsageError unless every named table and every item size has at least one row.
void check_sizes(const std::vector<std::string>& tables, const std::vector<uint32_t>& item_words) {
  for (const std::string& table : tables)
    if (std::ranges::none_of(item_words, [&](uint32_t words) { return holds_items_of(table, words); }))
      throw UsageError(fmt::format("the list of hash tables has '{}', which holds no items of {} words",
                                   table, fmt::join(item_words, ", ")));
  for (const uint32_t words : item_words)
    if (!tables.empty() &&
        std::ranges::none_of(tables, [&](const std::string& table) { return holds_items_of(table, words); }))
      throw UsageError(fmt::format(
          "the list of item sizes has {}, but none of these tables holds items of so many words: {}", words,
          fmt::join(tables, ", ")));
}

}  // namespace

std::vector<std::string> hash_bench_tables() {
  std::vector<std::string> names = hash::growing_key_table_names();
  std::ranges::copy(hash::table_names(), std::back_inserter(names));
  return names;
}

bool holds_items_of(const std::string& table, uint32_t words) {
  constexpr uint32_t kMostKeyWords = 2;
  const std::vector<std::string> key_tables = hash::growing_key_table_names();
  return std::ranges::count(key_tables, table) > 0 ? words <= kMostKeyWords : words >= hash::kMinItemWords;
}

void check(const HashBenchOptions& options) {
  static_assert(HashBenchOptions::kMostWords == hash::kMaxItemWords);
  check_names(options.tables, hash_bench_tables(), "the list of hash tables");
  check_axis(options.item_words, "the list of item sizes", HashBenchOptions::kFewestWords,
             HashBenchOptions::kMostWords);
  check_sizes(options.tables, options.item_words);
  check_axis(options.load_factors, "the list of load factors", 1, HashBenchOptions::kMostLoadFactor);
  check_axis(options.hit_rates, "the list of hit rates", 0, 100);
  check_axis({options.repetitions}, "the number of repetitions", HashBenchOptions::kFewestRepetitions,
             HashBenchOptions::kMostRepetitions);
}

HashBenchSizes sizes_of(const HashBenchOptions& options, const std::string& device) {
  constexpr double kMostItems = 0x1p32;
  const double scale =
      options.scale.value_or(device == "cpu" ? HashBenchOptions::kCpuScale : HashBenchOptions::kGpuScale);
  if (!(scale > 0)) throw UsageError("the scale must be greater than 0");
  auto fits = [](uint64_t count) { return static_cast<double>(count) <= kMostItems; };
  const bool all_fit = scale * HashBenchOptions::kFill <= kMostItems && fits(options.fill.value_or(0)) &&
                       fits(options.batch.value_or(0));
  HashBenchSizes sizes = {};
  if (all_fit)
    sizes = {options.fill.value_or(scaled(HashBenchOptions::kFill, scale)),
             options.batch.value_or(scaled(HashBenchOptions::kBatch, scale))};
  if (!all_fit || !fits(sizes.fill + sizes.batch))
    throw UsageError(
        "the fill and the batch, or the scale, ask for more than 2^32 items, which is more than 32-bit "
        "pointers reach")
        .about("scale");
  // Those that are searched and not found are different ones, too.
  if (std::ranges::count(options.item_words, 1u) > 0 && !fits(sizes.fill + 2 * sizes.batch + 1))
    throw UsageError(
        "the fill and the batch, or the scale, ask for more than the 2^32 items of one word that there are")
        .about("scale");
  if (sizes.fill == 0 || sizes.batch == 0)
    throw UsageError(fmt::format("the {} is 0 items, expected 1 or more", sizes.fill == 0 ? "fill" : "batch"))
        .about(sizes.fill == 0 ? "fill" : "batch");
  return sizes;
}

void check_search(const std::string& what, const SearchOutcome& outcome) {
  if (outcome.hits != outcome.expected_hits)
    throw Error(fmt::format("{}: found {} items, expected {}", what, format_count(outcome.hits),
                            format_count(outcome.expected_hits)));
  if (outcome.wrong != 0)
    throw Error(fmt::format("{}: {} items were wrongly found or missed", what, format_count(outcome.wrong)));
}

hash::TableMemory sum(std::span<const hash::TableMemory> sizes) {
  hash::TableMemory all;
  for (const hash::TableMemory& size : sizes) {
    all.items += size.items;
    all.buckets += size.buckets;
    all.slabs += size.slabs;
    all.item_bytes += size.item_bytes;
    all.empty_bytes += size.empty_bytes;
    all.fingerprint_bytes += size.fingerprint_bytes;
    all.link_bytes += size.link_bytes;
    all.padding_bytes += size.padding_bytes;
    all.bucket_bytes += size.bucket_bytes;
    all.bitmap_bytes += size.bitmap_bytes;
    all.slack_bytes += size.slack_bytes;
    all.chain_lengths.resize(std::max(all.chain_lengths.size(), size.chain_lengths.size()));
    for (size_t i = 0; i < size.chain_lengths.size(); ++i) all.chain_lengths[i] += size.chain_lengths[i];
  }
  return all;
}

}  // namespace vox::measure
