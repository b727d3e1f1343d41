#include "libvox/dag/walk.h"

#include <tbb/parallel_sort.h>

#include <atomic>
#include <cstring>
#include <map>
#include <unordered_set>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/dag/node.h"

namespace vox::dag {
namespace {

// Returns the voxels of a leaf whose coordinate along the axis is in [begin, end). Both may lie outside the
// leaf.
uint64_t planes(uint32_t axis, int32_t begin, int32_t end) {
  uint64_t mask = 0;
  for (int32_t at = 0; at < int32_t{kLeafSide}; ++at)
    if (begin <= at && at < end) mask |= plane_voxels(axis, static_cast<uint32_t>(at));
  return mask;
}

}  // namespace

uint64_t leaf_mask_inside(Int3 corner, const VoxelBox& region) {
  VoxelBox leaf = cube_at(corner, kLeafSide);
  if (intersection(leaf, region) == leaf) return ~uint64_t{0};
  const Int3 begin = region.min - corner, end = region.max - corner;
  uint64_t mask = ~uint64_t{0};
  for (uint32_t axis = 0; axis < 3; ++axis) mask &= planes(axis, begin[axis], end[axis]);
  return mask;
}

void write_dense(const FrozenDag& dag, const VoxelBox& box, uint8_t* bytes) {
  std::memset(bytes, 0, box.voxels());
  const Int3 size = box.size();
  auto at = [&](Int3 voxel) {
    const Int3 v = voxel - box.min;
    return bytes + (uint64_t(v.z) * uint64_t(size.y) + uint64_t(v.y)) * uint64_t(size.x) + v.x;
  };
  auto put_leaf = [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
    visit_bits(mask, [&](uint32_t bit) { *at(corner + cube_place(bit)) = leaf_value(dag, leaf, bit); });
  };
  auto put_solid = [&](const VoxelBox& solid, uint32_t material) {
    for (int32_t z = solid.min.z; z < solid.max.z; ++z)
      for (int32_t y = solid.min.y; y < solid.max.y; ++y)
        std::memset(at({solid.min.x, y, z}), solid_value(material), size_t(solid.size().x));
  };
  for_each_leaf(dag, box, put_leaf, put_solid);
}

volume::Volume scene_volume(const VoxelScene& scene) {
  const auto side = static_cast<int32_t>(scene.dag.resolution);
  volume::VolumeInfo info;
  info.size = {side, side, side};
  info.spacing = scene.voxel_size.sides();
  info.origin = scene.origin;
  info.source = scene.source;
  return {std::move(info),
          [&dag = scene.dag](const VoxelBox& box, std::byte* values) {
            write_dense(dag, box, reinterpret_cast<uint8_t*>(values));
          },
          [&dag = scene.dag](const VoxelBox& box) { return !has_filled(dag, box); }};
}

VoxelNumbers::VoxelNumbers(const FrozenDag& dag) : dag_(dag), levels_(dag.depth()) {
  for (uint32_t level = dag.depth(); level-- > 0;) {
    const DagLevel& nodes = dag.levels[level];
    Level& here = levels_[level];
    here.low.resize(nodes.words.size());
    // Only nodes of so many levels above the leaves can have 2^32 voxels.
    const bool may_be_many = dag.level_side(level) > 1024;
    if (may_be_many) here.high.resize(nodes.words.size());
    std::atomic<bool> are_many = false;
    parallel_for_each(nodes, [&](uint64_t number, const uint32_t* node) {
      const uint64_t first = nodes.places[number];
      const auto put = [&](uint64_t word, uint64_t count) {
        here.low[word] = static_cast<uint32_t>(count);
        if (may_be_many) here.high[word] = static_cast<uint32_t>(count >> 32);
      };
      uint64_t sum = 0;
      for (uint32_t i = 1; i < node_words(node[0]); ++i) {
        put(first + i, sum);
        sum += voxels(level + 1, node[i]);
      }
      put(first, sum);
      if (sum >> 32 != 0) are_many = true;
    });
    if (!are_many) here.high = {};
  }
}

VoxelNumbers::NumberedLeaf VoxelNumbers::leaf_at(Int3 corner) const {
  uint64_t first = 0, number = 0;
  for (uint32_t level = 0; level < dag_.depth(); ++level) {
    const uint32_t* const node = dag_.levels[level].node(number);
    const uint32_t octant = octant_at(corner, kLeafLog2 + dag_.depth() - level - 1);
    const uint32_t word = child_word(node[0], octant);
    first += before(level, number, word);
    number = node[word];
  }
  return {first, dag_.levels[dag_.depth()].node(number)};
}

namespace {

// Returns the header of the parent of these nodes.
uint32_t header_above(const TopNode* begin, const TopNode* end) {
  uint32_t header = 0;
  bool alike = end - begin == 8 && begin->material >= 0;
  for (const TopNode* child = begin; child < end; ++child) {
    header |= 1u << (child->code & 7);
    alike = alike && child->material == begin->material;
  }
  return alike ? homogeneous_header(static_cast<uint32_t>(begin->material)) : header;
}

}  // namespace

void sort_by_code(std::vector<TopNode>& nodes) {
  tbb::parallel_sort(nodes.begin(), nodes.end(),
                     [](const TopNode& a, const TopNode& b) { return a.code < b.code; });
}

NodesAbove nodes_above(const std::vector<TopNode>& children) {
  NodesAbove above;
  for (size_t i = 0; i < children.size(); ++i)
    if (i == 0 || children[i].code >> 3 != children[i - 1].code >> 3) above.starts.push_back(i);
  above.nodes.resize(above.starts.size());
  above.headers.resize(above.starts.size());
  above.starts.push_back(children.size());
  parallel_for(size_t{0}, above.nodes.size(), [&](size_t i) {
    const TopNode *begin = children.data() + above.starts[i], *end = children.data() + above.starts[i + 1];
    const uint32_t header = header_above(begin, end);
    above.headers[i] = header;
    above.nodes[i] = {.code = begin->code >> 3,
                      .digest = node_digest(header, [&](uint32_t c) { return begin[c].digest; }),
                      .material = is_homogeneous(header) ? begin->material : -1};
  });
  return above;
}

namespace {

// Finds one face of the box. Distances are counted in voxels along the axis, from the face of the cube on that
// side. The search always opens the node that may hold the nearest voxel, and the smallest of several such
// nodes, until the nearest is a voxel. So if there is a voxel at the face of the cube, a few nodes are read.
// Otherwise, all nodes are read that reach farther out than the result, each unique node once.

enum class Face { Low, High };

class OutermostVoxel {
 public:
  OutermostVoxel(const FrozenDag& dag, uint32_t axis, Face face)
      : dag_(dag), axis_(axis), face_(face), opened_(dag.levels.size()) {}

  // Returns the coordinate of the outermost filled voxel's face: the first voxel's, or the end behind the last
  // one.
  int32_t coordinate() {
    const auto side = static_cast<int32_t>(dag_.side());
    return face_ == Face::Low ? distance() : side - distance();
  }

 private:
  // Nodes of a level whose nearest voxels may be at this distance, or a voxel that is at this distance.
  struct Candidates {
    int32_t distance;
    uint32_t level;  // one more than the leaves' for a voxel

    bool operator<(const Candidates& other) const {
      return distance != other.distance ? distance < other.distance : level > other.level;
    }
  };

  int32_t distance() {
    candidates_[{0, 0}] = {0};
    while (!candidates_.empty()) {
      const auto first = candidates_.begin();
      const Candidates best = first->first;
      if (best.level > dag_.depth()) return best.distance;
      if (first->second.empty()) {
        candidates_.erase(first);
        continue;
      }
      const uint32_t number = first->second.back();
      first->second.pop_back();
      // The first time that a node is opened, it is as far out as it can be.
      if (!opened_[best.level].insert(number).second) continue;
      const uint32_t* node = dag_.levels[best.level].node(number);
      if (best.level == dag_.depth())
        add_voxel(best, leaf_mask(node));
      else
        add_children(best, node);
    }
    throw Error("no leaf has voxels").hint("a verification of the file says more");
  }

  void add_voxel(const Candidates& leaf, uint64_t mask) {
    if (mask == 0) return;
    const VoxelBox box = leaf_bounds(mask);
    const int32_t inside =
        face_ == Face::Low ? box.min[axis_] : static_cast<int32_t>(kLeafSide) - box.max[axis_];
    candidates_[{leaf.distance + inside, leaf.level + 1}] = {};
  }

  void add_children(const Candidates& parent, const uint32_t* node) {
    const uint32_t low_half = lower_octants(axis_);
    const uint32_t outer = face_ == Face::Low ? low_half : ~low_half & 0xff;
    add(parent.distance, parent.level + 1, node, outer);
    add(parent.distance + static_cast<int32_t>(dag_.level_side(parent.level + 1)), parent.level + 1, node,
        ~outer & 0xff);
  }

  // Adds those children of a node that the mask `chosen` selects.
  void add(int32_t distance, uint32_t level, const uint32_t* node, uint32_t chosen) {
    chosen &= child_mask(node[0]);
    if (chosen == 0) return;
    std::vector<uint32_t>& numbers = candidates_[{distance, level}];
    for (; chosen != 0; chosen &= chosen - 1)
      numbers.push_back(node[child_word(node[0], static_cast<uint32_t>(lowest_bit(chosen)))]);
  }

  const FrozenDag& dag_;
  uint32_t axis_;
  Face face_;
  // The numbers of nodes. Those that are opened next come first.
  std::map<Candidates, std::vector<uint32_t>> candidates_;
  std::vector<std::unordered_set<uint32_t>> opened_;  // the numbers of opened nodes, by level
};

}  // namespace

VoxelBox filled_box(const FrozenDag& dag) {
  if (dag.empty()) return {};
  const auto face = [&](Face f) {
    return Int3{OutermostVoxel(dag, 0, f).coordinate(), OutermostVoxel(dag, 1, f).coordinate(),
                OutermostVoxel(dag, 2, f).coordinate()};
  };
  return {face(Face::Low), face(Face::High)};
}

}  // namespace vox::dag
