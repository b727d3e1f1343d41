#include "libvox/measure/hash_bench.h"

#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/base/phrase.h"
#include "libvox/base/units.h"
#include "libvox/hash/item.h"
#include "libvox/hash/table_list.h"
#include "libvox/measure/axes.h"

namespace vox::measure {
void check(const HashBenchOptions& options) {
  check_names(options.tables, hash::table_names(), Phrase::Tables);
  check_axis(options.item_words, Phrase::ItemWords, hash::kMinItemWords, hash::kMaxItemWords);
  check_axis(options.load_factors, Phrase::LoadFactors, 1, HashBenchOptions::kMostLoadFactor);
  check_axis(options.hit_rates, Phrase::HitRates, 0, 100);
  check_axis({options.repetitions}, Phrase::Repetitions, HashBenchOptions::kFewestRepetitions,
             HashBenchOptions::kMostRepetitions);
}

HashBenchSizes sizes_of(const HashBenchOptions& options, const std::string& device) {
  constexpr double kMostItems = 0x1p32;
  const double scale =
      options.scale.value_or(device == "cpu" ? HashBenchOptions::kCpuScale : HashBenchOptions::kGpuScale);
  if (!(scale > 0)) throw UsageError(phrase(Phrase::Scale) + " must be greater than 0");
  auto fits = [](uint64_t count) { return static_cast<double>(count) <= kMostItems; };
  const bool all_fit = scale * HashBenchOptions::kFill <= kMostItems && fits(options.fill.value_or(0)) &&
                       fits(options.batch.value_or(0));
  HashBenchSizes sizes = {};
  if (all_fit)
    sizes = {options.fill.value_or(scaled(HashBenchOptions::kFill, scale)),
             options.batch.value_or(scaled(HashBenchOptions::kBatch, scale))};
  if (!all_fit || !fits(sizes.fill + sizes.batch))
    throw UsageError(fmt::format(
        "{} and {}, or {}, ask for more than 2^32 items, which is more than 32-bit pointers reach",
        phrase(Phrase::Fill), phrase(Phrase::Batch), phrase(Phrase::Scale)));
  if (sizes.fill == 0 || sizes.batch == 0)
    throw UsageError(fmt::format("{} is 0 items, expected 1 or more",
                                 phrase(sizes.fill == 0 ? Phrase::Fill : Phrase::Batch)));
  return sizes;
}

void check_search(const std::string& what, const SearchOutcome& outcome) {
  if (outcome.hits != outcome.expected_hits)
    throw Error(fmt::format("{}: found {} items, expected {}", what, format_count(outcome.hits),
                            format_count(outcome.expected_hits)));
  if (outcome.wrong != 0)
    throw Error(fmt::format("{}: {} items were found where they are not, or missed where they are", what,
                            format_count(outcome.wrong)));
}

}  // namespace vox::measure
