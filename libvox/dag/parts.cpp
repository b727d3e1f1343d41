#include "libvox/dag/parts.h"

#include <tbb/parallel_sort.h>

#include <map>
#include <unordered_set>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/dag/node.h"

namespace vox::dag {
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
