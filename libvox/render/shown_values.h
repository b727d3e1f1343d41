// Decides how the values of a volume are shown: as amounts on one scale, or as labels with a colour each.
#pragma once

#include <optional>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/render/volume_slice.h"

namespace vox::render {

enum class ValuesAs { Auto, Amounts, Labels };

struct ShownValues {
  enum class Kind { Amounts, Materials, Labels };
  Kind kind = Kind::Amounts;
  ValueColors colors;
  std::vector<uint32_t> labels = {};  // all labels that occur; empty for amounts
};

// Decides how values are shown. `palette` is that of a scene whose materials the values are. Without a
// palette, and with ValuesAs::Auto, the values are labels if survey_labels() finds that likely. Throws
// UsageError if labels are asked for but the values cannot be labels.
ShownValues shown_values(const bricks::FrozenBricks& bricks, const std::optional<scene::Palette>& palette,
                         ValuesAs as);

// Returns the range from the 1 % to the 99 % quantile of the filled voxels' values, to one part in 65,536 of the
// range of all values: a few very low or high values do not make all others look alike. It is color_range() if these
// quantiles are equal.
volume::ValueRange window_of_most(const bricks::FrozenBricks& bricks);

}  // namespace vox::render
