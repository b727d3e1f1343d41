#include "libvox/render/camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/base/geometry.h"

namespace vox::render {
namespace {

Vec3d up_vector(Up up) {
  return turned_back(Vec3d{0, 1, 0}, up) + Vec3d{0, 0, 0};  // adding 0 turns −0 into 0
}

std::vector<CameraPose> on_the_way(const Viewpoints& from, const Place& place) {
  std::vector<CameraPose> poses;
  for (const CameraKey& key : pictures_of(from.path, from.fps))
    poses.push_back({.eye = place.to_units(key.eye),
                     .target = place.to_units(key.target),
                     .fov = key.fov.value_or(from.fov),
                     .up = key.up.value_or(up_vector(from.up))});
  return poses;
}

// Returns the poses around the boxes, in axes in which y points up.
std::vector<CameraPose> around(std::span<const VoxelBox> boxes, const Viewpoints& from, ImageSize size) {
  if (from.turntable > 0) return turntable(boxes, from.view, from.turntable, from.fov, size);
  return {framing(boxes, from.view, 0, from.fov, size)};
}

// The filled cells of an outline, and for each line of cells along an axis the first and the last of them.
class OutlineCells {
 public:
  explicit OutlineCells(const dag::FrozenDag& dag) {
    const auto side = static_cast<int32_t>(dag.level_side(std::min(kOutlineLevel, dag.depth())));
    for (const VoxelBox& box : outline(dag)) {
      const Int3 cell = {box.min.x / side, box.min.y / side, box.min.z / side};
      filled_.push_back(cell);
      around_ = hull(around_, {cell, cell + Int3{1, 1, 1}});
      for (uint32_t axis = 0; axis < 3; ++axis) {
        Line& line = lines_[axis][number(cell, axis)];
        line = {std::min(line.first, cell[axis]), std::max(line.last, cell[axis])};
      }
    }
  }

  const std::vector<Int3>& filled() const { return filled_; }
  // The box around all filled cells, less the walls of a room that fills it.
  VoxelBox between_walls() const {
    const Int3 wall = {kWall, kWall, kWall};
    return {around_.min + wall, around_.max - wall};
  }

  // True if something stands before the cell in all six directions, further away than walls are thick.
  bool is_inside(Int3 cell) const {
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const Line& line = lines_[axis][number(cell, axis)];
      if (cell[axis] - line.first < kWall || line.last - cell[axis] < kWall) return false;
    }
    return true;
  }

 private:
  static constexpr int32_t kSide = 1 << kOutlineLevel, kWall = 2;  // cells
  struct Line {
    int32_t first = kSide, last = -1;
  };

  static size_t number(Int3 cell, uint32_t axis) {
    return static_cast<size_t>(cell[(axis + 1) % 3]) * kSide + static_cast<size_t>(cell[(axis + 2) % 3]);
  }

  std::vector<Int3> filled_;
  VoxelBox around_ = {{kSide, kSide, kSide}, {0, 0, 0}};
  std::array<std::array<Line, size_t{kSide} * kSide>, 3> lines_;
};

}  // namespace

bool is_closed_room(const dag::FrozenDag& dag) {
  if (dag.empty()) return false;
  constexpr uint64_t kThingShare = 200;  // at least one filled cell in so many lies between the walls
  const OutlineCells cells(dag);
  const VoxelBox room = cells.between_walls();
  if (room.empty()) return false;
  uint64_t inside = 0;
  for (Int3 at = room.min; at.z < room.max.z; ++at.z)
    for (at.y = room.min.y; at.y < room.max.y; ++at.y)
      for (at.x = room.min.x; at.x < room.max.x; ++at.x) inside += cells.is_inside(at) ? 1 : 0;
  const auto things = static_cast<uint64_t>(
      std::ranges::count_if(cells.filled(), [&](Int3 cell) { return cells.is_inside(cell); }));
  return 3 * (inside - things) >= 2 * room.voxels() && things * kThingShare >= cells.filled().size();
}

RoomLayer layer_into_room(const VoxelBox& filled, const CameraPose& pose) {
  const Vec3d back = pose.eye - pose.target;
  const double across = std::max(std::fabs(back.x), std::fabs(back.z));
  const uint32_t axis = std::fabs(back.y) > across / 8 ? 1 : std::fabs(back.x) > std::fabs(back.z) ? 0 : 2;
  const int32_t third = filled.size()[axis] / 3;
  const int32_t at = back[axis] > 0 ? filled.max[axis] - 1 - third : filled.min[axis] + third;
  return {axis, static_cast<uint32_t>(at)};
}

std::vector<CameraPose> poses_from(const Viewpoints& from, std::span<const VoxelBox> boxes,
                                   const Place& place, ImageSize size) {
  if (!from.path.empty()) return on_the_way(from, place);
  std::vector<VoxelBox> turned;
  for (const VoxelBox& box : boxes) turned.push_back(turned_up(box, from.up));
  std::vector<CameraPose> poses = around(turned, from, size);
  for (CameraPose& pose : poses)
    pose = {turned_back(pose.eye, from.up), turned_back(pose.target, from.up), pose.fov, up_vector(from.up)};
  if (from.eye && from.turntable == 0) {
    if (from.target) poses.front().target = place.to_units(*from.target);
    poses.front().eye = place.to_units(*from.eye);
  }
  return poses;
}

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
