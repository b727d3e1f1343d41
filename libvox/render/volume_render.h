// Takes pictures of a volume with rays through its bricks (bricks/volume_cast.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/device/handle.h"
#include "libvox/render/render.h"
#include "libvox/scene/palette.h"
#include "libvox/volume/volume.h"

namespace vox::render {

// The colors of a volume's values: amounts on a scale, labels, and how much each value covers.

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

// The place of a volume in the world. Cameras stand in units of its smallest spacing from its lowest corner.
class VolumeSpace {
 public:
  // Throws Error if a volume with this spacing cannot be shown.
  explicit VolumeSpace(const volume::VolumeInfo& info);

  Vec3d corner() const { return corner_; }                    // in the world
  double unit() const { return unit_; }                       // in world units
  Vec3d voxels_per_unit() const { return voxels_per_unit_; }  // negative if an axis runs backwards
  Vec3d to_voxels(Vec3d point) const;
  VoxelBox around(const VoxelBox& voxels) const;

 private:
  Int3 size_;
  Vec3d corner_, voxels_per_unit_;
  double unit_;
};

// Returns boxes in voxels around the bricks that are not empty, at most 64 along each axis, or none if all
// are empty.
std::vector<VoxelBox> outline(const bricks::FrozenBricks& bricks);

struct VolumeRenderOptions {
  CameraPose pose;  // see VolumeSpace
  ImageSize size;
  // The opacity of a voxel with the highest value, from 0 to 1. It falls to 0 for lower values.
  double opacity = kVolumeOpacity;
  OpacityCurve curve = {};                       // for amounts; if it has points, it replaces the opacity
  ValueScale scale = {};                         // for amounts; empty: viridis_scale()
  std::optional<volume::ValueRange> range = {};  // the values at the scale's ends; absent: color_range()
  std::optional<double> iso =
      {};  // if set, shows only the isosurface at this share of the range, in the last color
  Vec3d to_sun = {0.45, 0.8, 0.6};
  scene::Rgb8 background = {24, 26, 32};
  // The colors of labels, which all have the same opacity. If this is empty, values are amounts.
  LabelColors labels = {};
  std::optional<RowBand> band = {};  // only these rows of the whole picture
};

// Returns the range of values that colors represent. The volume's lowest value is transparent, and its
// highest has the last color. A volume with only one value has the last color everywhere, unless the value
// is the background.
volume::ValueRange color_range(const bricks::FrozenBricks& bricks);

// Returns all data that rays need except the table of colors and the pixels. Throws Error if make_camera()
// does, or if the options make no picture.
bricks::CastView cast_view(const bricks::FrozenBricks& bricks, const volume::ValueRange& range,
                           const VolumeRenderOptions& options);
// Returns the table of colors, of amounts by their share of the range or of labels.
std::vector<bricks::CastColor> cast_colors(const VolumeRenderOptions& options);

// Holds bricks on a device while pictures of them are taken.
class VolumeRenderer {
 public:
  virtual ~VolumeRenderer() = default;

  virtual volume::ValueRange range() const = 0;  // color_range(): the values at the ends of a picture's scale
                                                 // unless its options name others
  // Throws Error as cast_view() does.
  virtual Picture render(const VolumeRenderOptions& options) = 0;
};

// Copies bricks to the device, to take pictures of them. The bricks and the device must outlive the renderer.
// check_structure() must accept the bricks. Throws Error if the bricks have no place in the world, or if a value is not
// finite.
template <class Device>
std::unique_ptr<VolumeRenderer> make_volume_renderer(Device& device, const bricks::FrozenBricks& bricks);
std::unique_ptr<VolumeRenderer> make_volume_renderer(device::DeviceHandle device,
                                                     const bricks::FrozenBricks& bricks);

// A slice is a cut through a volume that shows values as colors.

// The colors of values. The scale of amounts covers the range of the whole volume, so that all of its
// slices and views match. Labels, if there are any, have colors of their own.
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

// Decides how the values of a volume are shown: as amounts on one scale, or as labels with a color each.

enum class ValuesAs { Auto, Amounts, Labels };

struct ShownValues {
  enum class Kind { Amounts, Materials, Labels };
  Kind kind = Kind::Amounts;
  ValueColors colors;
  std::vector<uint32_t> labels = {};  // all labels that occur; empty for amounts
};

// Decides how values are shown. `palette` belongs to a scene whose materials the values are. Without a
// palette, and with ValuesAs::Auto, the values are labels if survey_labels() finds that likely. Throws
// UsageError if labels are asked for but the values cannot be labels.
ShownValues shown_values(const bricks::FrozenBricks& bricks, const std::optional<scene::Palette>& palette,
                         ValuesAs as);

// Returns the range from the 1 % to the 99 % quantile of the filled voxels' values, to 1/65,536 of the range of all
// values. So a few very low or high values do not make all others look alike. If the quantiles are equal, returns
// color_range().
volume::ValueRange window_of_most(const bricks::FrozenBricks& bricks);

}  // namespace vox::render
