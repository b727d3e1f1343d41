#include "libvox/render/volume_render.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/bricks/sparse_root.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/render/render.h"
#include "libvox/scene/oklab.h"
#include "libvox/volume/volume.h"

namespace vox::render {
namespace {

constexpr uint32_t kScaleColors = 256;

}  // namespace

ValueScale gray_scale() {
  ValueScale scale;
  for (uint32_t i = 0; i < kScaleColors; ++i) {
    const auto code = static_cast<uint8_t>(i);
    scale.push_back({code, code, code});
  }
  return scale;
}

ValueScale bone_scale() {
  constexpr std::array<scene::Rgb8, 4> kStops = {
      {{0, 0, 0}, {76, 76, 104}, {162, 190, 190}, {255, 255, 255}}};
  return scale_through(kStops);
}

ValueScale viridis_scale() {
  ValueScale scale;
  for (uint32_t i = 0; i < kRampColors; ++i) scale.push_back(ramp_color(i));
  return scale;
}

ValueScale scale_through(std::span<const scene::Rgb8> stops) {
  ValueScale scale;
  for (uint32_t i = 0; i < kScaleColors; ++i)
    scale.push_back(color_between(
        stops, static_cast<double>(i) * static_cast<double>(stops.size() - 1) / (kScaleColors - 1)));
  return scale;
}

scene::Rgb8 scale_color(const ValueScale& scale, double share) {
  return scale[static_cast<size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(scale.size() - 1) +
                                   0.5)];
}

scene::Rgb8 color_between(std::span<const scene::Rgb8> stops, double at) {
  const size_t stop = std::min(static_cast<size_t>(at), stops.size() - 2);
  const Vec3d a = scene::linear_to_oklab(scene::srgb_to_linear(stops[stop]));
  const Vec3d b = scene::linear_to_oklab(scene::srgb_to_linear(stops[stop + 1]));
  return scene::linear_to_srgb(scene::oklab_to_linear(a + (b - a) * (at - static_cast<double>(stop))));
}

namespace {

constexpr size_t kSeenWords = (1 << 16) / 64;

// Counts the pairs of neighboring filled voxels along x, and those of them that are equal.
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

// `before` is the value in front of the row.
void add_row(PairSums& sums, volume::ValueType type, const std::byte* row, uint64_t length,
             uint32_t background, uint32_t before) {
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

bool may_be_labels(volume::ValueType type) {
  return type == volume::ValueType::U8 || type == volume::ValueType::U16;
}

LabelSurvey survey_of(const PairSums& sums) {
  LabelSurvey survey;
  for (uint32_t bits = 0; bits < kSeenWords * 64; ++bits)
    if ((sums.seen[bits / 64] >> bits % 64 & 1) != 0) survey.labels.push_back(bits);
  survey.likely = survey.labels.size() >= 3 && sums.equal >= sums.pairs / 10 * 9 && sums.pairs > 0;
  return survey;
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
  if (!may_be_labels(type)) return {};
  PairSums sums;
  volume::read_pieces(volume, volume::kReadVoxels, [&](const VoxelBox& box, const std::byte* values) {
    const auto length = static_cast<uint64_t>(box.size().x), rows = box.voxels() / length;
    const uint64_t row_bytes = length * volume::value_bytes(type);
    const auto part = [&](const tbb::blocked_range<uint64_t>& range, PairSums found) {
      for (uint64_t row = range.begin(); row < range.end(); ++row)
        add_row(found, type, values + row * row_bytes, length, background, background);
      return found;
    };
    const PairSums found =
        tbb::parallel_reduce(tbb::blocked_range<uint64_t>(0, rows, 4096), PairSums(), part,
                             [](PairSums a, const PairSums& b) { return joined(std::move(a), b); });
    sums = joined(std::move(sums), found);
  });
  return survey_of(sums);
}

// Looks at pairs of voxels inside of the bricks of a sparse root, once for each brick however often it occurs.
static PairSums pairs_in_bricks(const bricks::FrozenBricks& bricks) {
  const volume::ValueType type = bricks.info.type;
  const uint64_t side = bricks.shape().side(), bytes = volume::value_bytes(type);
  const std::vector<bricks::BrickUse> uses = bricks::brick_uses(bricks);
  const auto part = [&](const tbb::blocked_range<uint64_t>& range, PairSums found) {
    std::vector<std::byte> values(bricks.shape().voxels() * bytes);
    for (uint64_t brick = range.begin(); brick < range.end(); ++brick) {
      throw_if_cancelled();
      bricks::read_brick(bricks, uses[brick].entry, values.data());
      for (uint64_t row = 0; row < side * side; ++row)
        add_row(found, type, values.data() + row * side * bytes, side, bricks.background, bricks.background);
    }
    return found;
  };
  return tbb::parallel_reduce(tbb::blocked_range<uint64_t>(0, uses.size(), 256), PairSums(), part,
                              [](PairSums a, const PairSums& b) { return joined(std::move(a), b); });
}

LabelSurvey survey_labels(const bricks::FrozenBricks& bricks) {
  const volume::ValueType type = bricks.info.type;
  if (!may_be_labels(type)) return {};
  const volume::Volume volume = bricks::bricks_volume(bricks);
  if (bricks.is_sparse()) return survey_of(pairs_in_bricks(bricks));
  const auto part = [&](const tbb::blocked_range<uint64_t>& range, PairSums found) {
    std::vector<std::byte> values;
    for (uint64_t brick = range.begin(); brick < range.end(); ++brick) {
      if (bricks.is_empty(brick)) continue;
      throw_if_cancelled();
      VoxelBox box = bricks.box(brick);
      const uint64_t in_front = box.min.x > 0 ? 1 : 0;  // rows begin with the last voxel of the brick before
      box.min.x -= static_cast<int32_t>(in_front);
      const auto length = static_cast<uint64_t>(box.size().x);
      values.resize(box.voxels() * volume::value_bytes(type));
      volume.read(box, values.data());
      for (uint64_t first = 0; first < box.voxels(); first += length) {
        const uint32_t before =
            in_front != 0 ? volume::bits_at(type, values.data(), first) : bricks.background;
        add_row(found, type, values.data() + (first + in_front) * volume::value_bytes(type),
                length - in_front, bricks.background, before);
      }
    }
    return found;
  };
  return survey_of(
      tbb::parallel_reduce(tbb::blocked_range<uint64_t>(0, bricks.bricks(), 16), PairSums(), part,
                           [](PairSums a, const PairSums& b) { return joined(std::move(a), b); }));
}

void check_curve(const OpacityCurve& curve) {
  for (size_t i = 0; i < curve.size(); ++i) {
    const auto [share, opacity] = curve[i];
    if (!(share >= 0 && share <= 1 && opacity >= 0 && opacity <= 1))
      throw Error(fmt::format("the point {}:{} of the opacity curve is out of range", share, opacity))
          .hint("shares of the range of values and opacities must be from 0 to 1");
    if (i > 0 && !(share > curve[i - 1].share))
      throw Error(fmt::format("the point {}:{} of the opacity curve follows {}:{}", share, opacity,
                              curve[i - 1].share, curve[i - 1].opacity))
          .hint("shares must increase from point to point");
  }
}

double opacity_at(const OpacityCurve& curve, double highest, double share) {
  if (curve.empty()) return highest * share * share;
  if (share <= curve.front().share) return curve.front().opacity;
  for (size_t i = 1; i < curve.size(); ++i) {
    const OpacityPoint &from = curve[i - 1], &to = curve[i];
    if (share > to.share) continue;
    return from.opacity + (to.opacity - from.opacity) * ((share - from.share) / (to.share - from.share));
  }
  return curve.back().opacity;
}

}  // namespace vox::render
