#include "libvox/scene/nearest_entry.h"

#include "libvox/scene/oklab.h"

namespace vox::scene {

NearestEntry::NearestEntry(const Palette& palette)
    : count_(palette.count), cells_(1 << 15), colors_(1 << 24) {
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
  return static_cast<uint8_t>(nearest + 1);
}

// |p - i|² - |p - n|², by which entry i is further from p than entry n, is linear in p, and therefore in the
// cone roots. These grow with r, g and b, so that they lie in a box between those of the cell's darkest and
// brightest colours. The sum of the smallest terms in the box bounds the difference from below.
uint8_t NearestEntry::search_cell(Rgb8 color) const {
  auto dark = [](uint8_t code) { return static_cast<uint8_t>(code & ~7); };
  auto bright = [](uint8_t code) { return static_cast<uint8_t>(code | 7); };
  Vec3d low = cone_roots(srgb_to_linear(Rgb8{dark(color.r), dark(color.g), dark(color.b)}));
  Vec3d high = cone_roots(srgb_to_linear(Rgb8{bright(color.r), bright(color.g), bright(color.b)}));
  Vec3d axes[] = {roots_to_oklab({1, 0, 0}), roots_to_oklab({0, 1, 0}), roots_to_oklab({0, 0, 1})};
  auto smallest = [](double slope, double from, double to) { return slope * (slope > 0 ? from : to); };

  constexpr double kRounding = 1e-9;  // far above a distance's rounding error, far below any difference that
                                      // matters
  uint8_t answer = search(color);
  Vec3d nearest = entries_[answer - 1u];
  for (uint32_t i = 0; i < count_; ++i) {
    if (i == answer - 1u) continue;
    Vec3d slope = (nearest - entries_[i]) * 2;
    double further =
        dot(entries_[i], entries_[i]) - dot(nearest, nearest) + smallest(dot(axes[0], slope), low.x, high.x) +
        smallest(dot(axes[1], slope), low.y, high.y) + smallest(dot(axes[2], slope), low.z, high.z);
    if (further < kRounding) return kMixed;
  }
  return answer;
}

}  // namespace vox::scene
