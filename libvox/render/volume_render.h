// Takes pictures of a volume by rays cast through its bricks (bricks/volume_cast.h).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/render/labels.h"
#include "libvox/render/opacity.h"
#include "libvox/render/render.h"
#include "libvox/render/value_scale.h"
#include "libvox/volume/value_rule.h"

namespace vox::render {

// Where a volume lies in the world. Cameras stand in units of its smallest spacing from its lowest corner.
class VolumeSpace {
 public:
  // Throws Error where the spacing cannot be that of a volume to look at.
  explicit VolumeSpace(const volume::VolumeInfo& info);

  Vec3d corner() const { return corner_; }                    // in the world
  double unit() const { return unit_; }                       // in units of the world
  Vec3d voxels_per_unit() const { return voxels_per_unit_; }  // negative where an axis runs backwards
  Vec3d to_voxels(Vec3d point) const;
  VoxelBox around(const VoxelBox& voxels) const;

 private:
  Int3 size_;
  Vec3d corner_, voxels_per_unit_;
  double unit_;
};

// Boxes in voxels around the bricks that are not empty, at most 64 along each axis; none where all are empty.
std::vector<VoxelBox> outline(const bricks::FrozenBricks& bricks);

struct VolumeRenderOptions {
  CameraPose pose;  // see VolumeSpace
  ImageSize size;
  // The opacity of a voxel with the highest value, 0 to 1; with lower values it falls to 0.
  double opacity = kVolumeOpacity;
  OpacityCurve curve = {};  // of amounts; where it has points, instead of the opacity
  ValueScale scale = {};    // of amounts; empty: viridis_scale()
  std::optional<double> iso =
      {};  // the isosurface of this share of the range is shown alone, in the last colour
  Vec3d to_sun = {0.45, 0.8, 0.6};
  scene::Rgb8 background = {24, 26, 32};
  // The colours of labels, which all have the same opacity; where this is empty, values are amounts.
  LabelColors labels = {};
  std::optional<RowBand> band = {};  // only these rows, which are the whole picture's
};

// The values that colours stand for: the lowest value of the volume is transparent, the highest has the last
// colour. A volume of one value has the last colour everywhere unless the value is the background.
volume::ValueRange color_range(const bricks::FrozenBricks& bricks);

// All that rays need but the table of colours and the pixels. Throws Error as make_camera() does, and where
// the options make no picture.
bricks::CastView cast_view(const bricks::FrozenBricks& bricks, const volume::ValueRange& range,
                           const VolumeRenderOptions& options);
// The table of colours: of amounts by the share that a value has of the range, or of labels.
std::vector<bricks::CastColor> cast_colors(const VolumeRenderOptions& options);

// Holds bricks on a device while pictures of them are taken.
class VolumeRenderer {
 public:
  virtual ~VolumeRenderer() = default;

  virtual volume::ValueRange range() const = 0;  // color_range(); the ends of every picture's ramp
  // Throws Error as cast_view() does.
  virtual Picture render(const VolumeRenderOptions& options) = 0;
};

// The bricks are ones that check_structure() accepts; they outlive the renderer.
template <class Device>
std::unique_ptr<VolumeRenderer> make_volume_renderer(Device& device, const bricks::FrozenBricks& bricks);

}  // namespace vox::render
