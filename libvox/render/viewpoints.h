// Viewpoints: from where pictures are taken.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/render/camera.h"
#include "libvox/render/camera_path.h"
#include "libvox/render/up_axis.h"

namespace vox::render {

// Where the scene or volume shown lies in the world. Cameras stand in units of `unit` from its corner.
struct Place {
  Vec3d corner;
  double unit;

  Vec3d to_units(Vec3d world) const { return (world - corner) * (1 / unit); }
  Vec3d to_world(Vec3d units) const { return units * unit + corner; }
};

struct Viewpoints {
  std::string view = view_names().front();     // one of view_names(), where there is no eye
  std::optional<Vec3d> eye = {}, target = {};  // in the world; without a target, the middle
  double fov = CameraPose().fov;
  uint32_t turntable = 0;  // how many pictures, once around; 0: one picture
  CameraPath path = {};    // pictures on a way instead, where it is not empty
  double fps = 30;         // pictures a second, of a timed way
  Up up = Up::Y;           // of views, and of what says nothing else
};

// The poses for pictures of these boxes. Boxes and poses are in units. Throws Error as pictures_of() does.
std::vector<CameraPose> poses_from(const Viewpoints& from, std::span<const VoxelBox> boxes,
                                   const Place& place, ImageSize size);

}  // namespace vox::render
