// Viewpoints: the places from which pictures are taken.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/render/camera.h"

namespace vox::render {

// A camera path consists of poses that a user has written down, and of the poses between them.

inline constexpr uint32_t kMaxPictures = 10000;  // the most pictures of a path or of a turntable

// A row of a camera path, in world coordinates.
struct CameraKey {
  Vec3d eye = {}, target = {};
  std::optional<double> fov = {};  // in degrees
  double time = 0;                 // in seconds
  std::optional<Vec3d> up = {};
};

// The keys of a camera path. Without times there is one picture for each key; with times the camera goes
// through the keys smoothly.
struct CameraPath {
  std::vector<CameraKey> keys = {};
  bool timed = false;  // true if the keys have times, which increase

  bool empty() const { return keys.empty(); }
};

// Returns a key for each picture. A path with times has `fps` pictures per second, from its first key on;
// other paths have one for each key. Between two keys, eye and target move on cubics whose speed at a key is
// that of the parabola through it and its neighbors (Catmull and Rom, for uneven times). The angle and the up
// vector change linearly if both keys have one. Throws Error if there are more than kMaxPictures pictures, or
// if the up vector of one of them has no length.
std::vector<CameraKey> pictures_of(const CameraPath& path, double fps);

// The direction that points up in pictures of a volume. Views expect y to point up, so the volume's boxes
// are turned accordingly, and the poses are turned back.

enum class Up { X, Y, Z, MinusX, MinusY, MinusZ };

// Returns the vector in axes of which y points up. X, Y and Z are turned as in voxelize/grid.h.
template <class T>
constexpr Vec3<T> turned_up(const Vec3<T>& v, Up up) {
  switch (up) {
    case Up::X:
      return {v.z, v.x, v.y};
    case Up::MinusX:
      return {v.z, -v.x, -v.y};
    case Up::MinusY:
      return {v.x, -v.y, -v.z};
    case Up::Z:
      return {v.x, v.z, -v.y};
    case Up::MinusZ:
      return {v.x, -v.z, v.y};
    case Up::Y:
      break;
  }
  return v;
}

// Returns the vector v for which turned_up(v, up) is this vector.
template <class T>
constexpr Vec3<T> turned_back(const Vec3<T>& v, Up up) {
  switch (up) {
    case Up::X:
      return {v.y, v.z, v.x};
    case Up::MinusX:
      return {-v.y, -v.z, v.x};
    case Up::Z:
      return {v.x, -v.z, v.y};
    case Up::MinusZ:
      return {v.x, v.z, -v.y};
    case Up::MinusY:
    case Up::Y:
      break;
  }
  return turned_up(v, up);
}

inline VoxelBox turned_up(const VoxelBox& box, Up up) {
  const Int3 a = turned_up(box.min, up), b = turned_up(box.max, up);
  VoxelBox turned = {a, b};
  for (uint32_t axis = 0; axis < 3; ++axis)
    if (a[axis] > b[axis]) turned.min[axis] = b[axis], turned.max[axis] = a[axis];
  return turned;
}

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

// True if the scene is a room that looks like a closed box from outside: in all six directions things cover most of its
// inside, which is mostly empty, but not completely. A hollow thing without anything in it is no such room.
bool is_closed_room(const dag::FrozenDag& dag);

// Returns the plane that opens a room to this camera. The layer behind it stays. The room opens above or below if the
// camera looks down or up, otherwise on the camera's side. A third of the room lies before the plane.
struct RoomLayer {
  uint32_t axis;  // 0, 1, 2 for x, y, z
  uint32_t at;
};
RoomLayer layer_into_room(const VoxelBox& filled, const CameraPose& pose);

}  // namespace vox::render
