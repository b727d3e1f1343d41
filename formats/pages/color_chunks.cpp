// Cuts a scene's colors into chunks (docs/formats.md, "Chunks of colors").
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "formats/pages/scene_chunks.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/render/node_colors.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

constexpr uint32_t kColorMagic = 0x4c435856, kColorVersion = 1;  // "VXCL"
constexpr uint64_t kChunkColors = uint64_t{64} * attributes::kGroupValues;
constexpr uint64_t kMeanOf = attributes::kBlockValues;  // colors
constexpr uint64_t kAtOnce = kMeanOf;                   // chunks, whose means fill one chunk

class ColorCutter {
 public:
  ColorCutter(const attributes::PackedValues& colors, const KeepChunk& keep) : colors_(colors), keep_(keep) {
    for (uint32_t code = 0; code < 256; ++code)
      light_[code] = static_cast<uint32_t>(
          std::lround(scene::srgb_to_linear(static_cast<uint8_t>(code)) * (render::kLightCodes - 1)));
  }

  ColorTotals run() {
    Progress progress("writing colors", colors_.count);
    for (uint64_t first = 0; first < colors_.count; first += kAtOnce * kChunkColors) {
      const uint64_t count = std::min(colors_.count - first, kAtOnce * kChunkColors);
      add_colors(first, count);
      progress.update(first + count, format_count(levels_[0].names.size(), "chunk"));
    }
    for (size_t level = 1; level < levels_.size() && levels_[level - 1].names.size() > 1; ++level)
      if (!levels_[level].waiting.empty()) add_level(level);
    ColorTotals totals;
    std::vector<uint32_t> index = {kColorMagic, kColorVersion, 0, 0};
    for (const Level& level : levels_) {
      if (level.names.empty()) break;
      totals.levels.push_back(level.names.size());
      for (const dag::Digest& name : level.names)
        std::ranges::copy(name_words(name), std::back_inserter(index));
    }
    totals.words = words_;
    totals.index = chunk_name(index);
    keep_(totals.index, index);
    return totals;
  }

 private:
  struct Level {
    std::vector<dag::Digest> names;
    std::vector<uint32_t> waiting;  // colors of the next chunk
  };
  struct Made {
    dag::Digest name;
    uint64_t words;
  };

  Made make(std::span<const uint32_t> values) const {
    throw_if_cancelled();
    const attributes::PackedValues packed = attributes::packed_values(values);
    std::vector<uint32_t> words = {kColorMagic, kColorVersion, static_cast<uint32_t>(packed.groups.size()),
                                   0};
    const auto* const heads = reinterpret_cast<const uint32_t*>(packed.groups.data());
    words.insert(words.end(), heads,
                 heads + packed.groups.size() * sizeof(attributes::ValueGroup) / sizeof(uint32_t));
    words.insert(words.end(), packed.words.begin(), packed.words.end());
    const dag::Digest name = chunk_name(words);
    keep_(name, words);
    return {name, words.size()};
  }

  // Writes the mean of each 64 values in linear light.
  void average(std::span<const uint32_t> values, uint32_t* to) const {
    for (size_t first = 0; first < values.size(); first += kMeanOf) {
      const std::span<const uint32_t> some = values.subspan(first, std::min(kMeanOf, values.size() - first));
      uint32_t mean = 0;
      for (uint32_t shift = 0; shift < 24; shift += 8) {
        uint64_t sum = 0;
        for (const uint32_t value : some) sum += light_[value >> shift & 255];
        mean |= uint32_t{codes_[(sum + some.size() / 2) / some.size()]} << shift;
      }
      *to++ = mean;
    }
  }

  std::vector<uint32_t>& means_above(size_t level) {
    if (levels_.size() < level + 2) levels_.resize(level + 2);
    return levels_[level + 1].waiting;
  }

  // Makes the chunks of the scene's own colors from number `first` on.
  void add_colors(uint64_t first, uint64_t count) {
    std::vector<Made> made((count + kChunkColors - 1) / kChunkColors);
    std::vector<uint32_t> means((count + kMeanOf - 1) / kMeanOf);
    tbb::parallel_for(uint64_t{0}, uint64_t{made.size()}, [&](uint64_t i) {
      const uint64_t at = i * kChunkColors;
      std::vector<uint32_t> values(std::min(count - at, kChunkColors));
      attributes::read_values(colors_, first + at, values);
      made[i] = make(values);
      average(values, means.data() + at / kMeanOf);
    });
    std::vector<uint32_t>& above = means_above(0);
    for (const auto& [name, words] : made) {
      levels_[0].names.push_back(name);
      words_ += words;
    }
    above.insert(above.end(), means.begin(), means.end());
    if (above.size() == kChunkColors) add_level(1);
  }

  // Makes the next chunk of a level from the colors that wait for it.
  void add_level(size_t level) {
    std::vector<uint32_t> values;
    values.swap(levels_[level].waiting);
    const auto [name, words] = make(values);
    levels_[level].names.push_back(name);
    words_ += words;
    std::vector<uint32_t>& above = means_above(level);
    above.resize(above.size() + (values.size() + kMeanOf - 1) / kMeanOf);
    average(values, above.data() + above.size() - (values.size() + kMeanOf - 1) / kMeanOf);
    if (above.size() == kChunkColors) add_level(level + 1);
  }

  const attributes::PackedValues& colors_;
  const KeepChunk& keep_;
  std::array<uint32_t, 256> light_ = {};
  const std::vector<uint8_t> codes_ = render::light_codes();
  std::vector<Level> levels_ = std::vector<Level>(1);
  uint64_t words_ = 0;
};

}  // namespace

ColorTotals cut_into_color_chunks(const attributes::PackedValues& colors, const KeepChunk& keep) {
  return ColorCutter(colors, keep).run();
}

}  // namespace vox
