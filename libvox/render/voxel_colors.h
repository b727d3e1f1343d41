// The colors and normals of voxels that are stored apart from the DAG (libvox/attributes), as rays read them. A voxel's values
// are found by its number, which a walk from the root adds up.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/bits.h"
#include "libvox/base/morton.h"
#include "libvox/dag/walk.h"
#include "libvox/device/pool.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/ray_dag.h"
#include "libvox/render/render.h"
#include "libvox/render/trace.h"
#include "libvox/scene/palette.h"

namespace vox::render {

// Takes the place of VoxelColorsRef if a scene has neither colors nor normals of voxels.
struct NoVoxelColors {
  static constexpr bool kThere = false;
  uint32_t mean = 0;
  VOX_HD bool has_colors() const { return false; }
};

struct VoxelColorsRef {
  static constexpr bool kThere = true;

  dag::VoxelNumbersRef numbers;   // by the distance of a word from the root's first word
  attributes::ValuesRef values;   // the colors; without them, the materials have colors
  attributes::ValuesRef normals;  // numbers of directions; without them, rays find none
  const float* light_of_code = nullptr;
  uint32_t mean =
      0;  // a node at which a ray stops has the mean of so many voxels; 0: it has one voxel's color

  VOX_HD bool has_colors() const { return values.groups != nullptr; }
  VOX_HD bool has_normals() const { return normals.groups != nullptr; }

  // Returns the number of the normal of the voxel that a ray hits.
  template <class Dag>
  VOX_HD uint32_t normal(const Dag& dag, const Ray& ray, const NodeHit<typename Dag::Node>& hit) const {
    return normals[number_of_hit(dag, ray, hit, walk_down(dag, hit.low, hit.node_log2).first)];
  }

  // Returns the light of the voxel that a ray hits. If the node at which it stops has a mean color, that is the mean of
  // voxels that are spread evenly over the node's.
  template <class Dag>
  VOX_HD Light light(const Dag& dag, const Ray& ray, const NodeHit<typename Dag::Node>& hit,
                     bool mixed) const {
    const auto walk = walk_down(dag, hit.low, hit.node_log2);
    if (mixed) return mean_light(dag, walk, hit);
    return light_of(values[number_of_hit(dag, ray, hit, walk.first)]);
  }

  // Returns the packed color of a voxel, which must be filled.
  template <class Dag>
  VOX_HD uint32_t at(const Dag& dag, Int3 voxel) const {
    const auto walk = walk_down(dag, voxel, dag::kLeafLog2);
    return values[walk.first + rank_in(dag.leaf(walk.node), cube_bit(voxel))];
  }

 private:
  template <class Node>
  struct Walk {
    uint64_t first;  // the number of the node's first voxel
    Node node;
    uint64_t voxels = 0;  // the number of voxels below the node, if it is no leaf
  };

  // Returns the number of the voxel that a ray hits. `first` is that of the first voxel of the node at which it stopped.
  template <class Dag>
  VOX_HD uint64_t number_of_hit(const Dag& dag, const Ray& ray, const NodeHit<typename Dag::Node>& hit,
                                uint64_t first) const {
    const auto voxel = hit_voxel(dag, ray, hit, true, [&](typename Dag::Node node, uint32_t octant) {
      first += dag.voxels_before(numbers, node, octant);
    });
    return first + rank_in(dag.leaf(voxel.node), voxel.bit);
  }

  VOX_HD static uint32_t rank_in(uint64_t leaf_mask, uint32_t bit) {
    return static_cast<uint32_t>(popcount(leaf_mask & ((uint64_t{1} << bit) - 1)));
  }

  // Goes from the root down to the node of 2^log2_node voxels a side around a voxel, or to the leaf.
  template <class Dag>
  VOX_HD Walk<typename Dag::Node> walk_down(const Dag& dag, Int3 voxel, uint32_t log2_node) const {
    Walk<typename Dag::Node> walk = {0, dag.root_node()};
    uint32_t log2 = dag.log2_side;
    while (log2 > log2_node && log2 > dag::kLeafLog2) {
      --log2;
      const uint32_t octant = octant_at(voxel, log2);
      walk.first += dag.voxels_before(numbers, walk.node, octant);
      walk.node = dag.child_in(log2, walk.node, dag.header(walk.node), octant);
    }
    if (log2 > dag::kLeafLog2) walk.voxels = dag.voxels_below(numbers, walk.node);
    return walk;
  }

  template <class Dag>
  VOX_HD Light mean_light(const Dag& dag, const Walk<typename Dag::Node>& walk, const HitBox& hit) const {
    uint64_t first = walk.first, count = walk.voxels;
    if (hit.log2 <= dag::kLeafLog2) {
      const uint64_t part = hit.log2 == 0 ? uint64_t{0xff} << 8 * octant_at(hit.low, 1) : ~uint64_t{0};
      const uint64_t mask = dag.leaf(walk.node);
      first += rank_in(mask, static_cast<uint32_t>(lowest_bit(part)));
      count = static_cast<uint64_t>(popcount(mask & part));
    }
    const uint64_t samples = count < mean ? count : mean;
    Light sum = {0, 0, 0};
    for (uint64_t i = 0; i < samples; ++i)
      sum = sum + light_of(values[first + (2 * i + 1) * count / (2 * samples)]);
    return sum * (1 / static_cast<float>(samples));
  }

  VOX_HD Light light_of(uint32_t color) const {
    return {light_of_code[color & 0xff], light_of_code[color >> 8 & 0xff], light_of_code[color >> 16 & 0xff]};
  }
};

// A scene's colors and normals on a device.
template <class Device>
class VoxelColors {
 public:
  // `numbers` are by the words of the nodes that rays read. `colors` or `normals` may be nullptr. They must outlive this
  // object.
  VoxelColors(Device& device, const std::vector<dag::VoxelNumbers::Level>& numbers,
              const attributes::PackedValues* colors, const attributes::PackedValues* normals)
      : colors_(device, colors), normals_(device, normals) {
    put_numbers(device, numbers);
  }

  VoxelColorsRef ref() const {
    return {.numbers = {low_.data(), high_.data(), high_words_},
            .values = colors_.ref(),
            .normals = normals_.ref()};
  }

 private:
  // The values themselves if the device can read the host's memory, else a copy of them.
  struct Values {
    Values(Device& device, const attributes::PackedValues* values) {
      if (values == nullptr) return;
      ref_ = values->ref();
      if constexpr (!device::kReadsHostMemory<Device>) {
        groups = device::uploaded(device, values->groups);
        words = device::uploaded(device, values->words);
        table = device::uploaded(device, values->table);
        ref_ = {groups.data(), reinterpret_cast<const uint8_t*>(words.data()),
                values->table.empty() ? nullptr : table.data(), values->value_bits};
      }
    }
    attributes::ValuesRef ref() const { return ref_; }

    attributes::ValuesRef ref_;
    device::Buffer<attributes::ValueGroup> groups;
    device::Buffer<uint32_t> words, table;
  };

  // The levels with numbers of more than 32 bits are the first.
  void put_numbers(Device& device, const std::vector<dag::VoxelNumbers::Level>& numbers) {
    uint64_t words = 0;
    for (const dag::VoxelNumbers::Level& level : numbers) {
      words += level.low.size();
      if (!level.high.empty()) high_words_ = words;
    }
    low_ = device.template make<uint32_t>(words);
    high_ = device.template make<uint32_t>(high_words_);
    uint64_t at = 0;
    for (const dag::VoxelNumbers::Level& level : numbers) {
      device.upload(low_.data() + at, level.low.data(), level.low.size());
      if (at < high_words_) device.upload(high_.data() + at, level.high.data(), level.high.size());
      at += level.low.size();
    }
  }

  Values colors_, normals_;
  device::Buffer<uint32_t> low_, high_;
  uint64_t high_words_ = 0;
};

// The pixels of a slice through a scene. render_impl.h includes this file.

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
