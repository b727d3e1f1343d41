// A pinhole camera: rays through the points of an image. It is set up on the host, in arithmetic that rounds
// alike everywhere; devices take its rays from pixel_rays.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::render {

struct ImageSize {
  uint32_t width = 1920, height = 1080;  // pixels
};

inline constexpr double kMinFov = 0.001, kMaxFov = 175;  // degrees

// Where the camera stands and where it looks, in voxels.
struct CameraPose {
  Vec3d eye = {}, target = {};
  double fov = 40;       // degrees, of the image's shorter side
  Vec3d up = {0, 1, 0};  // of any length: it points up in the image, or away from or to the eye
};

struct Camera {
  Vec3d eye;           // 24 B
  Vec3d corner;        // 24 B, from the eye to the image's upper left corner
  Vec3d right, down;   // 48 B, to the next pixel
  double spread;       // 8 B, width of a pixel at distance 1; 0: no level of detail
  ImageSize size;      // 8 B
  uint32_t log2_side;  // 4 B, of the scene's cube

  // The direction to a point of the image, in pixels from its upper left corner. It is not of length 1.
  Vec3d direction(double x, double y) const { return corner + right * x + down * y; }
};

// What is up is longer than this, whatever its unit.
inline constexpr double kShortestUp = 1e-9;

// Throws Error where the eye is at the target, too far away or nowhere, where nothing is up, where the angle is not between 0 and
// 180 degrees, or the image has no pixels.
Camera make_camera(const CameraPose& pose, ImageSize size, uint32_t log2_side);

// The names of the views: "iso", "front", "back", "left", "right", "top", "bottom".
const std::vector<std::string>& view_names();

// Boxes around parts of the scene, for framing(). Together they are little larger than the scene.
std::vector<VoxelBox> outline(const dag::FrozenDag& dag);

// A pose from which all boxes are just in the image, with a little room around them. `view` is one of
// view_names(); it is turned around the vertical axis by `turn` degrees. Without boxes one voxel is framed.
CameraPose framing(std::span<const VoxelBox> boxes, const std::string& view, double turn, double fov,
                   ImageSize size);

// `count` such poses, once around the boxes, all at one distance: the least from which each of them has all
// boxes in its image.
std::vector<CameraPose> turntable(std::span<const VoxelBox> boxes, const std::string& view, uint32_t count,
                                  double fov, ImageSize size);

}  // namespace vox::render
