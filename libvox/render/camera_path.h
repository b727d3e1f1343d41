// A camera's way: poses that a user has written down, and those in between.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "libvox/render/camera.h"

namespace vox::render {

inline constexpr uint32_t kMaxPictures = 10000;  // of a way, or a turntable

// A row of a way, in the world.
struct CameraKey {
  Vec3d eye = {}, target = {};
  std::optional<double> fov = {};  // degrees
  double time = 0;                 // seconds
  std::optional<Vec3d> up = {};
};

// The keys of a way. Without times it is its keys; with times it goes through them, smoothly.
struct CameraPath {
  std::vector<CameraKey> keys = {};
  bool timed = false;  // the times of the keys grow

  bool empty() const { return keys.empty(); }
};

// The keys of the pictures: of a timed way `fps` in a second, from its first key on, else one for each key.
// Between two keys eye and target are on cubics whose speed at a key is that of the parabola through it and
// its neighbours (Catmull and Rom, for uneven times); the angle, and what is up, change evenly, where both keys have one.
// Throws Error where these are more than kMaxPictures, and where nothing is up in one of them.
std::vector<CameraKey> pictures_of(const CameraPath& path, double fps);

}  // namespace vox::render
