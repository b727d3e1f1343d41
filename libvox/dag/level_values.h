// One value for each node of a level. A DAG that is read as it is used may have more values than memory, so they lie in a
// file without a name if they take more memory than is given.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/spilled_array.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/walk.h"

namespace vox::dag {

template <class T>
class LevelValues {
 public:
  LevelValues() = default;  // for no nodes
  LevelValues(uint64_t nodes, uint64_t memory)
      : values_(SpillPlace::if_larger(nodes * sizeof(T), memory), nodes) {
    values_.append(nodes);
  }

  // Sets the values of nodes, beginning with node `first`. Different threads may set different values.
  void set(uint64_t first, std::span<const T> values) { values_.write(first, values); }

  // Reads values on one thread. Most nodes' children follow each other, so values in a file are read in blocks.
  class Reader {
   public:
    explicit Reader(const LevelValues& all) : all_(all.values_) {
      if (all_.in_file()) blocks_.resize(kBlocks);
    }

    T operator[](uint64_t number) {
      if (!all_.in_file()) return all_.data()[number];
      const uint64_t block = number / kBlockValues;
      Block& held = blocks_[block % kBlocks];
      if (held.number != block) {
        held.number = UINT64_MAX;
        const uint64_t first = block * kBlockValues;
        all_.read(first, std::span(held.values).first(std::min(kBlockValues, all_.size() - first)));
        held.number = block;
      }
      return held.values[number % kBlockValues];
    }

   private:
    static constexpr uint64_t kBlockValues = 4096 / sizeof(T), kBlocks = 64;
    struct Block {
      uint64_t number = UINT64_MAX;
      std::array<T, kBlockValues> values;
    };

    const SpilledArray<T>& all_;
    std::vector<Block> blocks_;
  };

  // Returns a reader for each thread that asks for one. The values must outlive it.
  tbb::enumerable_thread_specific<Reader> readers() const {
    return tbb::enumerable_thread_specific<Reader>([this] { return Reader(*this); });
  }

 private:
  SpilledArray<T> values_;
};

// Computes a value for each node of a level, in parallel: value_of(number, its words, the values of the level below).
template <class T, class ValueOf>
LevelValues<T> values_of_level(const DagLevel& level, const LevelValues<T>& below, uint64_t memory,
                               const ValueOf& value_of) {
  LevelValues<T> values(level.places.nodes(), memory);
  auto readers = below.readers();
  tbb::parallel_for(
      node_numbers(level),
      [&](const NodeNumbers& range) {
        auto& children = readers.local();
        std::vector<T> found;
        found.reserve(range.size());
        for_each_in(level, range, [&](uint64_t number, const uint32_t* node) {
          found.push_back(value_of(number, node, children));
        });
        values.set(range.begin(), found);
      },
      tbb::simple_partitioner());
  return values;
}

// How often a node is used: by child pointers of the DAG, where the root has one from outside; and the nodes of the octree
// for which it stands.
struct NodeUses {
  uint64_t pointers = 0, places = 0;
};

// Finds the uses of all nodes, from the root down. Calls on_part(level, first, uses) for parts of each level, one after the
// other; `uses` are those of the nodes from number `first` on. A part takes at most so many bytes of memory: the level
// above is read once for each part.
template <class OnPart>
void for_each_uses(const FrozenDag& dag, uint64_t memory, const OnPart& on_part) {
  constexpr uint64_t kLeastPart = 1 << 10;  // nodes
  const uint64_t part = std::max(memory / sizeof(NodeUses), kLeastPart);
  const NodeUses root = {.pointers = 1, .places = 1};
  LevelValues<uint64_t> above;  // how often each node of the level above occurs in the octree
  for (uint32_t level = 0; level <= dag.depth() && !dag.empty(); ++level) {
    const uint64_t nodes = dag.levels[level].places.nodes();
    LevelValues<uint64_t> here(level < dag.depth() ? nodes : 0, memory);  // nothing lies below leaves
    for (uint64_t first = 0; first < nodes; first += part) {
      std::vector<NodeUses> uses(std::min(part, nodes - first));
      if (level == 0) {
        uses[0] = root;
      } else {
        auto readers = above.readers();
        tbb::parallel_for(node_numbers(dag.levels[level - 1]), [&](const NodeNumbers& range) {
          auto& times = readers.local();
          for_each_in(dag.levels[level - 1], range, [&](uint64_t number, const uint32_t* node) {
            const uint64_t places = times[number];
            for (uint32_t i = 1; i < node_words(node[0]); ++i) {
              if (node[i] - first >= uses.size()) continue;  // also where node[i] < first
              NodeUses& use = uses[node[i] - first];
              std::atomic_ref(use.pointers).fetch_add(1, std::memory_order_relaxed);
              std::atomic_ref(use.places).fetch_add(places, std::memory_order_relaxed);
            }
          });
        });
      }
      if (level < dag.depth())
        tbb::parallel_for(
            NodeNumbers(0, uses.size(), 4096),
            [&](const NodeNumbers& range) {
              std::vector<uint64_t> places(range.size());
              std::transform(uses.begin() + static_cast<ptrdiff_t>(range.begin()),
                             uses.begin() + static_cast<ptrdiff_t>(range.end()), places.begin(),
                             [](const NodeUses& use) { return use.places; });
              here.set(first + range.begin(), places);
            },
            tbb::simple_partitioner());
      on_part(level, first, std::span<const NodeUses>(uses));
    }
    above = std::move(here);
  }
}

}  // namespace vox::dag
