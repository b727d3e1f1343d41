// A pinhole camera, and the rays through the points of its image. The host sets it up, in arithmetic that
// rounds alike everywhere. Devices get its rays as PixelRays.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/render/ray.h"

namespace vox::render {

struct ImageSize {
  uint32_t width = 1920, height = 1080;  // in pixels
};

inline constexpr double kMinFov = 0.001, kMaxFov = 175;  // in degrees

// The camera's place and the point at which it looks, from the grid's corner, in units of a voxel's shortest side: in
// voxels, if voxels are cubes.
struct CameraPose {
  Vec3d eye = {}, target = {};
  double fov = 40;       // in degrees, across the image's shorter side
  Vec3d up = {0, 1, 0};  // of any length; points up in the image, or along the view
};

// A camera in voxels. If voxels are no cubes, it is compressed along their longer sides, like the scene.
struct Camera {
  Vec3d eye;           // 24 B
  Vec3d corner;        // 24 B, the direction to the image's upper left corner
  Vec3d right, down;   // 48 B, the steps to the next pixel
  Vec3d per_unit;      // 24 B, voxels in a unit of the pose
  double spread;       // 8 B, the width of a pixel at distance 1; 0: no level of detail
  ImageSize size;      // 8 B
  uint32_t log2_side;  // 4 B, log2 of the side of the scene's cube

  // Returns the direction to a point of the image, given in pixels from its upper left corner. Its length is
  // not 1.
  Vec3d direction(double x, double y) const { return corner + right * x + down * y; }
};

// An up vector must be longer than this, in its own unit.
inline constexpr double kShortestUp = 1e-9;

// Throws Error if the eye is at the target, too far away or not finite, if the up vector has no length, if
// the angle is not between kMinFov and kMaxFov degrees, or if the image has no pixels. `per_unit` is at most 1 along each axis.
Camera make_camera(const CameraPose& pose, ImageSize size, uint32_t log2_side, Vec3d per_unit = {1, 1, 1});

// The names of the views: "iso", "front", "back", "left", "right", "top", "bottom".
const std::vector<std::string>& view_names();

// Returns boxes around parts of the scene, for framing(): one around the voxels of each node of kOutlineLevel, or of
// each leaf if leaves are larger. Together they are little larger than the scene.
inline constexpr uint32_t kOutlineLevel = 6;  // at most 64³ boxes; surfaces meet far fewer
std::vector<VoxelBox> outline(const dag::FrozenDag& dag);

// Returns a pose from which all boxes just fit in the image, with a small margin. `view` is one of
// view_names(); it is turned around the vertical axis by `turn` degrees. Without boxes, one voxel is framed.
CameraPose framing(std::span<const VoxelBox> boxes, const std::string& view, double turn, double fov,
                   ImageSize size);

// Returns `count` such poses, once around the boxes, all at the same distance. It is the least distance at
// which every pose has all boxes in its image.
std::vector<CameraPose> turntable(std::span<const VoxelBox> boxes, const std::string& view, uint32_t count,
                                  double fov, ImageSize size);

// The rays through the points of an image, in whole numbers: the form in which a device reads a camera.

// Places along an axis of an image are counted in 2^-16 of a pixel.
inline constexpr uint32_t kSubpixelBits = 16;

struct PixelRays {
  FinePoint eye;         // 24 B
  FineDirection corner;  // 24 B, the direction to the image's upper left corner
  FineDirection right;   // 24 B, the step to the next pixel
  FineDirection down;    // 24 B
  float depth_one;       // 4 B, the length of directions' component straight ahead, which is 1 in a Camera
  float spread;          // 4 B, the width of a pixel at distance 1; 0: no level of detail
  uint32_t log2_side;    // 4 B, log2 of the side of the scene's cube
  Vec3<float> sides;     // 12 B, the sides of a voxel, whose shortest one is 1

  // Returns the direction to a point of the image that is `x` and `y` subpixels from its upper left corner.
  VOX_HD FineDirection direction(uint32_t x, uint32_t y) const {
    return corner + along(right, x) + along(down, y);
  }

 private:
  VOX_HD static FineDirection along(FineDirection pixel, uint32_t subpixels) {
    const auto pixels = static_cast<int64_t>(subpixels >> kSubpixelBits),
               rest = static_cast<int64_t>(subpixels & ((1u << kSubpixelBits) - 1));
    const auto part = [=](int64_t d) { return d * pixels + (d >> kSubpixelBits) * rest; };
    return {part(pixel.x), part(pixel.y), part(pixel.z)};
  }
};

// Directions have 57 bits, which leaves room for directions to points some pixels outside of the image.
PixelRays pixel_rays(const Camera& camera);

// Viewpoints: the places from which pictures are taken.

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

// Returns the layer of voxels from which on a room is shown to this camera. Everything before it, a third of the
// room, is left out; the layer itself is shown. The part that is left out is the top or the bottom if the camera
// looks down or up, otherwise the camera's side.
struct RoomLayer {
  uint32_t axis;  // 0, 1, 2 for x, y, z
  uint32_t at;
};
RoomLayer layer_into_room(const VoxelBox& filled, const CameraPose& pose);

}  // namespace vox::render
