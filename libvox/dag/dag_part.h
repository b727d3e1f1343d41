// A part of a DAG in canonical form: of each level a run of its nodes, one behind the other. Parts in order, one
// behind the other, are the whole. A child pointer is the number of the child among all nodes of the next level,
// so that it does not depend on where parts begin.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/words.h"

namespace vox::dag {

struct LevelPart {
  Words words;
  uint64_t first = 0;  // the number of its first node among those of the level
  uint64_t nodes = 0;
};

struct DagPart {
  std::vector<LevelPart> levels;  // the root's first
};

}  // namespace vox::dag
