#include "formats/voxels/dag_files/symvox_nodes.h"

#include <algorithm>
#include <unordered_map>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/mix.h"
#include "libvox/dag/each_node.h"

namespace vox {
namespace {

constexpr size_t kMostNodes = (size_t{1} << 29) - 1;  // in a level, because the numbers in slots have 29 bits

// The place of one of our nodes in the file: a node of the file, and how it is mirrored.
struct Image {
  uint32_t node = 0;
  uint32_t mirrors = 0;
};

struct SlotsHash {
  size_t operator()(const SymVoxSlots& slots) const {
    uint64_t hash = 0;
    for (const uint32_t slot : slots) hash = mix64(hash ^ slot);
    return hash;
  }
};

uint32_t slot_value(const Image& image) {
  return (image.node + 1) * kSymVoxMirrors + image.mirrors;
}

// The nodes of one level of the file, and for each of them the mirrors that leave it unchanged.
class MirroredLevel {
 public:
  explicit MirroredLevel(SymVoxKind kind) : mirrors_(kind == SymVoxKind::Plain ? 1 : kSymVoxMirrors) {}

  // Finds the node, whose children are in `below`, or adds it.
  Image put(const SymVoxSlots& slots, const MirroredLevel* below) {
    std::array<SymVoxSlots, kSymVoxMirrors> images = {};
    uint32_t least = 0;
    for (uint32_t mirrors = 0; mirrors < mirrors_; ++mirrors) {
      images[mirrors] = mirrored(slots, mirrors, below);
      if (images[mirrors] < images[least]) least = mirrors;
    }
    const auto [place, is_new] = known_.try_emplace(images[least], static_cast<uint32_t>(nodes_.size()));
    if (is_new) {
      add(images[least]);
      uint32_t same = 0;
      for (uint32_t mirrors = 0; mirrors < mirrors_; ++mirrors)
        if (images[mirrors ^ least] == images[least]) same |= 1u << mirrors;
      unchanged_.push_back(static_cast<uint8_t>(same));
    }
    return {place->second, least_mirrors(place->second, least)};
  }

  // Adds a node unchanged. It must not exist yet.
  Image add(const SymVoxSlots& slots) {
    if (nodes_.size() == kMostNodes) throw Error("a level of the file would have 2^29 nodes or more");
    nodes_.push_back(slots);
    return {static_cast<uint32_t>(nodes_.size() - 1), 0};
  }

  const std::vector<SymVoxSlots>& nodes() const { return nodes_; }
  // Moves the nodes out of a level that is complete, so that its lookup table is no longer needed.
  std::vector<SymVoxSlots> take_nodes() {
    known_.clear();
    return std::move(nodes_);
  }

 private:
  // Returns the least of those mirrors that give the same image of a node.
  uint32_t least_mirrors(uint32_t node, uint32_t mirrors) const {
    uint32_t least = mirrors;
    for (uint32_t same = 0; same < mirrors_; ++same)
      if ((unchanged_[node] >> same & 1) != 0) least = std::min(least, mirrors ^ same);
    return least;
  }

  SymVoxSlots mirrored(const SymVoxSlots& slots, uint32_t mirrors, const MirroredLevel* below) const {
    SymVoxSlots image = {};
    for (uint32_t slot = 0; slot < 8; ++slot) {
      const uint32_t value = slots[slot ^ mirrors];
      if (value == 0) continue;
      const uint32_t node = value / kSymVoxMirrors - 1, turned = (value % kSymVoxMirrors) ^ mirrors;
      image[slot] = slot_value({node, below != nullptr ? below->least_mirrors(node, turned) : 0});
    }
    return image;
  }

  uint32_t mirrors_;  // the number of ways to mirror
  std::vector<SymVoxSlots> nodes_;
  std::vector<uint8_t> unchanged_;  // for each node, bit m is set if mirroring by m leaves it unchanged
  std::unordered_map<SymVoxSlots, uint32_t, SlotsHash> known_;
};

// Returns a block of 2³ voxels as a node whose children are full or absent.
SymVoxSlots slots_of_block(uint32_t voxels) {
  SymVoxSlots slots = {};
  for (uint32_t slot = 0; slot < 8; ++slot)
    if ((voxels >> slot & 1) != 0) slots[slot] = kSymVoxMirrors;
  return slots;
}

uint8_t block_of_slots(const SymVoxSlots& slots) {
  uint32_t voxels = 0;
  for (uint32_t slot = 0; slot < 8; ++slot) voxels |= uint32_t{slots[slot] != 0} << slot;
  return static_cast<uint8_t>(voxels);
}

class Reduction {
 public:
  Reduction(const dag::FrozenDag& dag, const SlotOrder& order, SymVoxKind kind)
      : dag_(dag), order_(order), kind_(kind), blocks_(kind) {}

  SymVoxNodes run() {
    SymVoxNodes result;
    result.inner.resize(dag_.levels.size());
    MirroredLevel below = std::move(blocks_);
    std::vector<Image> images;
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      throw_if_cancelled();
      MirroredLevel here(kind_);
      std::vector<Image> images_here;
      const dag::DagLevel& from = dag_.levels[level];
      dag::for_each_in(from, dag::node_numbers(from), [&](uint64_t, const uint32_t* node) {
        const SymVoxSlots slots =
            level == dag_.depth() ? slots_of_leaf(node, below) : slots_of_node(node, images);
        // Nodes of a DAG are unique already, and nothing points to the root, which therefore cannot be
        // mirrored.
        const bool as_it_is = level == 0 || kind_ == SymVoxKind::Plain;
        images_here.push_back(as_it_is ? here.add(slots) : here.put(slots, &below));
      });
      if (level == dag_.depth())
        for (const SymVoxSlots& block : below.nodes()) result.blocks.push_back(block_of_slots(block));
      images = std::move(images_here);
      result.inner[level] = here.take_nodes();
      below = std::move(here);
    }
    return result;
  }

 private:
  SymVoxSlots slots_of_leaf(const uint32_t* leaf, MirroredLevel& blocks) const {
    const uint64_t mask = order_.leaf_mask(dag::leaf_mask(leaf));
    SymVoxSlots slots = {};
    for (uint32_t slot = 0; slot < 8; ++slot) {
      const auto voxels = static_cast<uint32_t>(mask >> 8 * slot & 0xff);
      if (voxels != 0) slots[slot] = slot_value(blocks.put(slots_of_block(voxels), nullptr));
    }
    return slots;
  }

  SymVoxSlots slots_of_node(const uint32_t* node, const std::vector<Image>& images) const {
    SymVoxSlots slots = {};
    const uint32_t* pointer = node + 1;
    for (uint32_t mask = dag::child_mask(*node); mask != 0; mask &= mask - 1, ++pointer)
      slots[order_.slot(static_cast<uint32_t>(lowest_bit(mask)))] = slot_value(images[*pointer]);
    return slots;
  }

  const dag::FrozenDag& dag_;
  const SlotOrder& order_;
  const SymVoxKind kind_;
  MirroredLevel blocks_;
};

}  // namespace

uint64_t SymVoxNodes::nodes() const {
  uint64_t sum = blocks.size();
  for (const auto& level : inner) sum += level.size();
  return sum;
}

uint64_t SymVoxNodes::inner_words() const {
  uint64_t words = 0;
  for (const auto& level : inner)
    for (const SymVoxSlots& slots : level) words += 9 - static_cast<uint64_t>(std::ranges::count(slots, 0u));
  return words;
}

SymVoxNodes symvox_nodes(const dag::FrozenDag& dag, const SlotOrder& order, SymVoxKind kind) {
  return Reduction(dag, order, kind).run();
}

}  // namespace vox
