// The pixels of a slice through a scene. render_impl.h includes this file.
#pragma once

#include "libvox/base/morton.h"
#include "libvox/render/ray_dag.h"
#include "libvox/render/slice.h"

namespace vox::render {

// Finds the first voxel in Morton order among the voxels of a plane inside a cell.
class PlaneSearch {
 public:
  // `corner` is the cell's lowest voxel, and 2^log2 its side. The plane must go through the cell.
  VOX_HD PlaneSearch(const RayDagRef& dag, uint32_t axis, uint32_t at, Int3 corner, uint32_t log2)
      : dag_(dag), axis_(axis), at_(at), corner_(corner), log2_(log2) {}

  // Returns the material of the voxel that was found, or kNoMaterial if there is none.
  VOX_HD uint32_t material() const {
    const uint32_t* node = dag_.node_at(corner_, log2_);
    if (!node) return kNoMaterial;
    return log2_ <= dag::kLeafLog2 ? in_leaf(node) : below(node);
  }

 private:
  VOX_HD uint32_t below(const uint32_t* cell) const {
    const uint32_t* nodes[kMaxLog2Side + 1];
    uint32_t left[kMaxLog2Side + 1];  // the node's children that have not been visited yet
    uint32_t log2 = log2_;
    nodes[log2] = cell;
    left[log2] = children_in_plane(cell, log2);
    for (;;) {
      const uint32_t* node = nodes[log2];
      if (dag::is_homogeneous(node[0])) return dag::homogeneous_material(node[0]);
      if (left[log2] == 0) {
        if (++log2 > log2_) return kNoMaterial;
        continue;
      }
      const auto octant = static_cast<uint32_t>(lowest_bit(left[log2]));
      left[log2] &= left[log2] - 1;
      const uint32_t* child = dag_.nodes[log2 - 1] + node[dag::child_word(node[0], octant)];
      if (--log2 > dag::kLeafLog2) {
        nodes[log2] = child;
        left[log2] = children_in_plane(child, log2);
        continue;
      }
      const uint32_t material = in_leaf(child);
      if (material != kNoMaterial) return material;
      ++log2;
    }
  }

  VOX_HD uint32_t children_in_plane(const uint32_t* node, uint32_t log2) const {
    const uint32_t low_half = lower_octants(axis_);
    return dag::child_mask(node[0]) & ((at_ >> (log2 - 1) & 1) != 0 ? ~low_half : low_half);
  }

  // Returns the material of the first of the plane's voxels in the leaf, or in the cell if the cell is
  // smaller than a leaf.
  VOX_HD uint32_t in_leaf(const uint32_t* leaf) const {
    uint64_t mask = dag::leaf_mask(leaf) & plane_voxels(axis_, at_);
    if (log2_ < dag::kLeafLog2) {
      mask &= (log2_ == 0 ? uint64_t{1} : uint64_t{0xff}) << cube_bit(corner_);
    }
    return mask == 0 ? kNoMaterial : dag_.material(leaf, static_cast<uint32_t>(lowest_bit(mask)));
  }

  const RayDagRef& dag_;
  uint32_t axis_, at_;
  Int3 corner_;
  uint32_t log2_;
};

struct SlicePixels {
  RayDagRef dag;
  SliceFrame frame;
  scene::Rgba8 colors[scene::kPaletteSize];
  scene::Rgba8 empty;
  scene::Rgba8* pixels;

  VOX_HD void operator()(uint64_t i) const {
    const uint64_t width = uint64_t{frame.width} * frame.pixels_per_cell;
    const auto x = static_cast<int32_t>(i % width / frame.pixels_per_cell),
               y = static_cast<int32_t>(i / width / frame.pixels_per_cell);
    const int32_t side = 1 << frame.log2_cell;
    const int32_t across = frame.first[0] + x * side * frame.step[0],
                  along = frame.first[1] + y * side * frame.step[1];
    const auto plane = static_cast<int32_t>(frame.at >> frame.log2_cell << frame.log2_cell);
    const auto part = [&](uint32_t axis) {
      return axis == frame.axis ? plane : axis == frame.across ? across : along;
    };
    const PlaneSearch search(dag, frame.axis, frame.at, {part(0), part(1), part(2)}, frame.log2_cell);
    const uint32_t material = search.material();
    pixels[i] = material == kNoMaterial ? empty : colors[material];
  }
};

}  // namespace vox::render
