#include "libvox/measure/moving_pair.h"

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/scene/procedural/noise.h"

namespace vox::measure {

double MovingPair::turn(uint32_t frame) const {
  return static_cast<double>(frame) / frames;
}

double MovingPair::shift(uint32_t frame) const {
  const double way = frames == 1 ? 0 : 2.0 * frame / (frames - 1) - 1;
  return kWay * resolution * way;
}

MeshPlace MovingPair::resting(const voxelize::Box& box) const {
  const Vec3d size = box.max - box.min;
  const double longest = std::max({size.x, size.y, size.z}), middle = resolution / 2.0;
  if (!(longest > 0)) throw Error("a mesh without extent cannot be placed on a grid");
  return {(box.min + box.max) * 0.5, kShare * resolution / longest, 1, 0, {middle, middle, middle}};
}

MeshPlace MovingPair::moving(const voxelize::Box& box, uint32_t frame) const {
  MeshPlace place = resting(box);
  const scene::Vec2d direction = scene::unit_circle(turn(frame));
  place.cos = direction.x;
  place.sin = direction.y;
  place.to.x += shift(frame);
  return place;
}

}  // namespace vox::measure
