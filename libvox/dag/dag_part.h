// A part of a DAG in canonical form: a run of the nodes of each level. The whole DAG consists of all parts,
// one behind the other. A child pointer is the child's number among all nodes of the next level, so it does
// not depend on where parts begin.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

struct LevelPart {
  Words words;
  uint64_t first = 0;  // the number of its first node on the level
  uint64_t nodes = 0;
};

struct DagPart {
  std::vector<LevelPart> levels;  // begins with the root's level
};

// Returns the DAG that these parts form. Its digest and the counts of the octree are not set; the caller
// knows them. Throws Error if the parts do not follow each other.
FrozenDag joined(std::vector<DagPart> parts, uint32_t resolution, bool materials);

}  // namespace vox::dag
