// From where pictures are taken.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/render/camera.h"

namespace vox::render {

// Where what is shown lies in the world: cameras stand in units of `unit` from its corner.
struct Place {
  Vec3d corner;
  double unit;

  Vec3d to_units(Vec3d world) const { return (world - corner) * (1 / unit); }
  Vec3d to_world(Vec3d units) const { return units * unit + corner; }
};

struct Viewpoints {
  std::string view = view_names().front();     // one of view_names(), where there is no eye
  std::optional<Vec3d> eye = {}, target = {};  // in the world; the target without one: the middle
  double fov = CameraPose().fov;
  uint32_t turntable = 0;  // so many pictures, once around; 0: one picture
};

// Poses for pictures of what is in the boxes, which are in units, as the poses are.
std::vector<CameraPose> poses_from(const Viewpoints& from, std::span<const VoxelBox> boxes,
                                   const Place& place, ImageSize size);

}  // namespace vox::render
