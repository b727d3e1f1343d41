// Finds the nodes of a DAG that are equal after a symmetry, level by level from the leaves up, on one device.
//
// Each node is brought into a canonical form: of all its images under the group, the one whose words are least. Nodes are in
// one class if their canonical forms are equal words. A node's words name its children by their classes and by symmetries,
// and a child may have several symmetries that make it from its class's form (a cube has all 48). All of them are kept, as a
// set of bits, and the least that leads to the child is named, so that equal nodes have equal words.
#pragma once

#include <algorithm>
#include <utility>

#include "libvox/base/progress.h"
#include "libvox/dag/device_level.h"
#include "libvox/dag/store.h"
#include "libvox/device/atomics.h"
#include "libvox/device/runs.h"
#include "libvox/measure/compression.h"

namespace vox::measure {

// The canonical form of a node, or of a leaf.
struct CanonicalForm {
  uint64_t ways = 0;    // the symmetries that make the node from this form
  uint64_t mask = 0;    // a leaf's voxels, a node's children
  uint64_t turns = 0;   // only nodes: the symmetry of the child in octant o, in bits 6 · o to 6 · o + 5
  uint32_t classes[8];  // only nodes: the class of each octant's child + 1, or 0 if there is none
};

struct Canonical {
  const SymmetryTables* tables;
  uint32_t symmetries;

  VOX_HD CanonicalForm leaf(uint64_t mask) const {
    CanonicalForm form;
    form.mask = UINT64_MAX;
    const SymmetryTables* const all = tables;
    for_each_image(mask, symmetries, [&](uint32_t symmetry, uint64_t image) {
      if (image < form.mask) form.ways = 0;
      if (image > form.mask) return;
      form.mask = image;
      form.ways |= uint64_t{1} << all->inverses[symmetry];
    });
    // A full leaf equals the mask at the beginning, so nothing was reset.
    return form;
  }

  // `classes` and `ways` are those of the level below.
  VOX_HD CanonicalForm node(const uint32_t* node, const uint32_t* classes, const uint64_t* ways) const {
    uint32_t children[8] = {};
    uint64_t child_ways[8] = {};
    const uint32_t mask = dag::child_mask(node[0]);
    for (uint32_t octant = 0, word = 1; octant < 8; ++octant) {
      if ((mask >> octant & 1) == 0) continue;
      const uint32_t child = node[word++];
      children[octant] = classes[child] + 1;
      child_ways[octant] = ways[child];
    }
    const uint64_t least = least_by_classes(children);
    CanonicalForm form = {0, 0, UINT64_MAX, {}};
    for (uint64_t left = least; left != 0; left &= left - 1) {
      const auto symmetry = static_cast<uint32_t>(lowest_bit(left));
      uint64_t turns = 0;
      for (uint32_t octant = 0; octant < 8; ++octant)
        turns |= uint64_t{least_turn(symmetry, child_ways[tables->source(symmetry, octant)])} << 6 * octant;
      if (turns < form.turns) form.ways = 0;
      if (turns > form.turns) continue;
      form.turns = turns;
      form.ways |= uint64_t{1} << tables->inverses[symmetry];
    }
    const auto first = static_cast<uint32_t>(lowest_bit(least));  // all have the same classes
    for (uint32_t octant = 0; octant < 8; ++octant) {
      form.classes[octant] = children[tables->source(first, octant)];
      form.mask |= uint64_t{form.classes[octant] != 0} << octant;
    }
    return form;
  }

 private:
  // Returns the symmetries after which the classes of the children, in the order of octants, are least.
  VOX_HD uint64_t least_by_classes(const uint32_t* children) const {
    uint64_t least = 1;
    uint32_t best = tables->sources[0];
    for (uint32_t symmetry = 1; symmetry < symmetries; ++symmetry) {
      const uint32_t from = tables->sources[symmetry];
      uint32_t here = 0, there = 0;
      for (uint32_t shift = 0; shift < 32 && here == there; shift += 4) {
        here = children[from >> shift & 7];
        there = children[best >> shift & 7];
      }
      if (here > there) continue;
      if (here < there) least = 0, best = from;
      least |= uint64_t{1} << symmetry;
    }
    return least;
  }

  // A child that any of `ways` makes is turned by `symmetry`: returns the least symmetry that makes the result.
  VOX_HD uint32_t least_turn(uint32_t symmetry, uint64_t ways) const {
    uint32_t least = ways == 0 ? 0 : kSymmetries;
    for (; ways != 0; ways &= ways - 1) {
      const uint32_t turn = tables->products[symmetry][lowest_bit(ways)];
      if (turn < least) least = turn;
    }
    return least;
  }
};

// Writes the canonical forms of a level's nodes as items of a DAG store.
struct CanonicalItems {
  static constexpr uint32_t kStride = hash::kMaxItemWords;

  Canonical canonical;
  dag::LevelRef level;
  uint64_t first;
  const uint32_t* classes_below;  // nullptr for leaves
  const uint64_t* ways_below;
  uint32_t* items;
  uint8_t* sizes;
  uint64_t* ways;    // of the level's nodes
  uint64_t* stored;  // a leaf's mask; a node's turns, and its child mask in bits 48 to 55

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* const node = level.node(first + i);
    uint32_t* const item = items + i * kStride;
    if (classes_below == nullptr) {
      const CanonicalForm form = canonical.leaf(dag::leaf_mask(node));
      dag::write_leaf_mask(item, form.mask);
      sizes[i] = 2;
      ways[first + i] = form.ways;
      stored[first + i] = form.mask;
      return;
    }
    const CanonicalForm form = canonical.node(node, classes_below, ways_below);
    item[0] = static_cast<uint32_t>(form.mask | (form.turns & 0xffffff) << 8);
    item[1] = static_cast<uint32_t>(form.turns >> 24);
    uint32_t words = 2;
    for (const uint32_t child : form.classes)
      if (child != 0) item[words++] = child;
    sizes[i] = static_cast<uint8_t>(words);
    ways[first + i] = form.ways;
    stored[first + i] = form.mask << 48 | form.turns;
  }
};

// The node that stands for each node of a run of equal nodes: the first one.
struct FirstOfRun {
  device::CellsRef runs;
  const uint32_t* nodes;  // in ascending order in each run
  uint32_t* firsts;
  VOX_HD void operator()(uint64_t run) const {
    for (uint64_t i = runs.begin(run); i < runs.end(run); ++i) firsts[nodes[i]] = nodes[runs.begin(run)];
  }
};

struct IsFirst {
  const uint32_t* firsts;
  VOX_HD bool operator()(uint64_t i) const { return firsts[i] == i; }
};

struct ClassOfFirst {
  const uint32_t* firsts;
  const uint32_t* numbers;  // the class of each node that is a first one
  uint32_t* classes;
  VOX_HD void operator()(uint64_t i) const { classes[i] = numbers[firsts[i]]; }
};

template <class T>
struct Numbered {
  T* to;
  VOX_HD void operator()(uint64_t i) const { to[i] = static_cast<T>(i); }
};

// Bins of histograms over the stored nodes.

struct ChildMaskBin {
  const uint32_t* firsts;
  const uint64_t* stored;
  VOX_HD uint32_t operator()(uint64_t i) const { return static_cast<uint32_t>(stored[firsts[i]] >> 48); }
};

struct LeafByteBin {
  const uint32_t* firsts;
  const uint64_t* stored;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(stored[firsts[i / 8]] >> i % 8 * 8 & 255);
  }
};

struct TurnBin {
  const uint32_t* firsts;
  const uint64_t* stored;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const uint64_t node = stored[firsts[i / 8]];
    if ((node >> (48 + i % 8) & 1) == 0) return kSymmetries;
    return static_cast<uint32_t>(node >> i % 8 * 6 & 63);
  }
};

struct CountReferences {
  dag::LevelRef level;
  const uint32_t* firsts;
  const uint32_t* classes_below;
  uint64_t* references;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* const node = level.node(firsts[i]);
    const uint32_t words = dag::node_words(node[0]);
    for (uint32_t word = 1; word < words; ++word)
      device::atomic_add_together(references + classes_below[node[word]], uint64_t{1});
  }
};

// The order of a level's encoded nodes: by references, the most first, and then by size. Keys that are sorted also hold both.
struct EncodedOrder {
  static constexpr uint64_t kMostReferences = (uint64_t{1} << 40) - 1;
  static constexpr uint32_t kSizeBits = 5, kBits = 45;

  static VOX_HD uint64_t key(uint64_t references, uint32_t units) {
    return (kMostReferences - references) << kSizeBits | units;
  }
  static VOX_HD uint64_t references(uint64_t key) { return kMostReferences - (key >> kSizeBits); }
  static VOX_HD uint32_t units(uint64_t key) { return static_cast<uint32_t>(key & ((1u << kSizeBits) - 1)); }
};

// The size of an encoded node in units of two bytes, and its place in the order. A leaf is one unit of eight bytes.
struct EncodedKeys {
  dag::LevelRef level;
  const uint32_t* firsts;
  const uint32_t* classes_below;  // nullptr for leaves
  const uint64_t* places_below;   // the place of each class below
  uint32_t turn_bits;
  const uint64_t* references;
  uint64_t* keys;

  VOX_HD void operator()(uint64_t i) const {
    uint32_t units = 1;
    if (classes_below != nullptr) {
      const uint32_t* const node = level.node(firsts[i]);
      const uint32_t words = dag::node_words(node[0]);
      for (uint32_t word = 1; word < words; ++word) {
        const uint64_t pointer = places_below[classes_below[node[word]]] << turn_bits;
        units += pointer >> 16 == 0 ? 1u : pointer >> 32 == 0 ? 2u : 3u;
      }
    }
    keys[i] = EncodedOrder::key(references[i], units);
  }
};

struct EncodedUnits {
  const uint64_t* keys;
  VOX_HD uint64_t operator()(uint64_t i) const { return EncodedOrder::units(keys[i]); }
};

template <class Device>
class SymmetryCounter {
 public:
  SymmetryCounter(Device& device, const dag::FrozenDag& geometry, uint32_t symmetries)
      : device_(device), geometry_(geometry), store_(device) {
    tables_ = device.template make<SymmetryTables>(1);
    device_.upload(tables_.data(), &kSymmetryTables, 1);
    canonical_ = {tables_.data(), symmetries};
    shared_.symmetries = symmetries;
    shared_.levels.resize(geometry.levels.size());
  }

  SharedDag count() {
    if (geometry_.empty()) return std::move(shared_);
    // The sizes of nodes follow from the places of their children, and the places of a level from the references of the
    // level above: three levels are at hand at a time.
    Level below, below_that;
    for (uint32_t level = geometry_.depth() + 1; level-- > 0;) {
      Level here = classified(level, below);
      if (level < geometry_.depth()) encode(level + 1, below, below_that, references_to(here, below));
      below_that = std::exchange(below, std::move(here));
    }
    auto one = device_.template make<uint64_t>(1);
    device_.fill(one.data(), 1, uint64_t{1});
    encode(0, below, below_that, std::move(one));
    return std::move(shared_);
  }

 private:
  static constexpr uint64_t kBatch = uint64_t{1} << 22;  // bounds the memory for items

  struct Level {
    dag::DeviceLevel nodes;
    device::Buffer<uint32_t> classes;  // of each node
    device::Buffer<uint64_t> ways;
    device::Buffer<uint32_t> firsts;  // of each class
    uint64_t count = 0;               // of classes
    device::Buffer<uint64_t> places;  // of each class when encoded
  };

  Level classified(uint32_t level, const Level& below) {
    Level here;
    here.nodes = dag::uploaded_level(device_, geometry_.levels[level]);
    const uint64_t n = here.nodes.nodes;
    here.ways = device_.template make<uint64_t>(n);
    auto stored = device_.template make<uint64_t>(n);
    auto firsts = first_equal_nodes(here, below, stored.data());
    here.firsts = device_.template make<uint32_t>(n);
    here.count = device_.select({"compression: classes", 4}, n, IsFirst{firsts.data()}, here.firsts.data());
    auto numbers = device_.template make<uint32_t>(n + 1);
    device_.exclusive_scan({"compression: numbers", 8}, n, IsFirst{firsts.data()}, numbers.data());
    here.classes = device_.template make<uint32_t>(n);
    device_.for_each({"compression: number", 12}, n,
                     ClassOfFirst{firsts.data(), numbers.data(), here.classes.data()});
    count_stored(level, here, stored.data());
    return here;
  }

  // Returns for each node the first one that equals it after a symmetry, and sets what is stored of all.
  device::Buffer<uint32_t> first_equal_nodes(Level& here, const Level& below, uint64_t* stored) {
    const uint64_t n = here.nodes.nodes, batch = std::min(n, kBatch);
    auto pointers = device_.template make<uint32_t>(n);
    auto items = device_.template make<uint32_t>(batch * CanonicalItems::kStride);
    auto sizes = device_.template make<uint8_t>(batch);
    for (uint64_t first = 0; first < n; first += batch) {
      throw_if_cancelled();
      const uint64_t count = std::min(batch, n - first);
      device_.for_each(
          {"compression: canonical", 80}, count,
          CanonicalItems{canonical_, here.nodes.ref(), first, below.classes.data(), below.ways.data(),
                         items.data(), sizes.data(), here.ways.data(), stored});
      if (canonical_.symmetries > 1)
        store_.intern(hash::BatchRef{items.data(), nullptr, nullptr, CanonicalItems::kStride, sizes.data()},
                      count, pointers.data() + first);
    }
    auto firsts = device_.template make<uint32_t>(n);
    if (canonical_.symmetries == 1) {
      device_.for_each({"compression: number", 4}, n, Numbered<uint32_t>{firsts.data()});
      return firsts;
    }
    auto nodes = device_.template make<uint32_t>(n);
    device_.for_each({"compression: number", 4}, n, Numbered<uint32_t>{nodes.data()});
    device_.sort_pairs({"compression: sort nodes", 16}, pointers, nodes, n, 32);
    const device::Runs runs = device::find_runs(device_, {"compression: equal nodes", 4}, pointers.data(), n);
    device_.for_each({"compression: first nodes", 12}, runs.count,
                     FirstOfRun{runs.ref(), nodes.data(), firsts.data()});
    return firsts;
  }

  void count_stored(uint32_t level, const Level& here, const uint64_t* stored) {
    SharedLevel& counts = shared_.levels[level];
    counts.nodes = here.count;
    const uint32_t* const firsts = here.firsts.data();
    if (level == geometry_.depth()) {
      device_.histogram({"compression: bytes", 8}, 8 * here.count, LeafByteBin{firsts, stored},
                        counts.masks.data(), counts.masks.size());
      return;
    }
    device_.histogram({"compression: masks", 12}, here.count, ChildMaskBin{firsts, stored},
                      counts.masks.data(), counts.masks.size());
    std::array<uint64_t, kSymmetries + 1> turns = {};  // the last one counts octants without a child
    device_.histogram({"compression: turns", 12}, 8 * here.count, TurnBin{firsts, stored}, turns.data(),
                      turns.size());
    std::copy_n(turns.begin(), kSymmetries, counts.turns.begin());
  }

  device::Buffer<uint64_t> references_to(const Level& here, const Level& below) {
    auto references = device_.template make<uint64_t>(below.count);
    device_.fill(references.data(), below.count, uint64_t{0});
    device_.for_each(
        {"compression: references", 40}, here.count,
        CountReferences{here.nodes.ref(), here.firsts.data(), below.classes.data(), references.data()});
    return references;
  }

  // Finds the places of a level's classes, and what they take.
  void encode(uint32_t level, Level& here, const Level& below, device::Buffer<uint64_t> references) {
    const uint64_t n = here.count;
    auto keys = device_.template make<uint64_t>(n);
    device_.for_each({"compression: sizes", 60}, n,
                     EncodedKeys{here.nodes.ref(), here.firsts.data(), below.classes.data(),
                                 below.places.data(), shared_.turn_bits(), references.data(), keys.data()});
    references = {};
    auto classes = device_.template make<uint32_t>(n);
    device_.for_each({"compression: number", 4}, n, Numbered<uint32_t>{classes.data()});
    device_.sort_pairs({"compression: sort classes", 24}, keys, classes, n, EncodedOrder::kBits);
    auto places = device_.template make<uint64_t>(n + 1);
    const uint64_t units =
        device_.exclusive_scan({"compression: places", 16}, n, EncodedUnits{keys.data()}, places.data());
    here.places = device_.template make<uint64_t>(n);
    device_.scatter({"compression: places", 20}, n, classes.data(), places.data(), here.places.data());
    SharedLevel& counts = shared_.levels[level];
    counts.encoded_bytes = units * (level == geometry_.depth() ? 8 : 2);
    counts.references = reference_counts(keys);
  }

  std::vector<ReferenceCount> reference_counts(const device::Buffer<uint64_t>& keys) {
    const uint64_t n = keys.size();
    const device::Runs runs = device::find_runs(device_, {"compression: equal references", 8}, keys.data(), n,
                                                EncodedOrder::kSizeBits);
    auto chosen = device_.template make<uint64_t>(runs.count);
    device_.for_each({"compression: equal references", 16}, runs.count,
                     device::TakeChosen<uint64_t>{keys.data(), runs.starts.data(), chosen.data()});
    std::vector<uint64_t> values(runs.count);
    std::vector<uint32_t> starts(runs.count);
    device_.download(values.data(), chosen.data(), runs.count);
    device_.download(starts.data(), runs.starts.data(), runs.count);
    device_.sync();
    std::vector<ReferenceCount> counts(runs.count);
    for (size_t i = 0; i < counts.size(); ++i) {
      const uint64_t end = i + 1 < counts.size() ? starts[i + 1] : n;
      counts[i] = {EncodedOrder::references(values[i]), end - starts[i]};
    }
    return counts;
  }

  Device& device_;
  const dag::FrozenDag& geometry_;
  dag::DagStore<Device> store_;
  device::Buffer<SymmetryTables> tables_;
  Canonical canonical_ = {};
  SharedDag shared_;
};

template <class Device>
SharedDag shared_under_on(Device& device, const dag::FrozenDag& geometry, uint32_t symmetries) {
  return SymmetryCounter<Device>(device, geometry, symmetries).count();
}

}  // namespace vox::measure
