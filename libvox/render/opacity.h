// How much of what lies behind it a voxel of a volume covers, by its value.
#pragma once

#include <vector>

namespace vox::render {

inline constexpr double kVolumeOpacity = 0.7;

struct OpacityPoint {
  double share;    // of the way from the lowest value to the highest, 0 to 1
  double opacity;  // 0 to 1
};
// Points whose shares grow, with straight lines between them; values beyond its ends are as those at the ends.
using OpacityCurve = std::vector<OpacityPoint>;

// Throws Error where this is no such curve. One without points is.
void check_curve(const OpacityCurve& curve);

// What the curve has at this share; without points `highest` times the square of the share, so that low values
// are a haze before high ones.
double opacity_at(const OpacityCurve& curve, double highest, double share);

}  // namespace vox::render
