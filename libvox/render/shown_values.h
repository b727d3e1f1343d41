// What the values of a volume are, and how they are shown: amounts on one scale, or labels with a colour each.
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
  std::vector<uint32_t> labels = {};  // all that occur, but of amounts
};

// `palette` is that of a scene whose materials the values are. Without one, and with ValuesAs::Auto, values are
// labels where they look like it. Throws UsageError where they are to be labels and cannot be.
ShownValues shown_values(const bricks::FrozenBricks& bricks, const std::optional<scene::Palette>& palette,
                         ValuesAs as);

}  // namespace vox::render
