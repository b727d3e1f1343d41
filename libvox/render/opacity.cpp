#include "libvox/render/opacity.h"

#include <fmt/format.h>

#include "libvox/base/error.h"

namespace vox::render {

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
