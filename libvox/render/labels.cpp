#include "libvox/render/labels.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <utility>

#include "libvox/bricks/volume_cast.h"
#include "libvox/scene/oklab.h"
#include "libvox/volume/read_pieces.h"

namespace vox::render {
namespace {

constexpr size_t kSeenWords = (1 << 16) / 64;

// Counts the pairs of neighbouring filled voxels along x, and those of them that are equal.
struct PairSums {
  std::vector<uint64_t> seen = std::vector<uint64_t>(kSeenWords);  // one bit for each value
  uint64_t pairs = 0, equal = 0;
};

PairSums joined(PairSums a, const PairSums& b) {
  for (size_t i = 0; i < kSeenWords; ++i) a.seen[i] |= b.seen[i];
  a.pairs += b.pairs;
  a.equal += b.equal;
  return a;
}

void add_row(PairSums& sums, volume::ValueType type, const std::byte* row, uint64_t length,
             uint32_t background) {
  uint32_t before = background;
  for (uint64_t i = 0; i < length; ++i) {
    const uint32_t bits = volume::bits_at(type, row, i);
    if (bits != background) {
      sums.seen[bits / 64] |= uint64_t{1} << bits % 64;
      sums.pairs += before != background ? 1 : 0;
      sums.equal += bits == before ? 1 : 0;
    }
    before = bits;
  }
}

}  // namespace

LabelColors distinct_colors() {
  // Each hue is a golden angle, 2π · (2 − φ), further on than the previous one. There are three lightnesses.
  constexpr double kCosine = -0.73736887807831963, kSine = 0.67549029426152364, kChroma = 0.13;
  constexpr double kLightness[] = {0.74, 0.6, 0.86};
  LabelColors colors;
  Vec2<double> hue = {1, 0};
  for (uint32_t i = 0; i < bricks::kCastColors; ++i) {
    colors.push_back(
        scene::linear_to_srgb(scene::oklab_to_linear({kLightness[i % 3], hue.x * kChroma, hue.y * kChroma})));
    hue = {hue.x * kCosine - hue.y * kSine, hue.x * kSine + hue.y * kCosine};
  }
  return colors;
}

LabelColors repeated_colors(std::span<const scene::Rgb8> colors) {
  LabelColors list;
  for (uint32_t i = 0; i < bricks::kCastColors; ++i)
    list.push_back(colors[(i + colors.size() - 1) % colors.size()]);
  return list;
}

LabelColors material_colors(const scene::Palette& palette) {
  LabelColors colors = distinct_colors();
  for (uint32_t i = 0; i < palette.count; ++i) colors[bricks::label_slot(i + 1)] = palette.colors[i];
  return colors;
}

LabelSurvey survey_labels(const volume::Volume& volume, uint32_t background) {
  const volume::ValueType type = volume.info.type;
  if (type != volume::ValueType::U8 && type != volume::ValueType::U16) return {};
  PairSums sums;
  volume::read_pieces(volume, volume::kReadVoxels, [&](const VoxelBox& box, const std::byte* values) {
    const auto length = static_cast<uint64_t>(box.size().x), rows = box.voxels() / length;
    const uint64_t row_bytes = length * volume::value_bytes(type);
    const auto part = [&](const tbb::blocked_range<uint64_t>& range, PairSums found) {
      for (uint64_t row = range.begin(); row < range.end(); ++row)
        add_row(found, type, values + row * row_bytes, length, background);
      return found;
    };
    const PairSums found =
        tbb::parallel_reduce(tbb::blocked_range<uint64_t>(0, rows, 4096), PairSums(), part,
                             [](PairSums a, const PairSums& b) { return joined(std::move(a), b); });
    sums = joined(std::move(sums), found);
  });
  LabelSurvey survey;
  for (uint32_t bits = 0; bits < kSeenWords * 64; ++bits)
    if ((sums.seen[bits / 64] >> bits % 64 & 1) != 0) survey.labels.push_back(bits);
  survey.likely = survey.labels.size() >= 3 && sums.equal >= sums.pairs / 10 * 9 && sums.pairs > 0;
  return survey;
}

}  // namespace vox::render
