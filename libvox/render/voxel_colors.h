// The colors and normals of voxels that are stored apart from the DAG (libvox/attributes), as rays read them. A voxel's values
// are found by its number, which a walk from the root adds up.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/dag/voxel_numbers.h"
#include "libvox/device/pool.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/ray_dag.h"
#include "libvox/render/trace.h"

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

}  // namespace vox::render
