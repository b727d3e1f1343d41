#include "libvox/measure/rays_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "libvox/base/error.h"
#include "libvox/edit/edit.h"

namespace vox::measure {

void check(const RaysBenchOptions& options) {
  if (options.tables.empty() || options.states.empty() || options.views.empty() || options.bounces.empty())
    throw UsageError("nothing to measure: tables, states, views and bounces need at least one value");
  check_names(options.tables, hash::table_names(), "the list of hash tables");
  check_axis(options.bounces, "a number of bounces", 0, RaysBenchOptions::kMostBounces);
  check_axis({options.radius}, "the radius of a sphere", 1, edit::kMaxEditRadius);
  check_axis({options.edits.value_or(1)}, "the number of edits", 1, RaysBenchOptions::kMostEdits);
  check_axis({options.repetitions.value_or(1)}, "the number of repetitions", 1,
             RaysBenchOptions::kMostRepetitions);
  if (options.picture == 0u) throw UsageError("a picture needs at least one pixel");
  check_picture_side(options.picture.value_or(1));
}

RaysBenchSizes sizes_of(const RaysBenchOptions& options, const std::string& device) {
  const RaysBenchSizes preset = device == "cpu" ? RaysBenchOptions::kCpuSizes : RaysBenchOptions::kGpuSizes;
  return {options.picture.value_or(preset.picture), options.edits.value_or(preset.edits),
          options.repetitions.value_or(preset.repetitions)};
}

double RaysBenchResult::of_frozen(const RaysBenchRow& row) const {
  const auto frozen = std::ranges::find_if(rows, [&](const RaysBenchRow& other) {
    return other.table == RaysBenchOptions::kFrozenName && other.state == row.state &&
           other.view == row.view && other.bounces == row.bounces;
  });
  return frozen == rows.end() ? 1 : frozen->time.median / row.time.median;
}

render::Camera camera_of(const dag::FrozenDag& dag, RaysView view, uint32_t picture) {
  const std::vector<VoxelBox> boxes = render::outline(dag);
  const render::ImageSize size = {picture, picture};
  render::CameraPose pose;
  if (view == RaysView::Outside) {
    pose = render::framing(boxes, "iso", 0, pose.fov, size);
  } else {
    VoxelBox all = boxes.front();
    for (const VoxelBox& box : boxes) all = hull(all, box);
    const auto middle = [](int32_t low, int32_t high) { return std::midpoint(low, high) + 0.5; };
    pose.eye = {middle(all.min.x, all.max.x), middle(all.min.y, all.max.y), middle(all.min.z, all.max.z)};
    pose.target = pose.eye + Vec3d{0.3, -0.2, -1};
    pose.fov = 90;
  }
  return render::make_camera(pose, size, dag::kLeafLog2 + dag.depth());
}

}  // namespace vox::measure
