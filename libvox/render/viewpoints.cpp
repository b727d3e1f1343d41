#include "libvox/render/viewpoints.h"

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

}  // namespace

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

}  // namespace vox::render
