// The pixels of a slice through a scene. render_impl.h includes this file.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/render/ray_dag.h"
#include "libvox/render/render.h"
#include "libvox/render/voxel_colors.h"
#include "libvox/scene/palette.h"

namespace vox::render {

inline constexpr Int3 kNoVoxel = {-1, -1, -1};

// Finds the first filled voxel, in Morton order, of a plane inside a cell, or kNoVoxel if there is none.
template <class Dag>
class PlaneSearch {
 public:
  // `corner` is the cell's lowest voxel, and 2^log2 its side. The plane must go through the cell.
  VOX_HD PlaneSearch(const Dag& dag, uint32_t axis, uint32_t at, Int3 corner, uint32_t log2)
      : dag_(dag), axis_(axis), at_(at), corner_(corner), log2_(log2) {}

  VOX_HD Int3 voxel() const {
    const Node node = dag_.node_at(corner_, log2_);
    if (node == nullptr) return kNoVoxel;
    return log2_ <= dag::kLeafLog2 ? in_leaf(node, corner_) : below(node);
  }

 private:
  using Node = typename Dag::Node;

  VOX_HD Int3 below(Node cell) const {
    Node nodes[kMaxLog2Side + 1];
    uint32_t left[kMaxLog2Side + 1];  // the node's children that have not been visited yet
    uint32_t log2 = log2_;
    Int3 at = corner_;  // the node's place; lower bits belong to a child that the walk has left
    nodes[log2] = cell;
    left[log2] = children_in_plane(cell, log2);
    for (;;) {
      const Node node = nodes[log2];
      if (left[log2] == 0) {
        if (++log2 > log2_) return kNoVoxel;
        continue;
      }
      const auto octant = static_cast<uint32_t>(lowest_bit(left[log2]));
      left[log2] &= left[log2] - 1;
      const Node child = dag_.child_in(log2 - 1, node, dag_.header(node), octant);
      const auto cleared = [&](int32_t v) { return v >> log2 << log2; };
      at = Int3{cleared(at.x), cleared(at.y), cleared(at.z)} + octant_corner(octant, 1 << (log2 - 1));
      if (--log2 > dag::kLeafLog2) {
        nodes[log2] = child;
        left[log2] = children_in_plane(child, log2);
        continue;
      }
      const Int3 voxel = in_leaf(child, at);
      if (voxel.x >= 0) return voxel;
      ++log2;
    }
  }

  VOX_HD uint32_t children_in_plane(Node node, uint32_t log2) const {
    const uint32_t low_half = lower_octants(axis_);
    return dag::child_mask(dag_.header(node)) & ((at_ >> (log2 - 1) & 1) != 0 ? ~low_half : low_half);
  }

  // Returns the first of the plane's voxels in the leaf that contains `at`, or in the cell if the cell is
  // smaller than a leaf.
  VOX_HD Int3 in_leaf(Node leaf, Int3 at) const {
    uint64_t mask = dag_.leaf(leaf) & plane_voxels(axis_, at_);
    if (log2_ < dag::kLeafLog2) {
      mask &= (log2_ == 0 ? uint64_t{1} : uint64_t{0xff}) << cube_bit(corner_);
    }
    if (mask == 0) return kNoVoxel;
    const auto cleared = [](int32_t v) { return v >> dag::kLeafLog2 << dag::kLeafLog2; };
    return Int3{cleared(at.x), cleared(at.y), cleared(at.z)} +
           cube_place(static_cast<uint32_t>(lowest_bit(mask)));
  }

  const Dag& dag_;
  uint32_t axis_, at_;
  Int3 corner_;
  uint32_t log2_;
};

template <class Dag>
struct SlicePixels {
  Dag dag;
  SliceFrame frame;
  scene::Rgba8 colors[scene::kPaletteSize];
  scene::Rgba8 empty;
  VoxelColorsRef voxel_colors;  // if it has no values, materials have colors
  scene::Rgba8* pixels;

  VOX_HD void operator()(uint64_t i) const {
    const auto cell = [](uint64_t pixel, uint32_t cells, uint32_t all) {
      return static_cast<int32_t>(pixel * cells / all);
    };
    const int32_t x = cell(i % frame.size.width, frame.width, frame.size.width),
                  y = cell(i / frame.size.width, frame.height, frame.size.height);
    const int32_t side = 1 << frame.log2_cell;
    const int32_t across = frame.first[0] + x * side * frame.step[0],
                  along = frame.first[1] + y * side * frame.step[1];
    const auto plane = static_cast<int32_t>(frame.at >> frame.log2_cell << frame.log2_cell);
    const auto part = [&](uint32_t axis) {
      return axis == frame.axis ? plane : axis == frame.across ? across : along;
    };
    const PlaneSearch search(dag, frame.axis, frame.at, {part(0), part(1), part(2)}, frame.log2_cell);
    const Int3 voxel = search.voxel();
    pixels[i] = voxel.x < 0 ? empty : color_of(voxel);
  }

 private:
  VOX_HD scene::Rgba8 color_of(Int3 voxel) const {
    if (voxel_colors.values.groups == nullptr) return colors[dag.material_at(voxel)];
    const uint32_t color = voxel_colors.at(dag, voxel);
    return {static_cast<uint8_t>(color), static_cast<uint8_t>(color >> 8), static_cast<uint8_t>(color >> 16),
            255};
  }
};

}  // namespace vox::render
