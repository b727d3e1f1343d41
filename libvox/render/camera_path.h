// A camera path: poses that a user has written down, and the poses in between.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "libvox/render/camera.h"

namespace vox::render {

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
  bool timed = false;  // the keys have times, which increase

  bool empty() const { return keys.empty(); }
};

// Returns the keys of the pictures. A path with times has `fps` of them per second, from its first key on;
// other paths have one for each key. Between two keys, eye and target move on cubics whose speed at a key is
// that of the parabola through it and its neighbours (Catmull and Rom, for uneven times). The angle and the
// up vector change linearly if both keys have one. Throws Error if there are more than kMaxPictures pictures,
// or if the up vector of one of them has no length.
std::vector<CameraKey> pictures_of(const CameraPath& path, double fps);

}  // namespace vox::render
