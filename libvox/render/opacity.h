// The opacity of a voxel of a volume, by its value: how much of what lies behind it the voxel covers.
#pragma once

#include <vector>

namespace vox::render {

inline constexpr double kVolumeOpacity = 0.7;

struct OpacityPoint {
  double share;    // of the way from the lowest value to the highest, 0 to 1
  double opacity;  // 0 to 1
};
// Points with increasing shares and straight lines between them. Beyond the first and the last point the
// opacity is constant.
using OpacityCurve = std::vector<OpacityPoint>;

// Throws Error if this is not such a curve. A curve without points is valid.
void check_curve(const OpacityCurve& curve);

// Returns the curve's opacity at this share. Without points it is `highest` times the square of the share, so
// that low values are a haze in front of high ones.
double opacity_at(const OpacityCurve& curve, double highest, double share);

}  // namespace vox::render
