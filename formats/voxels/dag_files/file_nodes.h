// Reads files that contain a DAG. Their nodes become nodes of vox one by one, from the leaves up, without
// expanding the DAG. So the work grows with the file's length, even for nodes that several levels share and
// for huge trees made of few nodes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstdint>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/hash/slab_memory.h"

namespace vox {

// A set of numbers below a bound, one bit each. It also gives each member's index in the set.
class IdSet {
 public:
  explicit IdSet(uint64_t bound) : bits_(bound / 64 + 1) {}
  IdSet(uint64_t bound, const std::vector<uint64_t>& ids) : IdSet(bound) {
    for (const uint64_t id : ids) add(id);
    number();
  }

  // Several threads may add numbers at once.
  void add(uint64_t id) {
    const std::atomic_ref<uint64_t> word(bits_[id / 64]);
    const uint64_t bit = uint64_t{1} << id % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }

  // Numbers the members. index_of() and count() may be called after this.
  void number() {
    before_.resize(bits_.size());
    count_ = 0;
    for (size_t i = 0; i < bits_.size(); ++i) {
      before_[i] = count_;
      count_ += static_cast<uint64_t>(std::popcount(bits_[i]));
    }
  }

  uint64_t count() const { return count_; }
  uint64_t index_of(uint64_t id) const {
    const uint64_t lower = bits_[id / 64] & ((uint64_t{1} << id % 64) - 1);
    return before_[id / 64] + static_cast<uint64_t>(std::popcount(lower));
  }

  std::vector<uint64_t> ascending() const {
    std::vector<uint64_t> ids;
    ids.reserve(count_);
    for (size_t i = 0; i < bits_.size(); ++i)
      for (uint64_t bits = bits_[i]; bits != 0; bits &= bits - 1)
        ids.push_back(i * 64 + static_cast<uint64_t>(std::countr_zero(bits)));
    return ids;
  }

 private:
  std::vector<uint64_t> bits_, before_;
  uint64_t count_ = 0;
};

inline constexpr uint32_t kMostFileLevels = 20;  // 1M voxels a side, the largest grid

// The children of a node in our order of octants.
struct FileChildren {
  uint32_t mask = 0;
  std::array<uint64_t, 8> ids = {};

  // Children must be added in ascending order of octants.
  void add(uint32_t octant, uint64_t id) {
    ids[static_cast<size_t>(popcount(mask))] = id, mask |= 1u << octant;
  }
  uint32_t count() const { return static_cast<uint32_t>(popcount(mask)); }
};

// A reader's access to the nodes in its file. A node has an id below bound(); the same id may mean another
// node on another level. The root has level 0, and the leaves of 4³ voxels have level depth(). children()
// and leaf() throw Error if no node has the id. most_nodes() is the largest number of (level, id) pairs that
// a valid file can have.
template <class File>
concept NodeFile = requires(const File& file, uint32_t level, uint64_t id) {
  { file.depth() } -> std::same_as<uint32_t>;
  { file.root() } -> std::same_as<uint64_t>;
  { file.bound() } -> std::same_as<uint64_t>;
  { file.most_nodes() } -> std::same_as<uint64_t>;
  { file.children(level, id) } -> std::same_as<FileChildren>;
  { file.leaf(id) } -> std::same_as<uint64_t>;  // the mask of its voxels in our order
};

template <NodeFile File>
class FileNodes {
 public:
  // Finds the nodes of all levels. Throws Error if an id belongs to no node, or if there are more nodes than
  // the file can hold.
  explicit FileNodes(const File& file) : file_(file), ids_(file.depth() + 1) {
    ids_[0] = {file.root()};
    uint64_t total = 1;
    for (uint32_t level = 0; level < file.depth(); ++level) {
      throw_if_cancelled();
      IdSet below(file.bound());
      for_each(ids_[level], [&](uint64_t, uint64_t id) {
        const FileChildren children = file.children(level, id);
        for (uint32_t i = 0; i < children.count(); ++i) below.add(children.ids[i]);
      });
      below.number();
      total += below.count();
      if (total > file.most_nodes()) throw Error("its nodes overlap: there are more than the file can hold");
      ids_[level + 1] = below.ascending();
    }
  }

  // Returns the number of voxels below the nodes of each level, in the order of ids. It is at most 8^20.
  std::vector<std::vector<uint64_t>> voxels() const {
    std::vector<std::vector<uint64_t>> counts(ids_.size());
    for (uint32_t level = file_.depth() + 1; level-- > 0;) {
      counts[level].resize(ids_[level].size());
      const bool is_leaf = level == file_.depth();
      const IdSet below(is_leaf ? 0 : file_.bound(), is_leaf ? std::vector<uint64_t>{} : ids_[level + 1]);
      for_each(ids_[level], [&](uint64_t index, uint64_t id) {
        if (is_leaf) {
          counts[level][index] = static_cast<uint64_t>(popcount(file_.leaf(id)));
          return;
        }
        const FileChildren children = file_.children(level, id);
        for (uint32_t i = 0; i < children.count(); ++i)
          counts[level][index] += counts[level + 1][below.index_of(children.ids[i])];
      });
    }
    return counts;
  }

  // Returns a node's index among the ids of its level.
  uint64_t index_of(uint32_t level, uint64_t id) const {
    return static_cast<uint64_t>(std::ranges::lower_bound(ids_[level], id) - ids_[level].begin());
  }

  // Builds the DAG of the voxels, without materials.
  dag::FrozenDag dag(uint64_t memory_limit) const {
    dag::HostStore store(false, memory_limit);
    uint64_t nodes = 0;
    for (const std::vector<uint64_t>& ids : ids_) nodes += ids.size();
    store.expect_growth(static_cast<double>(nodes) / static_cast<double>(ids_.back().size() + 1));
    std::vector<uint32_t> pointers = put_leaves(store);
    for (uint32_t level = file_.depth(); level-- > 0;) pointers = put_nodes(store, level, pointers);
    const uint32_t resolution = dag::kLeafSide << file_.depth();
    if (pointers[0] != hash::kNullPointer) return store.freeze(pointers[0], resolution);
    dag::FrozenDag empty = dag::empty_dag(resolution, false);
    empty.digest = dag::compute_digest(empty);
    return empty;
  }

 private:
  template <class Body>
  static void for_each(const std::vector<uint64_t>& ids, const Body& body) {
    parallel_for(tbb::blocked_range<size_t>(0, ids.size(), 1024),
                 [&](const tbb::blocked_range<size_t>& range) {
                   for (size_t i = range.begin(); i < range.end(); ++i) body(i, ids[i]);
                 });
  }

  // Both functions return the store's pointers to the nodes of a level. A node without voxels gets
  // kNullPointer, because DAGs of vox have no such nodes.
  std::vector<uint32_t> put_leaves(dag::HostStore& store) const {
    const std::vector<uint64_t>& ids = ids_.back();
    std::vector<uint64_t> masks(ids.size());
    for_each(ids, [&](uint64_t index, uint64_t id) { masks[index] = file_.leaf(id); });
    std::vector<uint32_t> words, offsets = {0};
    for (const uint64_t mask : masks) {
      if (mask == 0) continue;
      words.insert(words.end(), {static_cast<uint32_t>(mask), static_cast<uint32_t>(mask >> 32)});
      offsets.push_back(static_cast<uint32_t>(words.size()));
    }
    return spread(store.put_leaves(words, offsets), ids.size(), [&](size_t i) { return masks[i] != 0; });
  }

  std::vector<uint32_t> put_nodes(dag::HostStore& store, uint32_t level,
                                  const std::vector<uint32_t>& pointers_below) const {
    throw_if_cancelled();
    const std::vector<uint64_t>& ids = ids_[level];
    const IdSet below(file_.bound(), ids_[level + 1]);
    // For each node a mask of the children that have voxels, and eight places, of which the first ones are used.
    std::vector<uint8_t> masks(ids.size());
    std::vector<std::array<uint32_t, 8>> places(ids.size());
    for_each(ids, [&](uint64_t index, uint64_t id) {
      const FileChildren children = file_.children(level, id);
      uint32_t i = 0, kept = 0;
      for (uint32_t mask = children.mask; mask != 0; mask &= mask - 1, ++i) {
        const uint32_t pointer = pointers_below[below.index_of(children.ids[i])];
        if (pointer == hash::kNullPointer) continue;
        places[index][kept++] = pointer;
        masks[index] = static_cast<uint8_t>(masks[index] | (mask & (0 - mask)));
      }
    });
    std::vector<uint8_t> filled_masks;
    std::vector<uint32_t> children;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (masks[i] == 0) continue;
      filled_masks.push_back(masks[i]);
      children.insert(children.end(), places[i].begin(), places[i].begin() + popcount(uint32_t{masks[i]}));
    }
    const bool above_leaves = level + 1 == file_.depth();
    return spread(
        store.put_nodes(filled_masks, children, above_leaves ? dag::NodeKind::Leaf : dag::NodeKind::Inner),
        ids.size(), [&](size_t i) { return masks[i] != 0; });
  }

  template <class IsFilled>
  static std::vector<uint32_t> spread(const std::vector<uint32_t>& pointers, size_t count,
                                      const IsFilled& is_filled) {
    std::vector<uint32_t> all(count, hash::kNullPointer);
    size_t next = 0;
    for (size_t i = 0; i < count; ++i)
      if (is_filled(i)) all[i] = pointers[next++];
    return all;
  }

  const File& file_;
  std::vector<std::vector<uint64_t>> ids_;  // the ids of each level, ascending
};

}  // namespace vox
