// The bins of formats/voxels/volumes/volume_materials.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "formats/voxels/volumes/volume_materials.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

// Sixteen colours of viridis, which Stéfan van der Walt and Nathaniel Smith released as CC0.
constexpr std::array<uint32_t, 16> kViridis = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e,
                                               0x2a788e, 0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568,
                                               0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725};

// Returns the colour at a place between 0 and 1.
scene::Rgb8 viridis(double place) {
  const double at = place * (kViridis.size() - 1);
  const size_t below = std::min(static_cast<size_t>(at), kViridis.size() - 2);
  const double share = at - static_cast<double>(below);
  const auto channel = [&](uint32_t shift) {
    const double low = kViridis[below] >> shift & 255, high = kViridis[below + 1] >> shift & 255;
    return static_cast<uint8_t>(low + share * (high - low) + 0.5);
  };
  return {channel(16), channel(8), channel(0)};
}

struct BinRule {
  double threshold, background;
  double low, width;  // the binned range's lower end, and a bin's width
  uint32_t count;

  uint8_t entry(double value) const {
    if (value < threshold || value == background) return kNoEntry;
    if (!(width > 0)) return 0;
    const double bin = (value - low) / width * count;
    return static_cast<uint8_t>(std::min(static_cast<uint32_t>(std::max(bin, 0.0)), count - 1));
  }
};

BinRule bin_rule(const StoredVolume& stored, const volume::ThresholdOptions& options, uint32_t count) {
  const volume::ValueRange range = stored_range(stored);
  BinRule rule = {.threshold = -std::numeric_limits<double>::infinity(),
                  .background = std::min(range.low, 0.0),
                  .low = range.low,
                  .width = 0,
                  .count = count};
  if (options.raw) rule.threshold = *options.raw;
  if (options.share) rule.threshold = range.low + *options.share * (range.high - range.low);
  rule.low = std::max(rule.low, rule.threshold);
  rule.width = range.high - rule.low;
  if (!std::isfinite(range.high - range.low))
    throw Error(
        fmt::format("its values range from {} to {}, which is too wide for bins", range.low, range.high))
        .at(stored.info.source);
  return rule;
}

scene::Palette bin_palette(const BinRule& rule, const std::optional<scene::Palette>& given) {
  scene::Palette palette;
  palette.count = rule.count;
  for (uint32_t i = 0; i < rule.count; ++i) {
    const auto edge = [&](uint32_t bin) { return rule.low + rule.width * bin / rule.count; };
    palette.colors[i] = given ? given->colors[i] : viridis(rule.count == 1 ? 0.5 : i / (rule.count - 1.0));
    palette.names[i] = fmt::format("{:.4g} to {:.4g}", edge(i), edge(i + 1));
  }
  return palette;
}

// Returns the entry of every possible value, to look up values of one or two bytes.
template <class T>
std::vector<uint8_t> entries_of_all(const BinRule& rule) {
  std::vector<uint8_t> entries(size_t{1} << 8 * sizeof(T));
  for (size_t i = 0; i < entries.size(); ++i) entries[i] = rule.entry(static_cast<double>(static_cast<T>(i)));
  return entries;
}

template <class T>
std::function<void(const std::byte*, uint64_t, uint8_t*)> bin_classifier(const BinRule& rule) {
  if constexpr (sizeof(T) <= 2) {
    using Index = std::conditional_t<sizeof(T) == 1, uint8_t, uint16_t>;
    return [table = std::make_shared<const std::vector<uint8_t>>(entries_of_all<T>(rule))](
               const std::byte* values, uint64_t count, uint8_t* entries) {
      for (uint64_t i = 0; i < count; ++i) entries[i] = (*table)[stored_value<Index>(values, i)];
    };
  } else {
    return [rule](const std::byte* values, uint64_t count, uint8_t* entries) {
      for (uint64_t i = 0; i < count; ++i)
        entries[i] = rule.entry(static_cast<double>(stored_value<T>(values, i)));
    };
  }
}

}  // namespace

ValueEntries bins_of(const StoredVolume& stored, const VolumeMaterials& materials,
                     const volume::ThresholdOptions& threshold,
                     const std::optional<scene::Palette>& palette) {
  const uint32_t most = palette ? palette->count : scene::kPaletteSize;
  const bool no_materials = materials.kind == VolumeMaterials::Kind::None;
  const uint32_t count = no_materials ? 1 : materials.count.value_or(most);
  if (count > most)
    throw Error(fmt::format("the palette has {} colours, but {} bins need one each", most, count));
  const BinRule rule = bin_rule(stored, threshold, count);
  return {no_materials ? scene::Palette() : bin_palette(rule, palette),
          with_stored_type(stored.info.type, [&]<class T>() { return bin_classifier<T>(rule); })};
}

}  // namespace vox
