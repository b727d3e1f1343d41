// Levels of a DAG that are read when they are used, so that the DAG may be larger than memory. Walks over such a DAG
// look like walks over any other. A walk that stays in one part of the scene is fast, because nodes that belong
// together stand close together. A loop over all nodes should go level by level, in order.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/progress.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/walk.h"

namespace vox::dag {

struct FiledLevel {
  std::string where;  // for messages: the file and the part of it that is read
  LevelForm form;
  uint64_t words = 0, nodes = 0, svo_nodes = 0;
  uint64_t nodes_below = 0;  // the number of nodes on the next level; not used for leaves
  LongWords starts;          // the words at which the nodes 0, 4096, 8192, … begin
  uint64_t piece_words = 0;  // this many words, or a few more, are read together
  // Reads the words from number `first` on. Any thread may call it, in the handler of a fault (PagedMemory::Fill).
  std::function<void(uint64_t first, std::span<uint32_t> to)> read;
};

// Returns a level whose words are read with source.read when they are first used. A node is checked as
// check_structure() checks it when its place is first used; if a check fails, throw_if_cancelled() throws the error.
// Throws an Error if the source contradicts itself.
DagLevel paged_level(FiledLevel source, const std::shared_ptr<PagedBudget>& budget);

// The nodes [begin, end) of a filed level, for loops over many nodes. They are read from the source into memory of
// their own, which any number of threads may do at once. Nodes that are read when they are used change the process's
// map of memory, which only one thread may do at a time.
class FiledNodes {
 public:
  // Throws the errors that reading these nodes in the level would cause.
  FiledNodes(const DagLevel& level, uint64_t begin, uint64_t end);

  const uint32_t* operator[](uint64_t number) const { return words_.data() + offsets_[number - begin_]; }

 private:
  uint64_t begin_;
  Words words_;
  std::vector<uint32_t> offsets_;
};

// Does what for_each_in() does, from the file if the level is filed. body() may then get copies of the level's words.
// prefetch(words) is called for a node some nodes before body() is: what lies in random places of a large memory, such as
// the values of its children, has come into the cache by then.
template <class Prefetch, class Body>
void for_each_in_order(const DagLevel& level, const NodeNumbers& range, const Prefetch& prefetch,
                       const Body& body) {
  constexpr uint64_t kAhead = 12;
  const auto loop = [&](uint64_t begin, uint64_t end, const auto& words_of) {
    for (uint64_t number = begin; number < std::min(begin + kAhead, end); ++number)
      prefetch(words_of(number));
    for (uint64_t number = begin; number < end; ++number) {
      if (number + kAhead < end) prefetch(words_of(number + kAhead));
      body(number, words_of(number));
    }
  };
  if (!level.filed)
    return loop(range.begin(), range.end(), [&](uint64_t number) { return level.node(number); });
  for (uint64_t begin = range.begin(); begin < range.end(); begin += nodes_at_once(level)) {
    const uint64_t end = std::min(begin + nodes_at_once(level), range.end());
    const FiledNodes nodes(level, begin, end);
    loop(begin, end, [&](uint64_t number) { return nodes[number]; });
  }
}
template <class Body>
void for_each_in_order(const DagLevel& level, const NodeNumbers& range, const Body& body) {
  for_each_in_order(
      level, range, [](const uint32_t*) {}, body);
}

// Returns about how many nodes of a filed level are in a chunk of its file, at least one.
inline uint64_t nodes_of_chunk(const DagLevel& level) {
  return std::max<uint64_t>(level.filed->piece_words * level.filed->nodes / level.filed->words, 1);
}

// Calls body(i, words) for each of these nodes of a level, where `words` are those of node numbers[i]. The numbers
// must not descend. If the level is filed, the nodes between two numbers are read, too, unless they fill a chunk.
template <class Body>
void for_each_of(const DagLevel& level, std::span<const uint32_t> numbers, const Body& body) {
  for (size_t i = 0; !level.filed && i < numbers.size(); ++i) body(i, level.node(numbers[i]));
  if (!level.filed) return;
  const uint64_t most = nodes_at_once(level);
  const uint64_t chunk_nodes = nodes_of_chunk(level);
  for (size_t first = 0, i = 0; first < numbers.size(); first = i) {
    throw_if_cancelled();
    while (++i < numbers.size() && numbers[i] - numbers[i - 1] <= chunk_nodes &&
           numbers[i] - numbers[first] < most) {
    }
    const FiledNodes nodes(level, numbers[first], uint64_t{numbers[i - 1]} + 1);
    for (size_t node = first; node < i; ++node) body(node, nodes[numbers[node]]);
  }
}

// Does the same in parallel.
template <class Body>
void parallel_for_each_of(const DagLevel& level, std::span<const uint32_t> numbers, const Body& body) {
  const uint64_t most = nodes_at_once(level);
  const auto place_of = [&](uint64_t number) {
    return static_cast<size_t>(std::ranges::lower_bound(numbers, number) - numbers.begin());
  };
  parallel_for(uint64_t{0}, level.places.nodes() / most + 1, [&](uint64_t part) {
    const size_t begin = place_of(part * most), end = place_of((part + 1) * most);
    for_each_of(level, numbers.subspan(begin, end - begin),
                [&](size_t i, const uint32_t* node) { body(begin + i, node); });
  });
}

}  // namespace vox::dag
