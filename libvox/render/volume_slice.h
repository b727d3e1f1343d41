// A cut through a volume: its values as colours.
#pragma once

#include "libvox/render/render.h"
#include "libvox/volume/volume.h"

namespace vox {

// Values go from the lowest to the highest of the plane, the ramp's ends (Picture::low and high); those with
// the bits of `background` are empty. Throws Error as slice_frame() does.
Picture slice_volume(const Volume& volume, uint32_t background, const SliceOptions& options);

}  // namespace vox
