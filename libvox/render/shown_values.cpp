#include "libvox/render/shown_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/render/volume_render.h"
#include "libvox/volume/read_pieces.h"

namespace vox::render {

ShownValues shown_values(const bricks::FrozenBricks& bricks, const std::optional<scene::Palette>& palette,
                         ValuesAs as) {
  ShownValues shown = {.colors = {color_range(bricks)}};
  if (as == ValuesAs::Amounts) return shown;
  LabelSurvey survey = survey_labels(bricks::bricks_volume(bricks), bricks.background);
  if (palette) {
    shown.kind = ShownValues::Kind::Materials;
    shown.colors.labels = material_colors(*palette);
  } else if (survey.likely || as == ValuesAs::Labels) {
    if (survey.labels.empty() && bricks.filled > 0)
      throw UsageError(fmt::format("values of type {} cannot be labels, expected u8 or u16",
                                   volume::value_type_name(bricks.info.type)));
    shown.kind = ShownValues::Kind::Labels;
    shown.colors.labels = distinct_colors();
  } else {
    return shown;
  }
  shown.labels = std::move(survey.labels);
  return shown;
}

volume::ValueRange window_of_most(const bricks::FrozenBricks& bricks) {
  constexpr uint32_t kParts = 1 << 16;
  constexpr uint64_t kBeyond = 100;  // one voxel in so many lies beyond each end
  const volume::ValueRange all = color_range(bricks);
  const double part = (all.high - all.low) / kParts;
  std::vector<uint64_t> counts(kParts);
  uint64_t filled = 0;
  const volume::Volume volume = bricks::bricks_volume(bricks);
  const volume::ValueType type = volume.info.type;
  volume::read_pieces(volume, volume::kReadVoxels, [&](const VoxelBox& box, const std::byte* values) {
    for (uint64_t i = 0; i < box.voxels(); ++i) {
      const uint32_t bits = volume::bits_at(type, values, i);
      if (bits == bricks.background) continue;
      const double at = (volume::value_number(type, bits) - all.low) / part;
      ++counts[std::min(static_cast<uint32_t>(at), kParts - 1)];
      ++filled;
    }
  });
  const auto part_of =
      [&](uint64_t before) {  // the part that holds the value with so many filled ones before it
        uint32_t at = 0;
        for (; at + 1 < kParts && before >= counts[at]; ++at) before -= counts[at];
        return at;
      };
  const uint64_t beyond = filled / kBeyond;
  const uint32_t low = part_of(beyond), high = part_of(filled - std::min(filled, beyond + 1));
  if (low >= high) return all;
  const volume::ValueRange found = {all.low + low * part, all.low + (high + 1) * part};
  if (type == volume::ValueType::F32) return found;
  constexpr double kRounding = 1e-6;  // a part holds one whole number at most, perhaps at its end
  return {std::ceil(found.low - kRounding), std::floor(found.high + kRounding)};
}

}  // namespace vox::render
