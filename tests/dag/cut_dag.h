// Cuts a DAG into parts, in the form in which ranks that build it together hold it.
#pragma once

#include <vector>

#include "libvox/dag/dag_part.h"
#include "libvox/dag/frozen_dag.h"

namespace vox {

// Each level becomes `count` runs of nodes, some of which may be empty.
inline std::vector<dag::DagPart> parts_of(const dag::FrozenDag& dag, uint64_t count) {
  std::vector<dag::DagPart> parts(count);
  for (uint64_t i = 0; i < count; ++i)
    for (const dag::DagLevel& level : dag.levels) {
      const uint64_t nodes = level.places.nodes(), begin = nodes * i / count, end = nodes * (i + 1) / count;
      dag::LevelPart part = {{}, begin, end - begin};
      if (nodes > 0)
        part.words.assign(level.words.data() + level.places[begin], level.words.data() + level.places[end]);
      parts[i].levels.push_back(std::move(part));
    }
  return parts;
}

}  // namespace vox
