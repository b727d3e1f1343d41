#include "libvox/measure/keys_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/phrase.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/axes.h"
#include "libvox/measure/key_shapes.h"

namespace vox::measure {
namespace {

// A value of 32 bits could be kNoValue.
constexpr uint32_t kMostValueBits = 31;

void check_cells(const KeysBenchOptions& options) {
  check_axis(options.key_bits, Phrase::KeyBits, KeysBenchOptions::kFewestKeyBits, 64);
  check_axis({options.value_bits}, Phrase::ValueBits, 0, kMostValueBits);
  for (const uint32_t bits : options.key_bits)
    if (bits + options.value_bits > 64)
      throw UsageError(fmt::format("{} has {} and {} is {}, but a cell has 64 bits for both",
                                   phrase(Phrase::KeyBits), bits, phrase(Phrase::ValueBits),
                                   options.value_bits));
}

// A picture has something to store, and what is not white has a colour.
void check_picture(const scene::Image& picture) {
  if (picture.pixels.empty()) return;
  if (std::ranges::all_of(picture.pixels, [](const auto& pixel) { return rgb_of(pixel) == kWhite; }))
    throw Error("all pixels of the picture are white, so that none would be stored").at(picture.name);
}

}  // namespace

uint32_t rgb_of(const scene::Rgba8& pixel) {
  return pixel.a == 0 ? kWhite : uint32_t{pixel.r} << 16 | uint32_t{pixel.g} << 8 | pixel.b;
}

scene::Rgba8 pixel_of_rgb(uint32_t color) {
  return {static_cast<uint8_t>(color >> 16), static_cast<uint8_t>(color >> 8), static_cast<uint8_t>(color),
          255};
}

void check(const KeysBenchOptions& options) {
  check_names(options.tables, hash::key_table_names(), Phrase::Tables);
  check_cells(options);
  check_load_factors(options.load_factors);
  check_axis(options.hit_rates, Phrase::HitRates, 0, 100);
  check_axis({options.repetitions}, Phrase::Repetitions, KeysBenchOptions::kFewestRepetitions,
             KeysBenchOptions::kMostRepetitions);
  check_picture(options.picture);
}

KeysBenchOptions key_figure(uint32_t figure) {
  using enum KeyOp;
  KeysBenchOptions options;
  options.key_bits = {32};
  options.value_bits = 28;
  options.layouts = {hash::KeyLayout::RowMajor};
  options.load_factors = {0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99};
  switch (figure) {
    case 5:
      options.sets = {KeySetKind::Random};
      options.load_factors = {0.8};
      options.ops = {Build, FindStored};
      options.keys_at_scale_1.clear();
      for (uint32_t log2 = 16; log2 <= 25; ++log2) options.keys_at_scale_1.push_back(uint64_t{1} << log2);
      return options;
    case 6:
      options.sets = {KeySetKind::Pixels, KeySetKind::Image};
      options.ops = {BuildOrdered};
      return options;
    case 7:
      options.sets = {KeySetKind::Pixels, KeySetKind::Image};
      options.ops = {FindAll};
      return options;
    case 10:
      options.sets = {KeySetKind::Image};
      options.layouts.assign(hash::kKeyLayouts.begin(), hash::kKeyLayouts.end());
      options.ops = {FindAll};
      return options;
    default:
      throw UsageError(fmt::format("there is no figure {} to measure, expected one of: {}", figure,
                                   fmt::join(kKeyFigures, ", ")));
  }
}

uint32_t cell_bits(uint32_t key_bits, uint32_t value_bits) {
  return key_bits + value_bits <= 32 && value_bits <= hash::CellFormat<uint32_t>::kMostValueBits ? 32 : 64;
}

KeysBenchSizes sizes_of(const KeysBenchOptions& options, const std::string& device) {
  constexpr double kMostKeys = 0x1p31;  // with a load factor of a half, slots of 32 bits reach no further
  const double scale =
      options.scale.value_or(device == "cpu" ? KeysBenchOptions::kCpuScale : KeysBenchOptions::kGpuScale);
  if (!(scale > 0)) throw UsageError(phrase(Phrase::Scale) + " must be greater than 0");
  const auto size = [&](uint64_t given, double factor, Phrase what) {
    const double count = static_cast<double>(given) * factor;
    if (!(count <= kMostKeys))
      throw UsageError(
          fmt::format("{}, or {}, asks for more than 2^31 keys", phrase(what), phrase(Phrase::Scale)));
    const uint64_t rounded = scaled(given, factor);
    if (rounded == 0) throw UsageError(fmt::format("{} is 0 keys, expected 1 or more", phrase(what)));
    return rounded;
  };
  KeysBenchSizes sizes;
  const bool by_scale = options.keys.empty();
  for (const uint64_t keys : by_scale ? options.keys_at_scale_1 : options.keys)
    sizes.keys.push_back(size(keys, by_scale ? scale : 1, Phrase::Keys));
  sizes.searches = size(options.searches.value_or(KeysBenchOptions::kSearches), options.searches ? 1 : scale,
                        Phrase::Searches);
  return sizes;
}

std::optional<double> KeysBenchRow::items_per_second() const {
  if (!time || time->median <= 0) return std::nullopt;
  return static_cast<double>(items) / time->median;
}

uint64_t wrong_results(const KeysBenchResult& result) {
  uint64_t wrong = 0;
  for (const KeysBenchRow& row : result.rows) wrong += row.wrong;
  return wrong;
}

}  // namespace vox::measure
