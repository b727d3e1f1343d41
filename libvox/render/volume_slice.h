// A cut through a volume: its values as colours.
#pragma once

#include "libvox/render/labels.h"
#include "libvox/render/render.h"
#include "libvox/render/value_scale.h"
#include "libvox/volume/value_rule.h"
#include "libvox/volume/volume.h"

namespace vox::render {

// The colours of values. Amounts go from one end of their scale to the other over the range of the whole
// volume, so that all of its slices and views match. Labels, if there are any, have colours of their own.
struct ValueColors {
  volume::ValueRange range;
  LabelColors labels = {};
  ValueScale scale = viridis_scale();

  scene::Rgb8 color(volume::ValueType type, uint32_t bits) const;
};

// Values with the bits of `background` are empty. The range becomes Picture::low and high. Throws Error as
// slice_frame() does.
Picture slice_volume(const volume::Volume& volume, uint32_t background, const ValueColors& colors,
                     const SliceOptions& options);

}  // namespace vox::render
