// The colors of a volume's values: amounts on a scale, labels, and how much each value covers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/scene/palette.h"
#include "libvox/volume/volume.h"

namespace vox::render {

// The colors of amounts: a volume's values from the lowest to the highest, and other measured values.

// A scale of two or more colors, evenly spaced.
using ValueScale = std::vector<scene::Rgb8>;

ValueScale gray_scale();     // from black to white
ValueScale bone_scale();     // the same with bluish colors in between, like X-rays
ValueScale viridis_scale();  // the colors of ramp_color()
// Returns a scale through these colors. There must be at least two.
ValueScale scale_through(std::span<const scene::Rgb8> stops);

// Returns the color that is nearest to this share of the way, from 0 to 1.
scene::Rgb8 scale_color(const ValueScale& scale, double share);

// Returns a color between two stops. Colors change evenly to the eye. `at` counts stops.
scene::Rgb8 color_between(std::span<const scene::Rgb8> stops, double at);

// Labels are values of a volume that stand for organs, cells or materials instead of amounts. There are no
// values between two labels, and each label has a color of its own.

// The kCastColors colors of labels. A label has the color at its label_slot() (bricks/volume_cast.h).
using LabelColors = std::vector<scene::Rgb8>;

// Returns colors with hues far from each other, farthest for the first labels.
LabelColors distinct_colors();
// Returns these colors in order, repeated. Label 1 has the first color.
LabelColors repeated_colors(std::span<const scene::Rgb8> colors);
// Returns the colors of a scene's materials, for a scene that is read as a volume: label m + 1 is material
// m.
LabelColors material_colors(const scene::Palette& palette);

// The result of survey_labels().
struct LabelSurvey {
  std::vector<uint32_t> labels;  // all labels of filled voxels
  // True if the values seem to be labels: there are three or more different whole numbers, and nine out of
  // ten filled voxels have an equal neighbor.
  bool likely = false;
};

// Reads the whole volume if its values are whole numbers that are not negative. In other volumes it finds no
// labels. Empty bricks are not read.
LabelSurvey survey_labels(const volume::Volume& volume, uint32_t background);
LabelSurvey survey_labels(const bricks::FrozenBricks& bricks);

// A voxel's opacity is the share of the light from behind that it blocks. It depends on the voxel's value.

inline constexpr double kVolumeOpacity = 0.7;

struct OpacityPoint {
  double share;    // the position between the lowest and the highest value, 0 to 1
  double opacity;  // 0 to 1
};
// Points with increasing shares and straight lines between them. Beyond the first and the last point the
// opacity is constant.
using OpacityCurve = std::vector<OpacityPoint>;

// Throws Error if the curve is invalid. A curve without points is valid.
void check_curve(const OpacityCurve& curve);

// Returns the curve's opacity at this share. Without points it is `highest` times the square of the share.
// Low values are then a haze in front of high ones.
double opacity_at(const OpacityCurve& curve, double highest, double share);

}  // namespace vox::render
