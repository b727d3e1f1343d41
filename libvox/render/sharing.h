// Counts how often each leaf of a DAG is used: the number of leaves of the octree for which it stands.
#pragma once

#include <array>

#include "libvox/device/atomics.h"
#include "libvox/render/ray_dag.h"

namespace vox::render {

// Returns a code for how often a leaf is used: four times log2(uses), rounded down, where log2 is replaced by
// straight lines between powers of two. `uses` must not be 0.
VOX_HD inline uint32_t use_code(uint64_t uses) {
  const auto high = static_cast<uint32_t>(uses >> 32);
  const uint32_t log2 =
      static_cast<uint32_t>(high != 0 ? 32 + highest_bit(high) : highest_bit(static_cast<uint32_t>(uses)));
  const uint64_t quarters = log2 < 2 ? uses << (2 - log2) : uses >> (log2 - 2);
  return log2 * 4 + static_cast<uint32_t>(quarters & 3);
}
inline constexpr uint32_t kUseCodes = 256;

// Counts the uses of a level's children. It runs for every word of the level. If a node that is used begins
// at the word, each of its children is used as often as the node.
struct CountUses {
  const uint32_t* words;
  const uint64_t* uses;
  uint64_t* below;

  VOX_HD void operator()(uint64_t i) const {
    if (uses[i] == 0) return;
    const uint32_t size = dag::node_words(words[i]);
    for (uint32_t word = 1; word < size; ++word) device::atomic_add(below + words[i + word], uses[i]);
  }
};

struct CodeUses {
  const uint64_t* uses;
  uint8_t* codes;
  VOX_HD void operator()(uint64_t i) const {
    codes[i] = uses[i] == 0 ? uint8_t{0} : static_cast<uint8_t>(use_code(uses[i]));
  }
};

struct CodeAt {
  const uint8_t* codes;
  VOX_HD uint32_t operator()(uint64_t i) const { return codes[i]; }
};

struct Sharing {
  device::Buffer<uint8_t> codes;  // the use_code() of the leaf that begins at each word
  uint32_t most = 0;              // the greatest of the codes
};

// This takes twice as much memory as the two largest levels.
template <class Device>
Sharing count_sharing(Device& device, const dag::FrozenDag& dag, const RayDagRef& ref) {
  const auto level_words = [&](uint32_t level) -> uint64_t { return dag.levels[level].words.size(); };
  const auto cleared = [&](uint64_t n) {
    auto buffer = device.template make<uint64_t>(n);
    device.fill(buffer.data(), n, uint64_t{0});
    return buffer;
  };
  Sharing sharing;
  if (dag.empty()) return sharing;
  device::Buffer<uint64_t> uses = cleared(level_words(0));
  device.fill(uses.data(), 1, uint64_t{1});
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    device::Buffer<uint64_t> below = cleared(level_words(level + 1));
    device.for_each({"render: count uses", 12}, level_words(level),
                    CountUses{ref.nodes[ref.log2_side - level], uses.data(), below.data()});
    uses = std::move(below);
  }
  const uint64_t leaves = level_words(dag.depth());
  sharing.codes = device.template make<uint8_t>(leaves);
  device.for_each({"render: code uses", 9}, leaves, CodeUses{uses.data(), sharing.codes.data()});
  std::array<uint64_t, kUseCodes> counts = {};
  device.histogram({"render: most uses", 1}, leaves, CodeAt{sharing.codes.data()}, counts.data(), kUseCodes);
  for (uint32_t code = 0; code < kUseCodes; ++code)
    if (counts[code] > 0) sharing.most = code;
  return sharing;
}

}  // namespace vox::render
