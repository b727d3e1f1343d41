// One value for each node of a level. The values of a DAG that is larger than memory may be larger than memory, too.
// They lie in a file without a name if they take more memory than is given.
//
// Several ranks can compute values together. Each rank reads only the words of its share of a level's nodes, and all
// get the values of all nodes.
#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/progress.h"
#include "libvox/base/spilled_array.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/paged_level.h"
#include "libvox/dag/walk.h"
#include "libvox/ranks/ranks.h"

namespace vox::dag {

template <class T>
class LevelValues {
 public:
  LevelValues() = default;  // for no nodes
  LevelValues(uint64_t nodes, uint64_t memory)
      : values_(SpillPlace::if_larger(nodes * sizeof(T), memory), nodes), memory_(memory) {
    values_.append(nodes);
  }

  uint64_t size() const { return values_.size(); }

  // Sets the values of nodes, beginning with node `first`. Different threads may set different values.
  void set(uint64_t first, std::span<const T> values) { values_.write(first, values); }
  void read(uint64_t first, std::span<T> to) const { values_.read(first, to); }
  T* in_memory() const { return values_.in_file() ? nullptr : values_.data(); }  // null if they lie in a file

  // Reads values on one thread. Most nodes' children follow each other, so values in a file are read in blocks, of which
  // the threads keep as many as fit into half of the memory.
  class Reader {
   public:
    explicit Reader(const LevelValues& all) : all_(all.values_) {
      const auto threads = static_cast<uint64_t>(tbb::this_task_arena::max_concurrency());
      if (all_.in_file())
        blocks_.resize(std::bit_floor(std::max(all.memory_ / 2 / threads / sizeof(Block), kLeastBlocks)));
    }

    T operator[](uint64_t number) {
      if (!all_.in_file()) return all_.data()[number];
      const uint64_t block = number / kBlockValues;
      Block& held = blocks_[block & (blocks_.size() - 1)];
      if (held.number != block) {
        held.number = UINT64_MAX;
        const uint64_t first = block * kBlockValues;
        all_.read(first, std::span(held.values).first(std::min(kBlockValues, all_.size() - first)));
        held.number = block;
      }
      return held.values[number % kBlockValues];
    }

   private:
    static constexpr uint64_t kBlockValues = 4096 / sizeof(T), kLeastBlocks = 64;
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
  uint64_t memory_ = 0;
};

// The nodes of a rank's share of a level.
inline NodeNumbers own_nodes(const ranks::Ranks& ranks, const DagLevel& level) {
  const ranks::Counts begins = ranks::share_begins(ranks, level.places.nodes());
  return {begins[ranks.rank()], begins[ranks.rank() + 1], node_numbers(level).grainsize()};
}

// Collective. Each rank has set the values of its share of the nodes [first, first + nodes); all ranks get the values
// of all of these nodes.
template <class T>
void give_to_all(ranks::Ranks& ranks, LevelValues<T>& values, uint64_t first, uint64_t nodes) {
  throw_if_cancelled();  // values of words that could not be read are not sent
  const ranks::Counts begins = ranks::share_begins(ranks, nodes);
  ranks::give_to_all<T>(
      ranks, ranks::share_sizes(begins),
      [&](uint64_t at, std::span<T> to) { values.read(first + begins[ranks.rank()] + at, to); },
      [&](uint32_t rank, uint64_t at, std::span<const T> from) {
        values.set(first + begins[rank] + at, from);
      });
}

// Collective. Computes a value for each node of a level, in parallel: value_of(number, its words, the values of the
// level below).
template <class T, class ValueOf>
LevelValues<T> values_of_level(const DagLevel& level, const LevelValues<T>& below, uint64_t memory,
                               ranks::Ranks& ranks, const ValueOf& value_of) {
  LevelValues<T> values(level.places.nodes(), memory);
  auto readers = below.readers();
  const T* const all_below = below.size() > 0 ? below.in_memory() : nullptr;
  tbb::parallel_for(
      own_nodes(ranks, level),
      [&](const NodeNumbers& range) {
        auto& children = readers.local();
        std::vector<T> found;
        found.reserve(range.size());
        for_each_in_order(
            level, range,
            [&](const uint32_t* node) {
              if (all_below) prefetch_children(node, all_below);
            },
            [&](uint64_t number, const uint32_t* node) {
              found.push_back(value_of(number, node, children));
            });
        values.set(range.begin(), found);
      },
      tbb::simple_partitioner());
  give_to_all(ranks, values, 0, values.size());
  return values;
}

// The uses of a node: the child pointers that lead to it, where the root counts as having one, and the nodes of the
// octree for which it stands.
struct NodeUses {
  uint64_t pointers, places;
};
using NodeUsesList = std::vector<NodeUses, UninitializedAllocator<NodeUses>>;

// Collective. Adds up the uses that each rank has counted of some nodes. Each rank gets the sums for its share of these
// nodes.
inline NodeUsesList sums_of_share(ranks::Ranks& ranks, NodeUsesList uses) {
  if (ranks.count() == 1) return uses;
  throw_if_cancelled();  // as in give_to_all()
  const ranks::Counts begins = ranks::share_begins(ranks, uses.size());
  const uint64_t own = begins[ranks.rank() + 1] - begins[ranks.rank()];
  ranks::Counts to, from(ranks.count(), own * sizeof(NodeUses));
  for (const uint64_t size : ranks::share_sizes(begins)) to.push_back(size * sizeof(NodeUses));
  NodeUsesList received(own * ranks.count());
  ranks.exchange(uses.data(), to, received.data(), from);
  for (uint64_t i = own; i < received.size(); ++i) {
    received[i % own].pointers += received[i].pointers;
    received[i % own].places += received[i].places;
  }
  received.resize(own);
  return received;
}

// Collective. Finds the uses of all nodes, from the root down, and calls on_node(level, words, uses, sums) for each node
// of the rank's share of each level, in parallel. Returns the sums of each level, of a type with +=. The uses of a
// level take at most `memory` bytes, three times: more lie in a file, and then the level above is read once for each
// part of the level. Several ranks count parts of half the size, because they also receive each other's counts.
template <class Sums, class OnNode>
std::vector<Sums> sums_over_nodes(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks,
                                  const OnNode& on_node) {
  constexpr uint64_t kLeastPart = 1 << 10;  // nodes
  const uint64_t lists = ranks.count() == 1 ? 1 : 2;
  const uint64_t most =
      std::max(std::ranges::min(ranks.gather(memory)) / sizeof(NodeUses) / lists, kLeastPart);
  std::vector<Sums> result(dag.levels.size());
  LevelValues<NodeUses> uses(1, memory);
  uses.set(0, std::array{NodeUses{.pointers = 1, .places = 1}});
  for (uint32_t level = 0; level <= dag.depth() && !dag.empty(); ++level) {
    const DagLevel& from = dag.levels[level];
    const uint64_t below = level < dag.depth() ? dag.levels[level + 1].places.nodes() : 0;
    LevelValues<NodeUses> next(below, memory);
    NodeUses* const whole = ranks.count() == 1 ? next.in_memory() : nullptr;
    for (uint64_t first = 0; first == 0 || first < below;) {
      const uint64_t size = whole ? below : std::min(most, below - first);
      NodeUsesList part(whole ? 0 : size);
      NodeUses* const counted = whole ? whole : part.data();
      parallel_for(tbb::blocked_range<size_t>(0, size, 1 << 14), [&](const auto& range) {
        std::fill(counted + range.begin(), counted + range.end(), NodeUses{0, 0});
      });
      auto readers = uses.readers();
      const auto count = [&](const NodeNumbers& range, Sums sums) {
        auto& uses_of = readers.local();
        const auto for_each_use = [&](const uint32_t* node, const auto& body) {
          const uint32_t words = below > 0 ? node_words(node[0]) : 0;
          for (uint32_t i = 1; i < words; ++i)
            if (node[i] - first < size) body(counted[node[i] - first]);  // not where node[i] < first, either
        };
        for_each_in_order(
            from, range,
            [&](const uint32_t* node) {
              for_each_use(node, [](const NodeUses& use) { prefetch_line(&use); });
            },
            [&](uint64_t number, const uint32_t* node) {
              const NodeUses own = uses_of[number];
              if (first == 0) on_node(level, node, own, sums);
              for_each_use(node, [&](NodeUses& use) {
                std::atomic_ref(use.pointers).fetch_add(1, std::memory_order_relaxed);
                std::atomic_ref(use.places).fetch_add(own.places, std::memory_order_relaxed);
              });
            });
        return sums;
      };
      result[level] += tbb::parallel_reduce(own_nodes(ranks, from), Sums(), count,
                                            [](Sums a, const Sums& b) { return a += b; });
      throw_if_cancelled();  // counts of words that could not be read stay here
      if (!whole) {
        part = sums_of_share(ranks, std::move(part));
        next.set(first + ranks::share_begins(ranks, size)[ranks.rank()], part);
        give_to_all(ranks, next, first, size);
      }
      first += std::max<uint64_t>(size, 1);
    }
    uses = std::move(next);
  }
  return result;
}

}  // namespace vox::dag
