// Makes a DAG's symmetric form on one device: the first node of each class of nodes (symmetry_classes.h) is stored.
#pragma once

#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/dag/symmetry_classes.h"

namespace vox::dag {

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
