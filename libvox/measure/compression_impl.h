// Counts the forms of a DAG whose nodes are merged under symmetries (dag/symmetric_dag_impl.h), on one device.
#pragma once

#include <algorithm>
#include <utility>

#include "libvox/dag/levels.h"
#include "libvox/dag/symmetric_dag_impl.h"
#include "libvox/device/atomics.h"
#include "libvox/device/runs.h"
#include "libvox/measure/compression.h"

namespace vox::measure {

// These structs return the bins of histograms over the stored nodes.

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

// The order of a level's encoded nodes: those with most references first, then by size. Sort keys hold both.
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
  const uint64_t* places_below;   // the place of each class of the level below
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
      : device_(device), geometry_(geometry), classes_(device, symmetries) {
    shared_.symmetries = symmetries;
    shared_.levels.resize(geometry.levels.size());
  }

  SharedDag count() {
    if (geometry_.empty()) return std::move(shared_);
    // The sizes of nodes follow from the places of their children, and the places of a level from the references of the
    // level above. So three levels are in memory at a time.
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
  struct Level : dag::ClassedLevel {
    device::Buffer<uint64_t> places;  // the place of each class in the encoded form
  };

  Level classified(uint32_t level, const Level& below) {
    Level here = {classes_.classified(geometry_.levels[level], below), {}};
    count_stored(level, here, here.stored.data());
    here.stored.reset();
    return here;
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

  // Finds the places of a level's classes, and their size.
  void encode(uint32_t level, Level& here, const Level& below, device::Buffer<uint64_t> references) {
    const uint64_t n = here.count;
    auto keys = device_.template make<uint64_t>(n);
    device_.for_each({"compression: sizes", 60}, n,
                     EncodedKeys{here.nodes.ref(), here.firsts.data(), below.classes.data(),
                                 below.places.data(), shared_.turn_bits(), references.data(), keys.data()});
    references = {};
    auto classes = device_.template make<uint32_t>(n);
    device_.for_each({"compression: number", 4}, n, dag::Numbered<uint32_t>{classes.data()});
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
  dag::SymmetryClasses<Device> classes_;
  SharedDag shared_;
};

template <class Device>
SharedDag shared_under_on(Device& device, const dag::FrozenDag& geometry, uint32_t symmetries) {
  return SymmetryCounter<Device>(device, geometry, symmetries).count();
}

}  // namespace vox::measure
