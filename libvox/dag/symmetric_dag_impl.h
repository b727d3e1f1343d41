// Finds the nodes of a DAG that are equal after a symmetry, level by level from the leaves up, on one device.
//
// Each node is brought into a canonical form: the one with the least words among all its images under the group. Nodes
// are in one class if their canonical forms are equal. A node's words name its children by their classes and by
// symmetries. Several symmetries may make a child from its class's form; all 48 make a cube. All of them are kept, as a
// set of bits, and the words name the least that leads to the child, so that equal nodes have equal words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/base/symmetry.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/store.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/device/runs.h"

namespace vox::dag {

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
    // All images of a full leaf equal the mask with which the search begins, so `ways` has all symmetries.
    return form;
  }

  // `classes` and `ways` are those of the level below.
  VOX_HD CanonicalForm node(const uint32_t* node, const uint32_t* classes, const uint64_t* ways) const {
    uint32_t children[8] = {};
    uint64_t child_ways[8] = {};
    const uint32_t mask = child_mask(node[0]);
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

  // Each symmetry of `ways` makes the child from its class's form. Returns the least symmetry that makes the child as
  // `symmetry` turns it.
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
  LevelRef level;
  uint64_t first;
  const uint32_t* classes_below;  // nullptr for leaves
  const uint64_t* ways_below;
  uint32_t* items;
  uint8_t* sizes;
  uint64_t* ways;    // for each of the level's nodes
  uint64_t* stored;  // a leaf's mask; a node's turns, and its child mask in bits 48 to 55

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* const node = level.node(first + i);
    uint32_t* const item = items + i * kStride;
    if (classes_below == nullptr) {
      const CanonicalForm form = canonical.leaf(leaf_mask(node));
      write_leaf_mask(item, form.mask);
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
  const uint32_t* numbers;  // the class of each node that is the first of a class
  uint32_t* classes;
  VOX_HD void operator()(uint64_t i) const { classes[i] = numbers[firsts[i]]; }
};

template <class T>
struct Numbered {
  T* to;
  VOX_HD void operator()(uint64_t i) const { to[i] = static_cast<T>(i); }
};

// A level whose nodes are in classes. Classes are numbered in the order of their first nodes.
struct ClassedLevel {
  DeviceLevel nodes;
  device::Buffer<uint32_t> classes;  // the class of each node
  device::Buffer<uint64_t> ways;     // for each node, the symmetries that make it from its canonical form
  device::Buffer<uint32_t> firsts;   // the first node of each class
  uint64_t count = 0;                // the number of classes
  device::Buffer<uint64_t> stored;   // for each node, see CanonicalItems
};

template <class Device>
class SymmetryClasses {
 public:
  SymmetryClasses(Device& device, uint32_t symmetries)
      : device_(device), store_(device), tables_(device.template make<SymmetryTables>(1)) {
    device_.upload(tables_.data(), &kSymmetryTables, 1);
    canonical_ = {tables_.data(), symmetries};
  }

  const SymmetryTables* tables() const { return tables_.data(); }

  // `below` is the level below, and empty for leaves.
  ClassedLevel classified(const DagLevel& level, const ClassedLevel& below) {
    ClassedLevel here;
    here.nodes = uploaded_level(device_, level);
    const uint64_t n = here.nodes.nodes;
    here.ways = device_.template make<uint64_t>(n);
    here.stored = device_.template make<uint64_t>(n);
    const auto firsts = first_equal_nodes(here, below);
    here.firsts = device_.template make<uint32_t>(n);
    here.count = device_.select({"symmetries: classes", 4}, n, IsFirst{firsts.data()}, here.firsts.data());
    auto numbers = device_.template make<uint32_t>(n + 1);
    device_.exclusive_scan({"symmetries: numbers", 8}, n, IsFirst{firsts.data()}, numbers.data());
    here.classes = device_.template make<uint32_t>(n);
    device_.for_each({"symmetries: number", 12}, n,
                     ClassOfFirst{firsts.data(), numbers.data(), here.classes.data()});
    return here;
  }

 private:
  static constexpr uint64_t kBatch = uint64_t{1} << 22;  // bounds the memory for items

  // Returns for each node the first one that equals it after a symmetry.
  device::Buffer<uint32_t> first_equal_nodes(ClassedLevel& here, const ClassedLevel& below) {
    const uint64_t n = here.nodes.nodes, batch = std::min(n, kBatch);
    auto pointers = device_.template make<uint32_t>(n);
    auto items = device_.template make<uint32_t>(batch * CanonicalItems::kStride);
    auto sizes = device_.template make<uint8_t>(batch);
    for (uint64_t first = 0; first < n; first += batch) {
      throw_if_cancelled();
      const uint64_t count = std::min(batch, n - first);
      device_.for_each(
          {"symmetries: canonical", 80}, count,
          CanonicalItems{canonical_, here.nodes.ref(), first, below.classes.data(), below.ways.data(),
                         items.data(), sizes.data(), here.ways.data(), here.stored.data()});
      if (canonical_.symmetries > 1)
        store_.intern(hash::BatchRef{items.data(), nullptr, nullptr, CanonicalItems::kStride, sizes.data()},
                      count, pointers.data() + first);
    }
    auto firsts = device_.template make<uint32_t>(n);
    if (canonical_.symmetries == 1) {
      device_.for_each({"symmetries: number", 4}, n, Numbered<uint32_t>{firsts.data()});
      return firsts;
    }
    auto nodes = device_.template make<uint32_t>(n);
    device_.for_each({"symmetries: number", 4}, n, Numbered<uint32_t>{nodes.data()});
    device_.sort_pairs({"symmetries: sort nodes", 16}, pointers, nodes, n, 32);
    const device::Runs runs = device::find_runs(device_, {"symmetries: equal nodes", 4}, pointers.data(), n);
    device_.for_each({"symmetries: first nodes", 12}, runs.count,
                     FirstOfRun{runs.ref(), nodes.data(), firsts.data()});
    return firsts;
  }

  Device& device_;
  DagStore<Device> store_;
  device::Buffer<SymmetryTables> tables_;
  Canonical canonical_ = {};
};

// Makes a DAG's symmetric form on one device: the first node of each class of nodes is stored.

// The number of words of each stored inner node.
struct SymmetricSizes {
  LevelRef level;
  const uint32_t* firsts;
  VOX_HD uint64_t operator()(uint64_t i) const { return symmetric_words(level.node(firsts[i])[0]); }
};

// Writes the stored nodes of a level. Each names a child by the child's class and the least symmetry that makes the
// child from the first node of this class.
struct WriteSymmetric {
  LevelRef level;
  const SymmetryTables* tables;
  const uint32_t* firsts;
  const uint32_t* classes_below;
  const uint64_t* ways_below;
  const uint32_t* firsts_below;
  const uint64_t* places;
  uint32_t* words;

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* const node = level.node(firsts[i]);
    uint32_t* const to = words + places[i];
    uint64_t turns = 0;
    uint32_t word = 0;
    for (uint32_t left = child_mask(node[0]); left != 0; left &= left - 1, ++word) {
      const uint32_t child = node[1 + word], class_below = classes_below[child];
      const uint32_t turn = least_turn(ways_below[child], ways_below[firsts_below[class_below]]);
      turns |= uint64_t{turn} << kTurnBits * static_cast<uint32_t>(lowest_bit(left));
      to[kSymmetricHeaderWords + word] = class_below;
    }
    to[0] = child_mask(node[0]) | static_cast<uint32_t>(turns & 0xffffff) << 8;
    to[1] = static_cast<uint32_t>(turns >> 24) | (is_homogeneous(node[0]) ? kSymmetricFull : 0);
  }

 private:
  VOX_HD uint32_t least_turn(uint64_t ways, uint64_t ways_of_first) const {
    const uint32_t back = tables->inverses[lowest_bit(ways_of_first)];
    uint32_t least = kSymmetries;
    for (; ways != 0; ways &= ways - 1) {
      const uint32_t turn = tables->products[lowest_bit(ways)][back];
      if (turn < least) least = turn;
    }
    return least;
  }
};

struct CopyLeaves {
  LevelRef level;
  const uint32_t* firsts;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* const leaf = level.node(firsts[i]);
    words[2 * i] = leaf[0];
    words[2 * i + 1] = leaf[1];
  }
};

template <class Device>
SymmetricDag symmetric_dag(Device& device, const FrozenDag& geometry) {
  if (geometry.materials) throw Error("only geometry without materials can be merged under symmetries");
  SymmetricDag result = {.resolution = geometry.resolution,
                         .voxels = geometry.voxels,
                         .digest = geometry.digest,
                         .levels = std::vector<SymmetricLevel>(geometry.levels.size())};
  if (geometry.empty()) {
    place_nodes(result);
    return result;
  }
  SymmetryClasses<Device> classes(device, kSymmetries);
  ClassedLevel below;
  for (uint32_t level = geometry.depth() + 1; level-- > 0;) {
    ClassedLevel here = classes.classified(geometry.levels[level], below);
    const uint64_t n = here.count;
    SymmetricLevel& to = result.levels[level];
    to.nodes = n;
    to.plain_nodes = geometry.levels[level].nodes;
    to.plain_words = geometry.levels[level].words.size();
    to.svo_nodes = geometry.levels[level].svo_nodes;
    device::Buffer<uint32_t> words;
    if (level == geometry.depth()) {
      words = device.template make<uint32_t>(2 * n);
      device.for_each({"symmetries: leaves", 20}, n,
                      CopyLeaves{here.nodes.ref(), here.firsts.data(), words.data()});
    } else {
      auto places = device.template make<uint64_t>(n + 1);
      const uint64_t all = device.exclusive_scan(
          {"symmetries: places", 16}, n, SymmetricSizes{here.nodes.ref(), here.firsts.data()}, places.data());
      words = device.template make<uint32_t>(all);
      device.for_each(
          {"symmetries: nodes", 80}, n,
          WriteSymmetric{here.nodes.ref(), classes.tables(), here.firsts.data(), below.classes.data(),
                         below.ways.data(), below.firsts.data(), places.data(), words.data()});
    }
    to.words.resize(words.size());
    device.download(to.words.data(), words.data(), words.size());
    device.sync();
    below = std::move(here);
  }
  place_nodes(result);
  return result;
}

}  // namespace vox::dag
