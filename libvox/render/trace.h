// The first thing that a ray hits in a DAG. See README.md for how.
#pragma once

#include "libvox/base/morton.h"
#include "libvox/render/cell.h"
#include "libvox/render/ray_dag.h"

namespace vox {

inline constexpr uint32_t kMiss = UINT32_MAX;

struct Hit {
  Crossing at = 0;        // 8 B, by which the ray enters what it hits; axis kNoAxis: it begins there
  Int3 corner = {};       // 12 B, the lowest of it, in voxels
  uint32_t log2 = kMiss;  // 4 B, of its side: 0 for a voxel, more where the ray stopped at a node; or kMiss
  uint32_t material = 0;  // 4 B

  VOX_HD bool found() const { return log2 != kMiss; }
  VOX_HD friend bool operator==(const Hit&, const Hit&) = default;
};

// The normal of the face at which a ray hit; 0 where the ray began inside.
VOX_HD inline Int3 face_normal(const Ray& ray, const Hit& hit) {
  const uint32_t axis = axis_of(hit.at);
  const int32_t sign = ray.mirrored >> axis & 1 ? 1 : -1;
  return {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
}

// Bit i: byte i of a leaf's mask has a bit. Mask bytes are 2³ blocks.
VOX_HD inline uint32_t filled_blocks(uint64_t mask) {
  mask |= mask >> 4;
  mask |= mask >> 2;
  mask |= mask >> 1;
  return static_cast<uint32_t>((mask & 0x0101010101010101) * 0x0102040810204080 >> 56);
}

namespace detail {

class Tracer {
 public:
  VOX_HD Tracer(const RayDagRef& dag, const Ray& ray) : dag_(dag), ray_(ray), cell_(ray), now_(ray.start) {}

  VOX_HD Hit run() {
    if (!dag_.filled || cell_.next() < now_ || now_ > ray_.end) return {};
    node_ = dag_.nodes[dag_.log2_side];
    if (is_small()) return stop(dag_.first_material(node_, cell_.log2));
    open_node();
    for (;;) {
      if (is_full_node()) return stop_inside(homogeneous_material(mask_));
      cell_.halve(ray_, now_);
      if (!find_filled()) return {};
      if (cell_.log2 == 0 || is_small()) return stop(material());
      go_down();
    }
  }

 private:
  struct Entry {
    uint32_t node;  // 4 B, its offset
    uint32_t mask;  // 4 B, its header
  };

  // Whether the cell is no wider than a pixel.
  VOX_HD bool is_small() const { return ticks_to(ray_, now_) >> cell_.log2 >= ray_.pixel_is_voxel; }
  VOX_HD bool is_full_node() const { return cell_.log2 > kLeafLog2 && is_homogeneous(mask_); }
  VOX_HD uint32_t octant() const { return cell_.octant() ^ ray_.mirrored; }
  VOX_HD const uint32_t* child() const { return dag_.nodes[cell_.log2] + node_[child_word(mask_, octant())]; }

  // The cell is that of node_.
  VOX_HD void open_node() {
    mask_ = node_[0];
    if (cell_.log2 > kLeafLog2) return;
    leaf_mask_ = leaf_mask(node_);
    mask_ = filled_blocks(leaf_mask_);
  }

  // From cell to cell, empty ones, to one that holds something: false where the ray leaves the cube.
  VOX_HD bool find_filled() {
    while ((mask_ >> octant() & 1) == 0) {
      now_ = cell_.next();
      const uint32_t log2 = cell_.log2;
      cell_.go_on(ray_);
      if (cell_.log2 >= dag_.log2_side || now_ > ray_.end) return false;
      if (cell_.log2 != log2) go_up();
    }
    return true;
  }

  // The cell's parent is another one than that of mask_.
  VOX_HD void go_up() {
    if (cell_.log2 < kLeafLog2) {  // from a block to the leaf
      mask_ = filled_blocks(leaf_mask_);
      return;
    }
    const Entry& entry = above_[cell_.log2];
    node_ = dag_.nodes[cell_.log2 + 1] + entry.node;
    mask_ = entry.mask;
  }

  VOX_HD void go_down() {
    if (cell_.log2 < kLeafLog2) {  // from the leaf to a block
      mask_ = static_cast<uint32_t>(leaf_mask_ >> 8 * octant()) & 0xff;
      return;
    }
    above_[cell_.log2] = {static_cast<uint32_t>(node_ - dag_.nodes[cell_.log2 + 1]), mask_};
    node_ = child();
    open_node();
  }

  // The cell's lowest corner in the grid.
  VOX_HD Int3 corner() const {
    const uint32_t last = (1u << dag_.log2_side) - 1;
    const auto unmirrored = [&](uint32_t at, uint32_t axis) {
      return static_cast<int32_t>((ray_.mirrored >> axis & 1 ? at ^ last : at) >> cell_.log2 << cell_.log2);
    };
    return {unmirrored(cell_.at.x, 0), unmirrored(cell_.at.y, 1), unmirrored(cell_.at.z, 2)};
  }

  // Of the cell, which holds something: its first voxel's, where it is more than a voxel.
  VOX_HD uint32_t material() const {
    if (cell_.log2 >= kLeafLog2) return dag_.first_material(child(), cell_.log2);
    const Int3 at = corner();
    const auto first = static_cast<uint32_t>(morton_encode(at.x & 3, at.y & 3, at.z & 3));
    return dag_.material(node_, first + static_cast<uint32_t>(lowest_bit(leaf_mask_ >> first)));
  }

  VOX_HD Hit stop(uint32_t material) const { return {now_, corner(), cell_.log2, material}; }

  // In a cell that is full: down to the voxel, or to the width of a pixel.
  VOX_HD Hit stop_inside(uint32_t material) {
    while (cell_.log2 > 0 && !is_small()) cell_.halve(ray_, now_);
    return stop(material);
  }

  const RayDagRef& dag_;
  const Ray& ray_;
  Cell cell_;
  Crossing now_;          // when the ray entered the cell
  const uint32_t* node_;  // the node around the cell, or the leaf
  uint32_t mask_;         // its header; of the leaf, or the block in it: what is filled
  uint64_t leaf_mask_ = 0;
  Entry above_[kMaxLog2Side];  // the nodes around it, [i]: whose parts are cells of 2^i
};

}  // namespace detail

VOX_HD inline Hit trace(const RayDagRef& dag, const Ray& ray) {
  return detail::Tracer(dag, ray).run();
}

}  // namespace vox
