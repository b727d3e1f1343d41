#include "libvox/render/upper_levels.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/level_values.h"
#include "libvox/dag/node.h"
#include "libvox/dag/paged_level.h"

namespace vox::render {
namespace {

struct NodeDetail {
  PackedBox box = 0;
  StoredMean mean = StoredMean(NodeMean{});
};

uint32_t log2_of_level(const dag::FrozenDag& dag, uint32_t level) {
  return dag::kLeafLog2 + dag.depth() - level;
}

// Returns the width of the pixel that shows the middle of the scene, in voxels.
double usual_pixel(const Camera& camera, const VoxelBox& filled) {
  const Int3 sum = filled.min + filled.max;
  const Vec3d middle = {0.5 * sum.x, 0.5 * sum.y, 0.5 * sum.z}, apart = middle - camera.eye;
  return std::sqrt(dot(apart, apart)) * camera.spread;
}

// Makes the values of one node from those of its children, as BoundNodes and AverageNodes do.
class DetailOfNodes {
 public:
  DetailOfNodes(const dag::FrozenDag& dag, uint32_t level, const Light* materials)
      : log2_(log2_of_level(dag, level)), materials_(materials) {
    leaves_.materials = dag.materials ? 1 : 0;
  }

  template <class Children>
  NodeDetail operator()(uint64_t, const uint32_t* node, Children& children) const {
    const uint64_t mask = log2_ == dag::kLeafLog2 ? dag::leaf_mask(node) : dag::child_mask(node[0]);
    // A damaged part of a paged scene looks like a full node until the error is thrown.
    if (mask == 0) return {packed({{0, 0, 0}, {1 << log2_, 1 << log2_, 1 << log2_}}, log2_)};
    if (log2_ == dag::kLeafLog2)
      return {packed(leaf_box(mask), log2_), StoredMean(leaf_mean(leaves_, node, ~uint64_t{0}, materials_))};
    const auto half = static_cast<int32_t>(1u << (log2_ - 1));
    VoxelBox all = {{0, 0, 0}, {0, 0, 0}};
    Light sum = {0, 0, 0};
    float voxels = 0;
    const uint32_t* pointer = node + 1;
    dag::visit_bits(mask, [&](uint32_t octant) {
      const NodeDetail child = children[*pointer++];
      const NodeBox box = unpacked(child.box, log2_ - 1);
      const Int3 corner = octant_corner(octant, half);
      const VoxelBox moved = {corner + box.low, corner + box.high};
      all = all.empty() ? moved : hull(all, moved);
      const NodeMean mean = child.mean.mean();
      sum = sum + mean.light * mean.voxels;
      voxels += mean.voxels;
    });
    if (voxels > 0) sum = sum * (1 / voxels);
    return {packed({all.min, all.max}, log2_), StoredMean({sum, voxels})};
  }

 private:
  uint32_t log2_;
  const Light* materials_;
  RayDagRef leaves_ = {};  // says whether leaves have materials
};

}  // namespace

std::optional<uint32_t> finest_upper_level(const dag::FrozenDag& dag, const Camera& camera,
                                           const VoxelBox& filled, uint64_t memory) {
  constexpr uint64_t kBytesOfWord = sizeof(uint32_t) + (sizeof(PackedBox) + sizeof(PackedColor)) / 2;
  uint64_t words = 0;
  std::optional<uint32_t> finest;
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    words += dag.levels[level].words.size();
    if (words * kBytesOfWord > memory) break;
    finest = log2_of_level(dag, level);
  }
  if (!finest || usual_pixel(camera, filled) < std::ldexp(1.0, static_cast<int>(*finest)))
    return std::nullopt;
  log_info("the scene is read once for the colors of nodes of {} voxels a side and more", 1u << *finest);
  return finest;
}

void find_upper_detail(const dag::FrozenDag& dag, uint32_t finest, const Light* materials,
                       const LightCodes& codes, uint64_t memory, PackedBox* boxes, PackedColor* colors) {
  std::vector<uint64_t> begins = {0};  // the first word of each level that is kept
  for (const dag::DagLevel& level : dag.levels) begins.push_back(begins.back() + level.words.size());
  Progress progress("measuring levels of detail", dag.levels.size());
  dag::LevelValues<NodeDetail> below;
  for (uint32_t level = dag.depth() + 1; level-- > 0;) {
    throw_if_cancelled();
    const dag::DagLevel& from = dag.levels[level];
    below = dag::values_of_level<NodeDetail>(from, below, memory, ranks::alone(),
                                             DetailOfNodes(dag, level, materials));
    progress.update(dag.levels.size() - level, fmt::format("{} levels", dag.levels.size() - level));
    if (log2_of_level(dag, level) < finest) continue;
    auto readers = below.readers();
    parallel_for(tbb::blocked_range<uint64_t>(0, from.places.nodes(), 1 << 12), [&](const auto& range) {
      auto& values = readers.local();
      for (uint64_t number = range.begin(); number < range.end(); ++number) {
        const NodeDetail detail = values[number];
        const uint64_t at = (begins[level] + from.places[number]) / 2;
        const Light light = detail.mean.mean().light;
        boxes[at] = detail.box;
        colors[at] = codes(light.x) | codes(light.y) << 8 | codes(light.z) << 16;
      }
    });
  }
}

}  // namespace vox::render
