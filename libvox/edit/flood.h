// A flood: the voxels that can be reached from a seed through voxels like it, from face to face.
//
// The octree is cut into blocks: cubes of any size whose voxels are all like the seed, and leaves in which
// some voxels are. The voxels of such a leaf form connected parts. Parts that touch across a face are united,
// all at the same time (like Jaiganesh & Burtscher 2018, "A high-performance connected components
// implementation for GPUs"). The parts in the seed's set are the flood. No step works voxel by voxel, so a
// long way through a maze takes no longer than a short one.
#pragma once

#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/pool.h"
#include "libvox/edit/content.h"
#include "libvox/edit/leaf_faces.h"
#include "libvox/edit/shape.h"
#include "libvox/edit/tool.h"

namespace vox::edit {

enum class FloodAnswer : uint8_t { None, Some, All };

// The rule that says where a flood may go.
struct FloodRule {
  StoredDag dag;
  Shape shape;
  VoxelBox bounds;
  int like;  // a material, or kEmptyVoxel

  VOX_HD FloodAnswer region(const Region& region, Content content) const {
    if (!meets(bounds, region)) return FloodAnswer::None;
    const int filling = dag.filling(content, region.level);
    const bool mixed = filling == dag::kEmptyVoxel && content != kEmptyContent;
    if (!mixed && filling != like) return FloodAnswer::None;
    const Where where = where_is(shape, region);
    if (where == Where::Outside) return FloodAnswer::None;
    return mixed || where == Where::Border || !contains(bounds, region) ? FloodAnswer::Some
                                                                        : FloodAnswer::All;
  }
  VOX_HD uint64_t leaf(const Region& leaf, Content content) const {
    const bool inside = contains(bounds, leaf) && where_is(shape, leaf) == Where::Inside;
    if (inside && like == dag::kEmptyVoxel && is_pointer(content))
      return ~dag::leaf_mask(dag.store.item(content));
    uint64_t mask = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const Int3 voxel = leaf.min + cube_place(bit);
      const bool here = inside || (contains(bounds, voxel) && contains(shape, voxel));
      if (here && dag.voxel(content, bit) == like) mask |= uint64_t{1} << bit;
    }
    return mask;
  }
};

// The blocks with a voxel that belongs to the flood.
struct Flood {
  device::Buffer<BlockKey> keys;   // ascending
  device::Buffer<uint64_t> masks;  // the block's voxels in the flood, if it is a leaf; else all bits
  uint64_t blocks = 0;
  uint64_t voxels = 0;
};

// --- blocks ---

struct FloodNodes {
  uint64_t count = 0;
  device::Buffer<Int3> corners;
  device::Buffer<Content> content;
};

struct AskFloodParts {
  FloodRule rule;
  uint32_t level;  // the nodes' level
  int32_t side;
  const Int3* corners;
  const Content* content;
  FloodAnswer* answers;
  VOX_HD void operator()(uint64_t i) const {
    answers[i] =
        rule.region(Region{corners[i / 8], level, side}.child(i % 8), rule.dag.child(content[i / 8], i % 8));
  }
};

struct FloodAnswers {
  const FloodAnswer* answers;
  FloodAnswer wanted;
  VOX_HD bool operator()(uint64_t i) const { return answers[i] == wanted; }
};

struct EnterFloodParts {
  StoredDag dag;
  uint32_t level;  // the level of the nodes above
  int32_t side;
  const uint32_t* parts;
  const Int3* corners_above;
  const Content* content_above;
  Int3* corners;
  Content* content;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t node = parts[i] / 8, octant = parts[i] % 8;
    corners[i] = Region{corners_above[node], level, side}.child(octant).min;
    content[i] = dag.child(content_above[node], octant);
  }
};

struct KeysOfParts {
  uint32_t depth, level;  // `level` is that of the nodes above
  int32_t side;
  const uint32_t* parts;
  const Int3* corners;
  BlockKey* keys;
  VOX_HD void operator()(uint64_t i) const {
    keys[i] = block_key(Region{corners[parts[i] / 8], level, side}.child(parts[i] % 8), depth);
  }
};

struct FloodLeaves {
  FloodRule rule;
  const Int3* corners;
  const Content* content;
  BlockKey* keys;
  uint64_t* masks;
  VOX_HD void operator()(uint64_t i) const {
    const Region leaf = {corners[i], rule.dag.depth, dag::kLeafSide};
    keys[i] = block_key(leaf, rule.dag.depth);
    masks[i] = rule.leaf(leaf, content[i]);
  }
};

inline constexpr uint32_t kWholeBlock = UINT32_MAX;

struct NumberLeaves {
  uint64_t whole_blocks;  // the whole blocks come first
  uint32_t* leaves;
  VOX_HD void operator()(uint64_t i) const {
    leaves[i] = i < whole_blocks ? kWholeBlock : static_cast<uint32_t>(i - whole_blocks);
  }
};

// All blocks that the rule allows, among them the seed's block.
struct FloodBlocks {
  uint64_t count = 0;
  device::Buffer<BlockKey> keys;    // ascending
  device::Buffer<uint32_t> leaves;  // the leaf's number, or kWholeBlock
  device::Buffer<uint64_t> leaf_masks;
};

inline void check_flood_size(uint64_t count) {
  if (count < UINT32_MAX) return;
  throw Error("the space to be filled has too many separate parts").hint("fill inside a smaller shape");
}

template <class Device>
FloodBlocks flood_blocks(Device& device, const FloodRule& rule, Content root) {
  const uint32_t depth = rule.dag.depth;
  FloodNodes nodes = {1, device.template make<Int3>(1), device.template make<Content>(1)};
  const Int3 corner = {0, 0, 0};
  device.upload(nodes.corners.data(), &corner, 1);
  device.upload(nodes.content.data(), &root, 1);
  std::vector<device::Buffer<BlockKey>> keys;
  std::vector<uint64_t> counts;
  uint64_t whole_blocks = 0;
  for (uint32_t level = 0; level < depth; ++level) {
    const int32_t side = static_cast<int32_t>(dag::kLeafSide << (depth - level));
    const uint64_t parts = 8 * nodes.count;
    check_flood_size(parts);
    auto answers = device.template make<FloodAnswer>(parts);
    auto chosen = device.template make<uint32_t>(parts);
    device.for_each(
        {"flood: ask", 10}, parts,
        AskFloodParts{rule, level, side, nodes.corners.data(), nodes.content.data(), answers.data()});
    const auto choose = [&](FloodAnswer wanted) {
      return device.select({"flood: choose", 5}, parts, FloodAnswers{answers.data(), wanted}, chosen.data());
    };
    counts.push_back(choose(FloodAnswer::All));
    keys.push_back(device.template make<BlockKey>(counts.back()));
    whole_blocks += counts.back();
    device.for_each({"flood: keys", 24}, counts.back(),
                    KeysOfParts{depth, level, side, chosen.data(), nodes.corners.data(), keys.back().data()});
    FloodNodes next = {choose(FloodAnswer::Some), {}, {}};
    next.corners = device.template make<Int3>(next.count);
    next.content = device.template make<Content>(next.count);
    device.for_each({"flood: enter", 40}, next.count,
                    EnterFloodParts{rule.dag, level, side, chosen.data(), nodes.corners.data(),
                                    nodes.content.data(), next.corners.data(), next.content.data()});
    nodes = std::move(next);
  }
  FloodBlocks blocks;
  blocks.count = whole_blocks + nodes.count;
  check_flood_size(blocks.count);
  blocks.keys = device.template make<BlockKey>(blocks.count);
  blocks.leaves = device.template make<uint32_t>(blocks.count);
  blocks.leaf_masks = device.template make<uint64_t>(nodes.count);
  uint64_t at = 0;
  for (size_t i = 0; i < keys.size(); at += counts[i++])
    device.copy(blocks.keys.data() + at, keys[i].data(), counts[i]);
  device.for_each({"flood: leaves", 80}, nodes.count,
                  FloodLeaves{rule, nodes.corners.data(), nodes.content.data(), blocks.keys.data() + at,
                              blocks.leaf_masks.data()});
  device.for_each({"flood: number", 4}, blocks.count, NumberLeaves{whole_blocks, blocks.leaves.data()});
  device.sort_pairs({"flood: sort", 24}, blocks.keys, blocks.leaves, blocks.count,
                    3 * depth + kBlockHeightBits);
  return blocks;
}

// --- connected parts ---

struct FloodBlocksRef {
  const uint32_t* leaves;
  const uint64_t* leaf_masks;
  VOX_HD uint64_t mask(uint64_t block) const {
    return leaves[block] == kWholeBlock ? UINT64_MAX : leaf_masks[leaves[block]];
  }
};

struct CountFloodParts {
  FloodBlocksRef blocks;
  VOX_HD uint32_t operator()(uint64_t block) const { return connected_parts(blocks.mask(block)); }
};

struct FloodParts {
  uint32_t* first;  // the number of each block's first part, and at the end the number of all parts
  uint64_t* masks;
  uint32_t* blocks;
  DisjointSets sets;
};

struct SplitBlocks {
  FloodBlocksRef blocks;
  FloodParts parts;
  VOX_HD void operator()(uint64_t block) const {
    uint64_t rest = blocks.mask(block);
    for (uint32_t part = parts.first[block]; part < parts.first[block + 1]; ++part) {
      parts.masks[part] = connected_part(rest);
      parts.blocks[part] = static_cast<uint32_t>(block);
      parts.sets.parents[part] = part;
      rest &= ~parts.masks[part];
    }
  }
};

// Unites each part with the parts that it touches in blocks of its own size or larger.
struct UniteParts {
  BlockIndex index;
  uint32_t block_count;
  uint32_t depth;
  FloodParts parts;

  VOX_HD void operator()(uint64_t i) const {
    const auto part = static_cast<uint32_t>(i);
    const BlockKey key = index.keys[parts.blocks[part]];
    const uint32_t height = block_height(key);
    const Int3 corner = block_corner(key);
    for (uint32_t face = 0; face < 6; ++face) {
      const uint64_t touched = across_face(parts.masks[part], face);
      const int32_t step = (face & 1 ? 1 : -1) * (1 << height);
      const Int3 at =
          corner + Int3{face / 2 == 0 ? step : 0, face / 2 == 1 ? step : 0, face / 2 == 2 ? step : 0};
      if (touched == 0 || at.x < 0 || at.y < 0 || at.z < 0 || (at.x | at.y | at.z) >> depth != 0) continue;
      unite(
          part, touched,
          morton_encode(static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), static_cast<uint32_t>(at.z))
                  << kBlockHeightBits |
              height);
    }
  }

 private:
  VOX_HD void unite(uint32_t part, uint64_t touched, BlockKey neighbor) const {
    const BlockRange range = index.meeting(neighbor, index.around(neighbor, parts.blocks[part], block_count));
    if (range.empty() || block_height(index.keys[range.begin]) < block_height(neighbor)) return;
    for (uint32_t other = parts.first[range.begin]; other < parts.first[range.end]; ++other)
      if ((parts.masks[other] & touched) != 0) parts.sets.unite(part, other);
  }
};

// --- the seed's set ---

struct FindSeed {
  BlockIndex index;
  uint32_t block_count;
  FloodParts parts;
  BlockKey leaf;
  uint32_t bit;
  uint32_t* set;
  VOX_HD void operator()(uint64_t) const {
    const uint32_t block = index.meeting(leaf, {0, block_count}).begin;
    for (uint32_t part = parts.first[block]; part < parts.first[block + 1]; ++part)
      if (parts.masks[part] >> bit & 1) *set = parts.sets.root(part);
  }
};

struct MarkBlocks {
  FloodParts parts;
  const uint32_t* set;
  uint64_t* masks;  // the flood's voxels of each block
  VOX_HD void operator()(uint64_t block) const {
    uint64_t mask = 0;
    for (uint32_t part = parts.first[block]; part < parts.first[block + 1]; ++part)
      if (parts.sets.root(part) == *set) mask |= parts.masks[part];
    masks[block] = mask;
  }
};

struct IsFloodMarked {
  const uint64_t* masks;
  VOX_HD bool operator()(uint64_t block) const { return masks[block] != 0; }
};

struct TakeBlocks {
  const uint32_t* chosen;
  const BlockKey* keys_from;
  const uint64_t* masks_from;
  BlockKey* keys;
  uint64_t* masks;
  VOX_HD void operator()(uint64_t i) const {
    keys[i] = keys_from[chosen[i]];
    masks[i] = masks_from[chosen[i]];
  }
};

struct VoxelsOfBlock {
  const BlockKey* keys;
  const uint64_t* masks;
  VOX_HD uint64_t operator()(uint64_t i) const {
    return static_cast<uint64_t>(popcount(masks[i])) << 3 * block_height(keys[i]);
  }
};

// Makes the flood from a seed. The rule must allow the seed.
template <class Device>
Flood flood(Device& device, const FloodRule& rule, Content root, const Int3& seed) {
  const FloodBlocks blocks = flood_blocks(device, rule, root);
  const auto block_count = static_cast<uint32_t>(blocks.count);
  const FloodBlocksRef ref = {blocks.leaves.data(), blocks.leaf_masks.data()};
  auto first = device.template make<uint32_t>(blocks.count + 1);
  const uint64_t part_count =
      device.exclusive_scan({"flood: count parts", 16}, blocks.count, CountFloodParts{ref}, first.data());
  check_flood_size(part_count);
  auto masks = device.template make<uint64_t>(part_count);
  auto part_blocks = device.template make<uint32_t>(part_count);
  auto parents = device.template make<uint32_t>(part_count);
  const FloodParts parts = {first.data(), masks.data(), part_blocks.data(), {parents.data()}};
  const BlockIndex index = {blocks.keys.data()};
  device.for_each({"flood: split", 32}, blocks.count, SplitBlocks{ref, parts});
  device.for_each({"flood: unite", 200}, part_count, UniteParts{index, block_count, rule.dag.depth, parts});

  auto set = device.template make<uint32_t>(1);
  const Region leaf = {{seed.x & ~3, seed.y & ~3, seed.z & ~3}, rule.dag.depth, dag::kLeafSide};
  device.for_each(
      "flood: seed", 1,
      FindSeed{index, block_count, parts, block_key(leaf, rule.dag.depth), cube_bit(seed), set.data()});
  auto marked = device.template make<uint64_t>(blocks.count);
  auto chosen = device.template make<uint32_t>(blocks.count);
  device.for_each({"flood: mark", 32}, blocks.count, MarkBlocks{parts, set.data(), marked.data()});
  Flood result;
  result.blocks =
      device.select({"flood: choose", 12}, blocks.count, IsFloodMarked{marked.data()}, chosen.data());
  result.keys = device.template make<BlockKey>(result.blocks);
  result.masks = device.template make<uint64_t>(result.blocks);
  device.for_each(
      {"flood: take", 36}, result.blocks,
      TakeBlocks{chosen.data(), blocks.keys.data(), marked.data(), result.keys.data(), result.masks.data()});
  result.voxels = device.sum({"flood: voxels", 16}, result.blocks,
                             VoxelsOfBlock{result.keys.data(), result.masks.data()});
  return result;
}

}  // namespace vox::edit
