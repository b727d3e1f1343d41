// How many items a store needs that holds several scenes, by comparing nodes as they are written down.
#pragma once

#include <map>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"

namespace vox {

class StateItems {
 public:
  // Scenes of the same depth and kind.
  void add(const FrozenDag& dag) {
    if (!dag.empty()) add(dag, 0, 0);
  }
  uint64_t count() const {
    uint64_t count = 0;
    for (const auto& numbers : numbers_) count += numbers.size();
    return count;
  }

 private:
  using Words = std::vector<uint32_t>;

  // The number of a node among those of its level in all scenes.
  uint32_t add(const FrozenDag& dag, uint32_t level, uint32_t offset) {
    const uint32_t* node = &dag.levels[level].words[offset];
    Words words;
    if (level == dag.depth()) {
      words.assign(node, node + leaf_words(leaf_mask(node), dag.materials));
    } else {
      words.push_back(node[0]);
      for (uint32_t child = 0; child < 8; ++child)
        if (node[0] >> child & 1) words.push_back(add(dag, level + 1, node[child_word(node[0], child)]));
    }
    numbers_.resize(dag.depth() + 1);
    auto& numbers = numbers_[level];
    return numbers.try_emplace(words, static_cast<uint32_t>(numbers.size())).first->second;
  }

  std::vector<std::map<Words, uint32_t>> numbers_;  // per level
};

}  // namespace vox
