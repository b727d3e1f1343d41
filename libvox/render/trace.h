// Traces a ray through a DAG to its first hit. render/README.md explains how.
#pragma once

#include <array>
#include <optional>

#include "libvox/base/bits.h"
#include "libvox/render/ray.h"
#include "libvox/render/ray_dag.h"

namespace vox::render {

// PassedNodes keeps the nodes that a ray has passed on its way down. The ray comes back to them, and other
// rays may begin in them.

// The nodes around the cell that a ray is in, from the root down.
class PassedNodes {
 public:
  // Sets the node whose children are cells of side 2^log2.
  template <class Dag>
  VOX_HD void set(const Dag& dag, uint32_t log2, typename Dag::Node node, uint32_t header) {
    at_[log2] = dag.packed_node(node, header);
  }
  template <class Dag>
  VOX_HD typename Dag::Node node(const Dag& dag, uint32_t log2) const {
    return dag.unpacked_node(at_[log2]);
  }
  VOX_HD uint32_t mask(uint32_t log2) const { return static_cast<uint32_t>(at_[log2]) & 0xff; }

  // Copies the nodes whose children are cells of side 2^low and more, below 2^high.
  VOX_HD void take(const PassedNodes& others, uint32_t low, uint32_t high) {
    for (uint32_t i = low; i < high; ++i) at_[i] = others.at_[i];
  }

 private:
  uint64_t at_[kMaxLog2Side];
};

inline constexpr uint32_t kMiss = UINT32_MAX;

// The box that a ray hits.
struct HitBox {
  Crossing at = 0;           // 8 B, when the ray enters the box; axis kNoAxis: the ray begins in it
  Int3 low = {}, high = {};  // 24 B, the box that was hit, of a voxel or a node; `high` is excluded
  uint32_t log2 = kMiss;     // 4 B, log2 of the side of the cell at which the ray stopped, 0 for a voxel; or
                             // kMiss
  uint32_t node_log2 = 0;    // 4 B, log2 of the side of the smallest node or leaf around the cell

  VOX_HD bool found() const { return log2 != kMiss; }
  // True if both hit the same, wherever the DAG lies in memory.
  VOX_HD friend bool operator==(const HitBox& a, const HitBox& b) {
    return a.at == b.at && a.low == b.low && a.high == b.high && a.log2 == b.log2;
  }
};

// A hit, with the node around the cell (RayDagRef::Node).
template <class Node>
struct NodeHit : HitBox {
  Node node = nullptr;
};
using Hit = NodeHit<const uint32_t*>;

// Returns the normal of the face at which a ray hit, or 0 if the ray began inside.
VOX_HD inline Int3 face_normal(const Ray& ray, const HitBox& hit) {
  const uint32_t axis = axis_of(hit.at);
  const int32_t sign = ray.mirrored >> axis & 1 ? 1 : -1;
  return {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
}

// A node in which rays may begin instead of in the root, because an earlier ray has passed it.
template <class Node>
struct StartIn {
  Node node = nullptr;  // nullptr: only the root is known
  const PassedNodes* passed =
      nullptr;        // the nodes that the earlier ray passed, among them those around this one
  Int3 voxel = {};    // a voxel in the node
  uint32_t log2 = 0;  // log2 of the node's side
};
using StartNode = StartIn<const uint32_t*>;

// Returns the start of rays that begin in a voxel near a hit: the smallest node around the voxel and the hit.
template <class Dag>
VOX_HD StartIn<typename Dag::Node> start_near(const Dag& dag, const PassedNodes& passed,
                                              const NodeHit<typename Dag::Node>& hit, Int3 voxel) {
  const auto changed =
      static_cast<uint32_t>((hit.low.x ^ voxel.x) | (hit.low.y ^ voxel.y) | (hit.low.z ^ voxel.z));
  if (changed >> hit.node_log2 == 0) return {hit.node, &passed, voxel, hit.node_log2};
  const auto part = static_cast<uint32_t>(highest_bit(changed));
  if (part >= dag.log2_side) return {};
  return {passed.node(dag, part), &passed, voxel, part + 1};
}

namespace detail {

template <class Dag>
class Tracer {
 public:
  using Node = typename Dag::Node;
  using Hit = NodeHit<Node>;

  // The passed nodes are stored outside of the tracer, so that its other members need not be in memory.
  VOX_HD Tracer(const Dag& dag, const Ray& ray, PassedNodes& passed)
      : dag_(dag), ray_(ray), passed_(passed), cell_(ray), now_(ray.start) {}

  VOX_HD Hit run(const StartIn<Node>& start) {
    if (!dag_.filled || cell_.next() < now_ || now_ > ray_.end) return {};
    node_ = dag_.root_node();
    if (start.node != nullptr) begin_in(start);
    open_node();
    if (is_full_node()) return stop_inside();
    cell_.halve(ray_, now_);
    // There is one loop, with one place at which a ray goes on to the next cell, so that the lanes of a warp
    // meet there again.
    for (bool passes_by = false;;) {
      while (passes_by || (mask_ >> octant() & 1) == 0) {
        passes_by = false;
        if (!leave()) return {};
      }
      if (cell_.log2 == 0) return stop(dag::kLeafLog2);
      if (is_small()) {
        const Hit hit = stop_at(child());
        if (hit.found()) return hit;
        passes_by = true;
      } else {
        go_down();
        if (is_full_node()) return stop_inside();
        cell_.halve(ray_, now_);
      }
    }
  }

  // A processor follows several rays in turn: while a node of one ray comes from memory, the others go on. These two
  // do what run() does up to the next node, and begin to read that node. They return false when the ray has ended, with
  // the hit that hit() returns.
  bool begin() {
    if (!dag_.filled || cell_.next() < now_ || now_ > ray_.end) return false;
    node_ = dag_.root_node();
    open_node();
    return halve_and_seek();
  }
  bool go_on() {
    if (!next_is_small_) {
      pass_node();
      node_ = next_;
      open_node();
      return halve_and_seek();
    }
    hit_ = stop_at(next_);
    return !hit_.found() && leave() && seek();
  }
  const Hit& hit() const { return hit_; }

 private:
  bool halve_and_seek() {
    if (is_full_node()) {
      hit_ = stop_inside();
      return false;
    }
    cell_.halve(ray_, now_);
    return seek();
  }
  // Goes on to the next cell whose node has to be read.
  bool seek() {
    for (;;) {
      while ((mask_ >> octant() & 1) == 0)
        if (!leave()) return false;
      if (cell_.log2 >= dag::kLeafLog2) break;
      if (cell_.log2 == 0) {
        hit_ = stop(dag::kLeafLog2);
        return false;
      }
      go_down();
      cell_.halve(ray_, now_);
    }
    next_ = child();
    next_is_small_ = is_small();
    dag_.prefetch(next_, next_is_small_ && cell_.log2 > dag::kLeafLog2);
    return true;
  }

  // Begins in a node below the root, if the way down from the root leads to that node.
  VOX_HD void begin_in(const StartIn<Node>& start) {
    const Cell cell(ray_, start.voxel, start.log2);
    if (!cell.holds(ray_, now_) || is_small(cell)) return;
    cell_ = cell;
    node_ = start.node;
    passed_.take(*start.passed, start.log2, dag_.log2_side);
  }

  // True if the cell is that of a node or a leaf and no wider than a pixel. Inside a leaf, going down to
  // the voxel costs no more than stopping would save.
  VOX_HD bool is_small(const Cell& cell) const {
    const int64_t ticks = ticks_to(ray_, now_);
    return cell.log2 >= dag_.finest &&
           (ticks < ray_.widest ? ticks : ray_.widest) >> cell.log2 >= ray_.pixel_is_voxel;
  }
  VOX_HD bool is_small() const { return is_small(cell_); }
  VOX_HD bool is_full_node() const { return cell_.log2 >= dag::kLeafLog2 && dag::is_homogeneous(mask_); }
  VOX_HD uint32_t octant() const { return cell_.octant ^ ray_.mirrored; }
  VOX_HD Node child() const { return dag_.child_in(cell_.log2, node_, mask_, octant()); }

  // Reads the mask of node_. The ray has entered its cell.
  VOX_HD void open_node() {
    if (cell_.log2 > dag::kLeafLog2) {
      mask_ = dag_.header(node_);
      return;
    }
    leaf_mask_ = dag_.leaf(node_);
    mask_ = dag::filled_blocks(leaf_mask_);
  }

  // Goes on to the next cell. Returns false if the ray leaves the cube, or ends.
  VOX_HD bool leave() {
    now_ = cell_.next();
    const uint32_t log2 = cell_.log2;
    cell_.go_on(ray_);
    if (cell_.log2 >= dag_.log2_side || now_ > ray_.end) return false;
    if (cell_.log2 != log2) go_up();
    return true;
  }

  // Finds the parent of the cell again after the cell has become wider than the children of mask_'s node.
  VOX_HD void go_up() {
    if (cell_.log2 < dag::kLeafLog2) {  // from a block to the leaf
      mask_ = dag::filled_blocks(leaf_mask_);
      return;
    }
    node_ = passed_.node(dag_, cell_.log2);
    mask_ = passed_.mask(cell_.log2);
  }

  // Remembers node_, which must be an inner node.
  VOX_HD void pass_node() { passed_.set(dag_, cell_.log2, node_, mask_); }

  VOX_HD void go_down() {
    if (cell_.log2 < dag::kLeafLog2) {  // from the leaf to a block
      mask_ = static_cast<uint32_t>(leaf_mask_ >> 8 * octant()) & 0xff;
      return;
    }
    pass_node();
    node_ = child();
    open_node();
  }

  // Returns the hit at the cell, which must be full.
  VOX_HD Hit stop(uint32_t node_log2) const {
    const Int3 low = cell_.corner(ray_);
    const int32_t side = 1 << cell_.log2;
    return {{now_, low, low + Int3{side, side, side}, cell_.log2, node_log2}, node_};
  }

  // Returns the hit in a cell that is full: goes down to the voxel, or to the width of a pixel.
  VOX_HD Hit stop_inside() {
    const uint32_t node_log2 = cell_.log2;
    while (cell_.log2 > 0 && (cell_.log2 == dag_.log2_side || !is_small())) cell_.halve(ray_, now_);
    return stop(node_log2);
  }

  // Returns the hit at the box around the voxels of the cell's node, or a miss if the ray passes the box by.
  VOX_HD Hit stop_at(Node node) {
    const NodeBox box = cell_.log2 == dag::kLeafLog2 ? leaf_box(dag_.leaf(node)) : dag_.box(node, cell_.log2);
    Crossing enters = now_, leaves = INT64_MAX;
    pass(cell_.out.x, ray_.step.x, box.low.x, box.high.x, 0, enters, leaves);
    pass(cell_.out.y, ray_.step.y, box.low.y, box.high.y, 1, enters, leaves);
    pass(cell_.out.z, ray_.step.z, box.low.z, box.high.z, 2, enters, leaves);
    if (enters >= leaves || enters > ray_.end) return {};
    pass_node();
    const Int3 at = cell_.corner(ray_);
    return {{enters, at + box.low, at + box.high, cell_.log2, cell_.log2}, node};
  }

  // Narrows [enters, leaves] to the time in which the ray is between two planes of the box. The ray leaves
  // the cell at `out`.
  VOX_HD void pass(Crossing out, Crossing step, int32_t low, int32_t high, uint32_t axis, Crossing& enters,
                   Crossing& leaves) const {
    const int32_t side = 1 << cell_.log2;
    const bool down = (ray_.mirrored >> axis & 1) != 0;
    const Crossing near = out - (down ? high : side - low) * step;
    const Crossing far = out - (down ? low : side - high) * step;
    if (near > enters) enters = near;
    if (far < leaves) leaves = far;
  }

  const Dag& dag_;
  const Ray& ray_;
  PassedNodes& passed_;  // the nodes around node_
  Cell cell_;
  Crossing now_;   // the crossing at which the ray entered the cell
  Node node_;      // the node around the cell, or the leaf
  uint32_t mask_;  // the child mask of a node, or the filled parts of a leaf or of a block of it
  uint64_t leaf_mask_ = 0;
  // These are for begin() and go_on() alone.
  Node next_ = nullptr;  // the node of the cell
  bool next_is_small_ = false;
  Hit hit_ = {};
};

}  // namespace detail

// Traces the ray. Keeps the nodes around the hit in `passed`, so that other rays may start there. The hit
// does not depend on the node where the ray starts.
template <class Dag>
VOX_HD NodeHit<typename Dag::Node> trace(const Dag& dag, const Ray& ray,
                                         const StartIn<typename Dag::Node>& start, PassedNodes& passed) {
  return detail::Tracer<Dag>(dag, ray, passed).run(start);
}
template <class Dag>
VOX_HD NodeHit<typename Dag::Node> trace(const Dag& dag, const Ray& ray,
                                         const StartIn<typename Dag::Node>& start = {}) {
  PassedNodes passed;
  return trace(dag, ray, start, passed);
}

// Traces the rays at [0, count) like trace(), from the root, on a processor. They wait for memory together.
template <uint32_t kMost, class Dag>
void trace_together(const Dag& dag, const std::array<Ray, kMost>& rays, uint32_t count,
                    std::array<PassedNodes, kMost>& passed,
                    std::array<NodeHit<typename Dag::Node>, kMost>& hits) {
  static_assert(kMost <= 32);
  std::array<std::optional<detail::Tracer<Dag>>, kMost> tracers;
  uint32_t on_the_way = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (tracers[i].emplace(dag, rays[i], passed[i]).begin()) on_the_way |= 1u << i;
  while (on_the_way != 0)
    for (uint32_t left = on_the_way; left != 0; left &= left - 1)
      if (!tracers[static_cast<uint32_t>(lowest_bit(left))]->go_on()) on_the_way ^= left & -left;
  for (uint32_t i = 0; i < count; ++i) hits[i] = tracers[i]->hit();
}

// The voxel that a ray hits: its bit in a leaf, or a homogeneous node around it. The node is nullptr in a damaged part
// of a paged scene, which looks empty until the error is thrown.
template <class Node>
struct HitVoxel {
  Node node;
  uint32_t bit;
  bool homogeneous;
};

// Walks from a hit's node down to the voxel that the ray hits. If the ray hits a box around voxels at an empty place,
// this takes a voxel straight behind that place, if there is one. So where two walls meet, the face of one of them has
// that wall's material. Calls on_child(node, octant) before it goes from an inner node to the child in this octant. It
// stops at a homogeneous node unless `to_leaf` is set.
template <class Dag, class OnChild>
VOX_HD HitVoxel<typename Dag::Node> hit_voxel(const Dag& dag, const Ray& ray,
                                              const NodeHit<typename Dag::Node>& hit, bool to_leaf,
                                              OnChild on_child) {
  const uint32_t face = 1u << axis_of(hit.at) & 7, near = ray.mirrored & face;
  typename Dag::Node node = hit.node;
  Cell cell(ray, hit.low, hit.node_log2);
  uint32_t block = 0, bit = 0;
  for (bool behind = false; cell.log2 > 0;) {
    const uint32_t log2 = cell.log2;
    const uint32_t header = log2 > dag::kLeafLog2 ? dag.header(node) : 0;
    if (!to_leaf && dag::is_homogeneous(header)) return {node, 0, true};
    const uint32_t mask = log2 > dag::kLeafLog2 ? dag::child_mask(header)
                          : log2 == dag::kLeafLog2
                              ? dag::filled_blocks(dag.leaf(node))
                              : static_cast<uint32_t>(dag.leaf(node) >> 8 * block) & 0xff;
    if (mask == 0) return {nullptr, 0, false};
    cell.halve(ray, hit.at);
    uint32_t octant = cell.octant ^ ray.mirrored;
    if (behind) octant = (octant & ~face) | near;
    if ((mask >> octant & 1) == 0) {
      behind = true;
      octant ^= face;
      if ((mask >> octant & 1) == 0) octant = static_cast<uint32_t>(lowest_bit(mask));
    }
    if (log2 > dag::kLeafLog2) {
      on_child(node, octant);
      node = dag.child_in(log2 - 1, node, mask, octant);
    } else if (log2 == dag::kLeafLog2) {
      block = octant;
    } else {
      bit = block << 3 | octant;
    }
  }
  return {node, bit, false};
}

template <class Dag>
VOX_HD uint32_t hit_material(const Dag& dag, const Ray& ray, const NodeHit<typename Dag::Node>& hit) {
  if constexpr (!Dag::kMayHaveMaterials)
    return 0;
  else {
    const auto voxel = hit_voxel(dag, ray, hit, false, [](typename Dag::Node, uint32_t) {});
    if (voxel.node == nullptr) return 0;
    return voxel.homogeneous ? dag::homogeneous_material(dag.header(voxel.node))
                             : dag.material(voxel.node, voxel.bit);
  }
}

}  // namespace vox::render
