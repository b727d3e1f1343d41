#include "libvox/scene/nearest_entry.h"

#include "libvox/scene/oklab.h"

namespace vox {

NearestEntry::NearestEntry(const Palette& palette) : count_(palette.count), known_(size_t{1} << 24) {
  for (uint32_t i = 0; i < count_; ++i) entries_[i] = linear_to_oklab(srgb_to_linear(palette.colors[i]));
}

uint8_t NearestEntry::search(Rgb8 color) const {
  Vec3d lab = linear_to_oklab(srgb_to_linear(color));
  uint32_t nearest = 0;
  double smallest = 1e9;
  for (uint32_t i = 0; i < count_; ++i) {
    Vec3d apart = lab - entries_[i];
    double distance = dot(apart, apart);
    if (distance < smallest) smallest = distance, nearest = i;
  }
  return static_cast<uint8_t>(nearest);
}

}  // namespace vox
