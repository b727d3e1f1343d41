// Viewpoints: the places from which pictures are taken.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/render/camera.h"
#include "libvox/render/camera_path.h"
#include "libvox/render/up_axis.h"

namespace vox::render {

// The place in the world of the scene or volume that is shown. Cameras stand in units of `unit` from its
// corner.
struct Place {
  Vec3d corner;
  double unit;

  Vec3d to_units(Vec3d world) const { return (world - corner) * (1 / unit); }
  Vec3d to_world(Vec3d units) const { return units * unit + corner; }
};

struct Viewpoints {
  std::string view = view_names().front();     // one of view_names(), used if there is no eye
  std::optional<Vec3d> eye = {}, target = {};  // in the world; without a target, the middle
  double fov = CameraPose().fov;
  uint32_t turntable = 0;  // the number of pictures, once around; 0: one picture
  CameraPath path = {};    // if not empty, pictures on this path instead
  double fps = 30;         // pictures per second on a path with times
  Up up = Up::Y;           // the up direction of views, and of keys that give none
};

// Returns the poses for pictures of these boxes. Boxes and poses are in units of `place`. Throws Error as
// pictures_of() does.
std::vector<CameraPose> poses_from(const Viewpoints& from, std::span<const VoxelBox> boxes,
                                   const Place& place, ImageSize size);

// True if the scene is a room that is seen from outside as a closed box: in all six directions things stand before most
// of its inside, which is mostly empty but not quite. A hollow thing without anything in it is no such room.
bool is_closed_room(const dag::FrozenDag& dag);

// Returns the plane that opens a room to this camera, and the layer behind it stays: from above or below if the camera
// looks down or up, otherwise from its side. A third of the room lies before the plane.
struct RoomLayer {
  uint32_t axis;  // 0, 1, 2 for x, y, z
  uint32_t at;
};
RoomLayer layer_into_room(const VoxelBox& filled, const CameraPose& pose);

}  // namespace vox::render
