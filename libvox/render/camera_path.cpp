#include "libvox/render/camera_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/base/length.h"

namespace vox::render {
namespace {

using Part = Vec3d CameraKey::*;

// Returns how fast a part of the keys changes at key i, per second.
Vec3d speed(std::span<const CameraKey> keys, size_t i, Part part) {
  const auto between = [&](size_t a) {
    return (keys[a + 1].*part - keys[a].*part) * (1 / (keys[a + 1].time - keys[a].time));
  };
  if (i == 0) return between(0);
  if (i + 1 == keys.size()) return between(i - 1);
  const double before = keys[i].time - keys[i - 1].time, after = keys[i + 1].time - keys[i].time;
  return (between(i - 1) * after + between(i) * before) * (1 / (before + after));
}

Vec3d on_cubic(std::span<const CameraKey> keys, size_t i, double time, Part part) {
  const double length = keys[i + 1].time - keys[i].time, t = (time - keys[i].time) / length, rest = 1 - t;
  return keys[i].*part * (rest * rest * (1 + 2 * t)) + speed(keys, i, part) * (length * rest * rest * t) +
         keys[i + 1].*part * (t * t * (1 + 2 * rest)) - speed(keys, i + 1, part) * (length * t * t * rest);
}

CameraKey key_at(std::span<const CameraKey> keys, double time) {
  const auto after = std::ranges::upper_bound(keys, time, {}, &CameraKey::time);
  if (after == keys.end()) return keys.back();
  const auto i = static_cast<size_t>(after - keys.begin()) - 1;
  if (keys[i].time == time) return keys[i];
  CameraKey key = {.eye = on_cubic(keys, i, time, &CameraKey::eye),
                   .target = on_cubic(keys, i, time, &CameraKey::target),
                   .fov = keys[i].fov,
                   .time = time,
                   .up = keys[i].up};
  const double share = (time - keys[i].time) / (keys[i + 1].time - keys[i].time);
  if (key.fov && keys[i + 1].fov) key.fov = *key.fov + (*keys[i + 1].fov - *key.fov) * share;
  if (key.up && keys[i + 1].up) key.up = *key.up + (*keys[i + 1].up - *key.up) * share;
  return key;
}

// Between an up vector and its opposite there is a moment at which the vector has no length.
void check_up(const CameraKey& key) {
  if (key.up && !(length(*key.up) > kShortestUp))
    throw Error(
        fmt::format(
            "the up vector has no length at {:.6g} s of the camera path, where it turns into its opposite",
            key.time))
        .hint("add a row in between with an up vector to one side");
}

Error too_many() {
  return Error(fmt::format("the camera path has more than {} pictures", kMaxPictures));
}

}  // namespace

std::vector<CameraKey> pictures_of(const CameraPath& path, double fps) {
  if (path.empty() || !path.timed) {
    if (path.keys.size() > kMaxPictures) throw too_many();
    return path.keys;
  }
  const double first = path.keys.front().time, seconds = path.keys.back().time - first;
  constexpr double kRounding = 1e-6;  // in pictures: times like 0.1 have no exact double
  if (!(seconds * fps < kMaxPictures)) throw too_many();
  const auto count = static_cast<uint32_t>(seconds * fps + kRounding) + 1;
  std::vector<CameraKey> pictures;
  for (uint32_t i = 0; i < count; ++i) {
    pictures.push_back(key_at(path.keys, first + i / fps));
    check_up(pictures.back());
  }
  return pictures;
}

}  // namespace vox::render
