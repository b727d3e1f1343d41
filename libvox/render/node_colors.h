// The colors of nodes from afar: the mean of the voxels below each node, in linear light. A device makes them
// from the leaves up, once for each unique node. The means of leaves and of parts of leaves are computed when
// a ray hits them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/vec.h"
#include "libvox/device/atomics.h"
#include "libvox/render/ray_dag.h"
#include "libvox/scene/oklab.h"
#include "libvox/scene/palette.h"

namespace vox::render {

// Light is a linear color in floats. Pictures hold 8-bit sRGB codes.

using Light = Vec3<float>;  // linear; 1 is white

inline constexpr uint32_t kLightCodes = 1 << 16;

// Returns the 8-bit sRGB code of linear light, by a table in steps of 1 / 65535.
struct LightCodes {
  const uint8_t* codes;

  VOX_HD uint32_t operator()(float light) const {
    const float at = light * (kLightCodes - 1) + 0.5f;
    return codes[at < 0 ? 0 : at >= kLightCodes ? kLightCodes - 1 : static_cast<uint32_t>(at)];
  }
};

// Returns the table of LightCodes.
inline std::vector<uint8_t> light_codes() {
  std::vector<uint8_t> codes(kLightCodes);
  for (uint32_t i = 0; i < kLightCodes; ++i) codes[i] = scene::linear_to_srgb(i / double{kLightCodes - 1});
  return codes;
}

// Boxes around the voxels of a DAG's nodes are made on a device, from the leaves up. First each level's nodes are
// found:

// Marks the words at which nodes begin, with one bit per word. It runs for every word of a level, and marks
// the children of a node that begins there.
struct MarkBegins {
  RayDagRef dag;
  uint32_t log2;  // log2 of the side of the level's nodes
  uint32_t* begins;

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = dag.level(log2) + i;
    if (!begins_at(dag, begins, node)) return;
    const uint32_t size = dag::node_words(node[0]);
    for (uint32_t word = 1; word < size; ++word) {
      const auto at = static_cast<uint64_t>(dag.child(log2 - 1, node[word]) - dag.root);
      device::atomic_or_relaxed(begins + (at >> 5), 1u << (at & 31));
    }
  }

  VOX_HD static bool begins_at(const RayDagRef& dag, const uint32_t* begins, const uint32_t* node) {
    const auto at = static_cast<uint64_t>(node - dag.root);
    return (device::atomic_load_relaxed(begins + (at >> 5)) >> (at & 31) & 1) != 0;
  }
};

// Values of nodes, such as their boxes, for one level or for all levels down to one. No two nodes share a value,
// because each node has two words or more.
template <class T>
struct NodeValues {
  const uint32_t* first = nullptr;  // the first word of the nodes
  T* values = nullptr;

  VOX_HD T& of(const uint32_t* node) const { return values[static_cast<uint64_t>(node - first) >> 1]; }
};

// Makes the boxes of a level's nodes, whose children have theirs already. It runs for every word of the
// level, and works on the node that begins there, if any.
struct BoundNodes {
  RayDagRef dag;
  uint32_t log2;
  const uint32_t* begins;
  NodeValues<PackedBox> boxes, below;  // of this level, and of the children if they are no leaves

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = dag.level(log2) + i;
    if (!MarkBegins::begins_at(dag, begins, node)) return;
    const int32_t half = 1 << (log2 - 1);
    NodeBox all = {{2 * half, 2 * half, 2 * half}, {0, 0, 0}};
    const uint32_t* pointer = node + 1;
    for (uint32_t left = dag::child_mask(node[0]); left != 0; left &= left - 1, ++pointer) {
      const auto child = static_cast<uint32_t>(lowest_bit(left));
      const NodeBox box = box_of(dag.child(log2 - 1, *pointer));
      join(all.low.x, all.high.x, box.low.x, box.high.x, (child & 1) != 0 ? half : 0);
      join(all.low.y, all.high.y, box.low.y, box.high.y, (child & 2) != 0 ? half : 0);
      join(all.low.z, all.high.z, box.low.z, box.high.z, (child & 4) != 0 ? half : 0);
    }
    boxes.of(node) = packed(all, log2);
  }

 private:
  VOX_HD NodeBox box_of(const uint32_t* child) const {
    if (log2 - 1 == dag::kLeafLog2) return leaf_box(dag::leaf_mask(child));
    return unpacked(below.of(child), log2 - 1);
  }
  VOX_HD static void join(int32_t& low, int32_t& high, int32_t from, int32_t to, int32_t corner) {
    if (corner + from < low) low = corner + from;
    if (corner + to > high) high = corner + to;
  }
};

// level_words() returns the number of words of one level above the leaves, and inner_words() that of all these
// levels, which come before the leaves.
inline uint64_t level_words(const RayDagRef& dag, uint32_t log2) {
  return static_cast<uint64_t>(dag.level(log2 - 1) - dag.level(log2));
}
inline uint64_t inner_words(const RayDagRef& dag) {
  return static_cast<uint64_t>(dag.level(dag::kLeafLog2) - dag.root);
}
// Returns the number of words of the nodes above the leaves with 2^finest voxels a side or more.
inline uint64_t words_above(const RayDagRef& dag, uint32_t finest) {
  if (finest > dag.log2_side) return 0;
  return static_cast<uint64_t>(dag.level(std::max(finest, dag::kLeafLog2 + 1) - 1) - dag.root);
}

// Marks where the nodes above the leaves begin. `dag` is on the device, and must have a node above the
// leaves.
template <class Device>
device::Buffer<uint32_t> node_begins(Device& device, const RayDagRef& dag) {
  auto begins = device.template make<uint32_t>(inner_words(dag) / 32 + 1);
  device.fill(begins.data(), begins.size(), 0u);
  device.fill(begins.data(), 1, 1u);  // the root begins at word 0
  for (uint32_t log2 = dag.log2_side; log2 > dag::kLeafLog2 + 1; --log2)
    device.for_each({"render: find nodes", 8}, level_words(dag, log2), MarkBegins{dag, log2, begins.data()});
  return begins;
}

// Makes the boxes of the nodes of 2^finest voxels a side and more, in the order of dag.box_index(). `dag` is on the
// device. The boxes take as much memory as these nodes. While they are made, the boxes of two smaller levels are needed
// too, which take as much as those levels' nodes.
template <class Device>
device::Buffer<PackedBox> bound_nodes(Device& device, const RayDagRef& dag, uint32_t finest) {
  if (dag.log2_side == dag::kLeafLog2 || !dag.filled) return {};
  const device::Buffer<uint32_t> begins = node_begins(device, dag);
  auto boxes = device.template make<PackedBox>(words_above(dag, finest) / 2 + 1);
  device::Buffer<PackedBox> passing_below;
  NodeValues<PackedBox> below;
  for (uint32_t log2 = dag::kLeafLog2 + 1; log2 <= dag.log2_side; ++log2) {
    const uint64_t words = level_words(dag, log2);
    device::Buffer<PackedBox> passing;
    NodeValues<PackedBox> here = {dag.root, boxes.data()};
    if (log2 < finest) {
      passing = device.template make<PackedBox>(words / 2 + 1);
      here = {dag.level(log2), passing.data()};
    }
    device.for_each({"render: bound nodes", 16}, words, BoundNodes{dag, log2, begins.data(), here, below});
    below = here;
    passing_below = std::move(passing);
  }
  return boxes;
}

// A color as 8-bit sRGB codes, red in the lowest byte. A node of one material has exactly that material's color.
using PackedColor = uint32_t;

struct NodeMean {
  Light light;   // 12 B
  float voxels;  // 4 B, the number of voxels that `light` is the mean of
};

// A NodeMean in half the memory: light in steps of 1 / 65535, and the number of voxels as the upper half of a float.
class StoredMean {
 public:
  VOX_HD explicit StoredMean(const NodeMean& mean)
      : light_{step(mean.light.x), step(mean.light.y), step(mean.light.z)},
        voxels_(static_cast<uint16_t>(std::bit_cast<uint32_t>(mean.voxels) >> 16)) {}

  VOX_HD NodeMean mean() const {
    return {
        Light{static_cast<float>(light_[0]), static_cast<float>(light_[1]), static_cast<float>(light_[2])} *
            (1.0f / kSteps),
        std::bit_cast<float>(uint32_t{voxels_} << 16)};
  }

 private:
  static constexpr float kSteps = 65535;
  VOX_HD static uint16_t step(float light) {
    return static_cast<uint16_t>((light < 1 ? light : 1) * kSteps + 0.5f);
  }

  uint16_t light_[3], voxels_;
};

// Returns the mean of the voxels in a part of a leaf. The part is the whole leaf or a block of 2³, and must
// not be empty.
VOX_HD inline NodeMean leaf_mean(const RayDagRef& dag, const uint32_t* leaf, uint64_t part,
                                 const Light* colors) {
  const uint64_t mask = dag::leaf_mask(leaf);
  const auto voxels = static_cast<uint32_t>(popcount(mask & part));
  if (!dag.materials) return {colors[0], static_cast<float>(voxels)};
  const uint64_t below = (uint64_t{1} << lowest_bit(part)) - 1;
  const auto first = static_cast<uint32_t>(popcount(mask & below));
  Light sum = {0, 0, 0};
  for (uint32_t rank = first; rank < first + voxels; ++rank)
    sum = sum + colors[dag::ranked_material(dag::leaf_materials(leaf), rank)];
  return {sum * (1 / static_cast<float>(voxels)), static_cast<float>(voxels)};
}

// Makes the colors of a level's nodes, whose children have theirs already. It runs for every word of the
// level, and works on the node that begins there, if any.
struct AverageNodes {
  RayDagRef dag;
  uint32_t log2;
  const uint32_t* begins;
  Light materials[scene::kPaletteSize];
  LightCodes codes;
  NodeValues<StoredMean> means, below;  // of this level, and of the children if they are no leaves
  PackedColor* colors;                  // by dag.box_index(); nullptr: the level gets none

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = dag.level(log2) + i;
    if (!MarkBegins::begins_at(dag, begins, node)) return;
    Light sum = {0, 0, 0};
    float voxels = 0;
    for (uint32_t word = 1; word < dag::node_words(node[0]); ++word) {
      const NodeMean child = mean_of(node[word]);
      sum = sum + child.light * child.voxels;
      voxels += child.voxels;
    }
    const Light mean = sum * (1 / voxels);
    means.of(node) = StoredMean({mean, voxels});
    if (colors != nullptr)
      colors[dag.box_index(node)] = codes(mean.x) | codes(mean.y) << 8 | codes(mean.z) << 16;
  }

 private:
  VOX_HD NodeMean mean_of(uint32_t pointer) const {
    const uint32_t* child = dag.child(log2 - 1, pointer);
    if (log2 - 1 != dag::kLeafLog2) return below.of(child).mean();
    return leaf_mean(dag, child, ~uint64_t{0}, materials);
  }
};

// Makes the colors of nodes from those of the materials, for the nodes that bound_nodes() makes boxes of, in the same
// order. The colors take half as much memory as the boxes. Meanwhile, means take as much memory as the words of two
// levels.
template <class Device>
device::Buffer<PackedColor> average_nodes(Device& device, const RayDagRef& dag, uint32_t finest,
                                          const Light* materials, const LightCodes& codes) {
  if (dag.log2_side == dag::kLeafLog2 || !dag.filled) return {};
  const device::Buffer<uint32_t> begins = node_begins(device, dag);
  auto colors = device.template make<PackedColor>(words_above(dag, finest) / 2 + 1);
  device::Buffer<StoredMean> means_below;
  NodeValues<StoredMean> below;
  for (uint32_t log2 = dag::kLeafLog2 + 1; log2 <= dag.log2_side; ++log2) {
    const uint64_t words = level_words(dag, log2);
    auto means = device.template make<StoredMean>(words / 2 + 1);
    const NodeValues<StoredMean> here = {dag.level(log2), means.data()};
    AverageNodes body = {dag,   log2, begins.data(), {},
                         codes, here, below,         log2 >= finest ? colors.data() : nullptr};
    for (uint32_t i = 0; i < scene::kPaletteSize; ++i) body.materials[i] = materials[i];
    device.for_each({"render: average nodes", 16}, words, body);
    below = here;
    means_below = std::move(means);
  }
  return colors;
}

// Returns log2 of the least side of nodes for whose boxes, and colors if wanted, `memory` has room. Rays do not stop at
// smaller nodes. If there is no room for all nodes, the log says so.
uint32_t finest_level(const RayDagRef& dag, uint64_t memory, bool colors);

// Returns a code for the number of uses of a leaf of a DAG, which is the number of the octree's leaves for which it
// stands: 4 · log2(uses), rounded down, with log2 approximated by straight lines
// between powers of two. `uses` must not be 0.
VOX_HD inline uint32_t use_code(uint64_t uses) {
  const auto high = static_cast<uint32_t>(uses >> 32);
  const uint32_t log2 =
      static_cast<uint32_t>(high != 0 ? 32 + highest_bit(high) : highest_bit(static_cast<uint32_t>(uses)));
  const uint64_t quarters = log2 < 2 ? uses << (2 - log2) : uses >> (log2 - 2);
  return log2 * 4 + static_cast<uint32_t>(quarters & 3);
}
inline constexpr uint32_t kUseCodes = 256;

// Counts the uses of a level's children. Uses are stored by the pointers that lead to nodes. It runs for
// every value that such a pointer may have. If the pointer leads to a node that is used, each of its children
// gets as many uses.
struct CountUses {
  RayDagRef dag;
  uint32_t log2;  // log2 of the side of the level's nodes
  const uint64_t* uses;
  uint64_t* below;

  VOX_HD void operator()(uint64_t pointer) const {
    if (uses[pointer] == 0) return;
    const uint32_t* node = dag.child(log2, static_cast<uint32_t>(pointer));
    const uint32_t size = dag::node_words(node[0]);
    for (uint32_t word = 1; word < size; ++word) device::atomic_add(below + node[word], uses[pointer]);
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
  device::Buffer<uint8_t> codes;  // the use_code() of each leaf, by the pointers that lead to it
  uint32_t most = 0;              // the greatest of the codes
};

// Counts the uses. This takes twice the memory of the two largest levels, or 8 bytes for each of their
// nodes if they are far.
template <class Device>
Sharing count_sharing(Device& device, const dag::FrozenDag& dag, const RayDagRef& ref) {
  // Returns the number of values that pointers to a level's nodes may have.
  const auto pointers = [&](uint32_t level) -> uint64_t {
    const dag::DagLevel& here = dag.levels[level];
    return ref.is_far(ref.log2_side - level) ? here.places.nodes() : here.words.size();
  };
  const auto cleared = [&](uint64_t n) {
    auto buffer = device.template make<uint64_t>(n);
    device.fill(buffer.data(), n, uint64_t{0});
    return buffer;
  };
  Sharing sharing;
  if (dag.empty()) return sharing;
  device::Buffer<uint64_t> uses = cleared(pointers(0));
  device.fill(uses.data(), 1, uint64_t{1});
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    device::Buffer<uint64_t> below = cleared(pointers(level + 1));
    device.for_each({"render: count uses", 12}, pointers(level),
                    CountUses{ref, ref.log2_side - level, uses.data(), below.data()});
    uses = std::move(below);
  }
  const uint64_t leaves = pointers(dag.depth());
  sharing.codes = device.template make<uint8_t>(leaves);
  device.for_each({"render: code uses", 9}, leaves, CodeUses{uses.data(), sharing.codes.data()});
  std::array<uint64_t, kUseCodes> counts = {};
  device.histogram({"render: most uses", 1}, leaves, CodeAt{sharing.codes.data()}, counts.data(), kUseCodes);
  for (uint32_t code = 0; code < kUseCodes; ++code)
    if (counts[code] > 0) sharing.most = code;
  return sharing;
}

}  // namespace vox::render
