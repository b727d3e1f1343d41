#include "libvox/measure/intersect_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "libvox/base/error.h"
#include "libvox/measure/timing.h"
#include "libvox/scene/procedural/shapes.h"
#include "libvox/voxelize/leaf_pairs.h"

namespace vox::measure {

static_assert(IntersectOptions::kMostResolution <= voxelize::kMostVoxelPairsResolution);

void check(const IntersectOptions& options) {
  check_names(options.tables, hash::key_table_names(), "the list of hash tables");
  check_axis({options.resolution}, "the resolution", IntersectOptions::kLeastResolution,
             IntersectOptions::kMostResolution);
  if (options.frames < 1 || options.frames > IntersectOptions::kMostFrames)
    throw UsageError(fmt::format("the number of frames is {}, expected 1 to {}", options.frames,
                                 IntersectOptions::kMostFrames));
}

double IntersectRow::total_seconds() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

std::optional<double> IntersectSummary::frames_per_second() const {
  if (!frame || frame->median <= 0) return std::nullopt;
  return 1 / frame->median;
}

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
