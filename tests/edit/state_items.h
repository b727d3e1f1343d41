// Counts the items that a store of several scenes needs, by comparing nodes as word sequences. In a store, a
// leaf and a node are one item if they happen to have equal words, when a part of the mask equals a pointer.
// The number of such pairs cannot be known here, only the number of leaves that may be among them.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"

namespace vox {

class StateItems {
 public:
  // Adds a scene. All scenes must have the same depth, and all or none of them have materials.
  void add(const dag::FrozenDag& dag) {
    if (!dag.empty()) add(dag, 0, 0);
  }
  struct Count {
    uint64_t least = 0, most = 0;  // equal unless there are such leaves
  };
  Count count() const {
    Count count;
    for (const auto& numbers : numbers_) count.most += numbers.size();
    const uint64_t levels = numbers_.size(),
                   fewer = like_nodes_ * levels;  // nodes above them may become one item, too
    count.least = count.most - std::min(count.most, fewer);
    return count;
  }

 private:
  using Words = std::vector<uint32_t>;

  // Returns the number of a node among those of its level in all scenes.
  uint32_t add(const dag::FrozenDag& dag, uint32_t level, uint32_t number) {
    const uint32_t* node = dag.levels[level].node(number);
    Words words;
    if (level == dag.depth()) {
      words.assign(node, node + dag::leaf_words(dag::leaf_mask(node), dag.materials));
    } else {
      words.push_back(node[0]);
      for (uint32_t child = 0; child < 8; ++child)
        if (node[0] >> child & 1) words.push_back(add(dag, level + 1, node[dag::child_word(node[0], child)]));
    }
    numbers_.resize(dag.depth() + 1);
    auto& numbers = numbers_[level];
    const auto [entry, added] = numbers.try_emplace(words, static_cast<uint32_t>(numbers.size()));
    if (added && level == dag.depth() && words[0] <= dag::kHeaderBits &&
        words.size() == dag::node_words(words[0]))
      ++like_nodes_;
    return entry->second;
  }

  std::vector<std::map<Words, uint32_t>> numbers_;  // for each level
  uint64_t like_nodes_ = 0;
};

}  // namespace vox
