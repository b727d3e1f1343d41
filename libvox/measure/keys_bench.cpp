#include "libvox/measure/keys_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/axes.h"
#include "libvox/measure/key_shapes.h"
#include "libvox/measure/measured_tables.h"

namespace vox::measure {
namespace {

// A value of 32 bits could be equal to kNoValue.
constexpr uint32_t kMostValueBits = 31;

void check_cells(const KeysBenchOptions& options) {
  check_axis(options.key_bits, "the list of bits of a key", KeysBenchOptions::kFewestKeyBits, 64);
  check_axis({options.value_bits}, "the number of bits of a value", 0, kMostValueBits);
  for (const uint32_t bits : options.key_bits)
    if (bits + options.value_bits > 64)
      throw UsageError(fmt::format("a key has {} bits and a value {}, but a cell has 64 bits for both", bits,
                                   options.value_bits))
          .about("key_bits");
}

// Throws Error if the picture has only white pixels, since nothing would be stored.
void check_picture(const scene::Image& picture) {
  if (picture.pixels.empty()) return;
  if (std::ranges::all_of(picture.pixels, [](const auto& pixel) { return rgb_of(pixel) == kWhite; }))
    throw Error("all pixels of the picture are white, so there is nothing to store").at(picture.name);
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
  check_names(options.tables, measured_tables(), "the list of hash tables");
  check_cells(options);
  check_load_factors(options.load_factors);
  check_axis(options.hit_rates, "the list of hit rates", 0, 100);
  check_axis(options.multiplicities, "the list of numbers of values", 1, KeysBenchOptions::kMostMultiplicity);
  if (options.failure_keys == 0 || options.failure_keys > KeysBenchOptions::kMostFailureKeys)
    throw UsageError(fmt::format("the number of keys of a build is {}, expected 1 to {}",
                                 options.failure_keys, KeysBenchOptions::kMostFailureKeys));
  check_axis({options.repetitions}, "the number of repetitions", KeysBenchOptions::kFewestRepetitions,
             KeysBenchOptions::kMostRepetitions);
  check_picture(options.picture);
}

bool is_asked_for(const KeysBenchOptions& options, KeyOp op) {
  return std::ranges::find(options.ops, op) != options.ops.end();
}

bool any_multi(const KeysBenchOptions& options) {
  return std::ranges::any_of(kMultiOps, [&](KeyOp op) { return is_asked_for(options, op); });
}

uint32_t cell_bits(uint32_t key_bits, uint32_t value_bits) {
  return key_bits + value_bits <= 32 && value_bits <= hash::CellFormat<uint32_t>::kMostValueBits ? 32 : 64;
}

KeysBenchSizes sizes_of(const KeysBenchOptions& options, const std::string& device) {
  constexpr double kMostKeys = 0x1p31;  // with a load factor of a half, 32-bit slots cannot address more
  const double scale =
      options.scale.value_or(device == "cpu" ? KeysBenchOptions::kCpuScale : KeysBenchOptions::kGpuScale);
  if (!(scale > 0)) throw UsageError("the scale must be greater than 0");
  const auto size = [&](uint64_t given, double factor, std::string_view what) {
    const double count = static_cast<double>(given) * factor;
    if (!(count <= kMostKeys))
      throw UsageError(fmt::format("{}, or the scale, asks for more than 2^31 keys", what)).about("scale");
    const uint64_t rounded = scaled(given, factor);
    if (rounded == 0) throw UsageError(fmt::format("{} is 0 keys, expected 1 or more", what));
    return rounded;
  };
  KeysBenchSizes sizes;
  const bool by_scale = options.keys.empty();
  for (const uint64_t keys : by_scale ? options.keys_at_scale_1 : options.keys)
    sizes.keys.push_back(size(keys, by_scale ? scale : 1, "the number of keys"));
  sizes.searches = size(options.searches.value_or(KeysBenchOptions::kSearches), options.searches ? 1 : scale,
                        "the number of searches");
  return sizes;
}

void KeysBenchRow::note_build(const hash::KeyTableBuild& build, uint64_t table_bytes) {
  if (build.keys != keys)
    throw Error(
        fmt::format("the table has {} keys instead of {}", format_count(build.keys), format_count(keys)));
  bytes = table_bytes;
  attempts = build.attempts;
  restarts = build.restarts;
  most_probes = build.most_probes;
}

void KeysBenchRow::note_wrong() {
  if (wrong > 0) error = format_count(wrong) + " results of searches were wrong";
}

std::optional<double> KeysBenchRow::items_per_second() const {
  if (!time || time->median <= 0) return std::nullopt;
  return static_cast<double>(items) / time->median;
}

std::optional<double> KeysBenchRow::bytes_per_key() const {
  if (!bytes || keys == 0) return std::nullopt;
  return static_cast<double>(*bytes) / static_cast<double>(multiplicity ? items : keys);
}

uint64_t wrong_results(const KeysBenchResult& result) {
  uint64_t wrong = 0;
  for (const KeysBenchRow& row : result.rows) wrong += row.wrong;
  return wrong;
}

}  // namespace vox::measure
