// The implementation of verify.h for any device. From the root down it finds how often each node occurs and in which
// order nodes are first visited; from the leaves up it checks what they hold. Levels are uploaded one at a time.
#pragma once

#include <bit>
#include <random>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/node.h"
#include "libvox/dag/verify.h"
#include "libvox/device/atomics.h"
#include "libvox/device/device.h"

namespace vox::dag {

// A word that is set if any thread finds an error.
struct Findings {
  uint32_t* wrong;
  VOX_HD void tell() const { device::atomic_store_relaxed(wrong, 1); }
};

// Adds up how often each node below occurs, and finds the first node that has it as a child.
struct VisitBelow {
  LevelRef level;
  const uint64_t* times;
  uint64_t* times_below;
  uint32_t* first_below;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return;
    const uint32_t* node = level.node(i);
    for (uint32_t c = 1; c < node_words(node[0]); ++c) {
      prefetch_line(times_below + node[c]);
      prefetch_line(first_below + node[c]);
    }
  }
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = level.node(i);
    for (uint32_t c = 1; c < node_words(node[0]); ++c) {
      device::atomic_add(times_below + node[c], times[i]);
      device::atomic_min(first_below + node[c], static_cast<uint32_t>(i));
    }
  }
};
static_assert(device::PrefetchingBody<VisitBelow>);

// In canonical order, the pointers that first lead to nodes stand in the order of these nodes.
struct ComesTooEarly {
  static constexpr uint32_t kNone = UINT32_MAX;  // not a node's number
  LevelRef above;
  const uint32_t* first;
  VOX_HD uint32_t operator()(uint64_t i) const {
    if (first[i] == kNone) return 1;
    if (i == 0 || first[i] > first[i - 1]) return 0;
    if (first[i] < first[i - 1]) return 1;
    const uint32_t* child = above.node(first[i]) + 1;
    while (*child != i && *child != i - 1) ++child;
    return *child == i ? 1 : 0;
  }
};

struct NodeTimes {
  const uint64_t* times;
  VOX_HD uint64_t operator()(uint64_t i) const { return times[i]; }
};

struct TimesLeafVoxels {
  LevelRef leaves;
  const uint64_t* times;
  VOX_HD uint64_t operator()(uint64_t i) const {
    return times[i] * static_cast<uint64_t>(popcount(leaf_mask(leaves.node(i))));
  }
};

// The facts about a node. They are stored together because its parent needs all of them.
struct NodeFacts {
  Digest digest;        // 16 B
  NodeContent content;  // 16 B
};
static_assert(sizeof(NodeFacts) == 32);

struct CheckLeaf {
  LevelRef leaves;
  bool materials;
  NodeFacts* facts;
  Findings findings;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* leaf = leaves.node(i);
    facts[i] = {leaf_digest(leaf, materials), {}};
    if (leaf_mask(leaf) == 0 || (materials && leaf_padding(leaf) != 0)) return findings.tell();
    facts[i].content = leaf_content(leaf, materials);
  }
};

struct CheckNode {
  LevelRef level;
  uint32_t child_side;
  const NodeFacts* below;
  NodeFacts* facts;
  Findings findings;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return;
    const uint32_t* node = level.node(i);
    for (uint32_t c = 1; c < node_words(node[0]); ++c) prefetch_line(below + node[c]);
  }
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* node = level.node(i);
    const uint32_t header = node[0];
    const NodeFacts* of = below;
    const Digest digest = node_digest(header, [&](uint32_t c) { return of[node[1 + c]].digest; });
    const NodeContent content =
        node_content(header, child_side, [&](uint32_t c) { return of[node[1 + c]].content; });
    facts[i] = {digest, content};
    if (child_mask(header) == 0 || header != canonical_header(child_mask(header), content)) findings.tell();
  }
};
static_assert(device::PrefetchingBody<CheckNode>);

// Hashes a node's words with a seed that the author of a file cannot know, so that no author can make all
// nodes collide.
struct HashNode {
  LevelRef level;
  uint64_t seed;
  uint64_t* hashes;
  VOX_HD void operator()(uint64_t i) const {
    uint64_t hash = seed;
    const uint32_t* node = level.node(i);
    for (uint32_t w = 0; w < level.size(i); ++w) hash = hash::hash_word(hash, node[w]);
    hashes[i] = mix64(hash ^ seed);
  }
};

// Inserts a node into a table of the nodes of its level, which has at least twice as many slots as the level
// has nodes.
struct EnterNode {
  static constexpr uint32_t kFree = UINT32_MAX;  // not a node's number
  LevelRef level;
  const uint64_t* hashes;
  uint32_t* table;
  uint64_t last_slot;  // the number of slots, a power of two, less one
  Findings findings;
  VOX_HD bool same(uint64_t a, uint64_t b) const {
    const uint32_t size = level.size(a);
    return level.size(b) == size && hash::same_words(level.node(a), level.node(b), size);
  }
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) prefetch_line(table + (hashes[i] & last_slot));
  }
  VOX_HD void operator()(uint64_t i) const {
    for (uint64_t slot = hashes[i];; ++slot) {
      const uint32_t other =
          device::atomic_exchange_if_relaxed(table + (slot & last_slot), kFree, static_cast<uint32_t>(i));
      if (other == kFree) return;
      if (hashes[other] == hashes[i] && same(i, other)) return findings.tell();
    }
  }
};
static_assert(device::PrefetchingBody<EnterNode>);

template <class Device>
class Verifier {
 public:
  // The DAG must not be empty.
  Verifier(Device& device, const FrozenDag& dag)
      : device_(device), dag_(dag), wrong_(device.template make<uint32_t>(1)) {
    device_.fill(wrong_.data(), 1, 0u);
  }

  bool right() {
    if (!visit_right() || !contents_right()) return false;
    uint32_t wrong = 0;
    device_.download(&wrong, wrong_.data(), 1);
    return wrong == 0;
  }

 private:
  Findings findings() const { return {wrong_.data()}; }

  // Checks order and counts, from the root down.
  bool visit_right() {
    auto times = device_.template make<uint64_t>(1);
    device_.fill(times.data(), 1, uint64_t{1});
    for (uint32_t level = 0;; ++level) {
      throw_if_cancelled();
      const DeviceLevel here = uploaded_level(device_, dag_.levels[level]);
      const DagLevel& stored = dag_.levels[level];
      if (here.nodes != stored.nodes ||
          device_.sum({"verify: count nodes", 8}, here.nodes, NodeTimes{times.data()}) != stored.svo_nodes)
        return false;
      if (level == dag_.depth())
        return device_.sum({"verify: count voxels", 24}, here.nodes,
                           TimesLeafVoxels{here.ref(), times.data()}) == dag_.voxels;
      if (!visit_below(here, dag_.levels[level + 1].places.nodes(), times)) return false;
    }
  }

  // Replaces the counts of a level's nodes by those of the nodes below.
  bool visit_below(const DeviceLevel& here, uint64_t nodes_below, device::Buffer<uint64_t>& times) {
    auto times_below = device_.template make<uint64_t>(nodes_below);
    auto first = device_.template make<uint32_t>(nodes_below);
    device_.fill(times_below.data(), nodes_below, uint64_t{0});
    device_.fill(first.data(), nodes_below, ComesTooEarly::kNone);
    device_.for_each({"verify: visit", 120}, here.nodes,
                     VisitBelow{here.ref(), times.data(), times_below.data(), first.data()});
    times = std::move(times_below);
    return device_.sum({"verify: order", 8}, nodes_below, ComesTooEarly{here.ref(), first.data()}) == 0;
  }

  // Checks the nodes' content, that no two nodes are equal, and the digest, from the leaves up.
  bool contents_right() {
    device::Buffer<NodeFacts> below;
    for (uint32_t level = dag_.depth() + 1; level-- > 0;) {
      throw_if_cancelled();
      const DeviceLevel here = uploaded_level(device_, dag_.levels[level]);
      auto facts = device_.template make<NodeFacts>(here.nodes);
      if (level == dag_.depth()) {
        device_.for_each({"verify: leaves", 60}, here.nodes,
                         CheckLeaf{here.ref(), dag_.materials, facts.data(), findings()});
      } else {
        device_.for_each(
            {"verify: nodes", 160}, here.nodes,
            CheckNode{here.ref(), dag_.level_side(level + 1), below.data(), facts.data(), findings()});
      }
      below = std::move(facts);
      enter_nodes(here);
    }
    return root_right(below);
  }

  void enter_nodes(const DeviceLevel& here) {
    const uint64_t seed = uint64_t{std::random_device()()} << 32 | std::random_device()();
    auto hashes = device_.template make<uint64_t>(here.nodes);
    device_.for_each({"verify: hash nodes", 36}, here.nodes, HashNode{here.ref(), seed, hashes.data()});
    const uint64_t slots = std::bit_ceil(2 * here.nodes);
    auto table = device_.template make<uint32_t>(slots);
    device_.fill(table.data(), slots, EnterNode::kFree);
    device_.for_each({"verify: equal nodes", 80}, here.nodes,
                     EnterNode{here.ref(), hashes.data(), table.data(), slots - 1, findings()});
  }

  bool root_right(const device::Buffer<NodeFacts>& facts) {
    NodeFacts root;
    device_.download(&root, facts.data(), 1);
    for (uint32_t axis = 0; axis < 3; ++axis)
      if (root.content.reach[axis] > dag_.resolution) return false;
    return scene_digest(dag_.resolution, dag_.depth(), dag_.materials, &root.digest) == dag_.digest;
  }

  Device& device_;
  const FrozenDag& dag_;
  device::Buffer<uint32_t> wrong_;
};

template <class Device>
void verify_on(Device& device, const FrozenDag& dag, uint64_t memory) {
  if (dag.paged) return verify(dag, memory);
  bool looked = false;
  try {
    if (!dag.empty() && Verifier<Device>(device, dag).right()) return;
    looked = !dag.empty();
  } catch (const Cancelled&) {
    throw;
  } catch (const Error&) {  // the device has too little memory
  }
  verify(dag, memory);
  if (looked)
    throw Error(
        "the device finds an error in the DAG, but the host does not: this is a bug in vox, or the hardware "
        "is faulty");
}

}  // namespace vox::dag
