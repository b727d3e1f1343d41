#include "libvox/dag/dag_part.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/dag/structure.h"

namespace vox::dag {
namespace {

// The places where the nodes and the words of each part begin, and where those of the last part end.
struct PartStarts {
  std::vector<uint64_t> nodes = {0}, words = {0};
};

PartStarts part_starts(const std::vector<DagPart>& parts, uint32_t level) {
  PartStarts starts;
  for (const DagPart& part : parts) {
    const LevelPart& here = part.levels[level];
    if (here.nodes > 0 && here.first != starts.nodes.back())
      throw Error(fmt::format("a part begins with node {}, but the one before ends with {}", here.first,
                              starts.nodes.back()))
          .at(fmt::format("level {}", level));
    starts.nodes.push_back(starts.nodes.back() + here.nodes);
    starts.words.push_back(starts.words.back() + here.words.size());
  }
  return starts;
}

DagLevel joined_level(std::vector<DagPart>& parts, const LevelForm& form) {
  const PartStarts starts = part_starts(parts, form.level);
  DagLevel level;
  level.nodes = starts.nodes.back();
  if (parts.size() == 1) {
    level.words = std::move(parts[0].levels[form.level].words);
  } else {
    level.words.resize(starts.words.back());
    tbb::parallel_for(size_t{0}, parts.size(), [&](size_t i) {
      Words& words = parts[i].levels[form.level].words;
      std::copy(words.begin(), words.end(), level.words.data() + starts.words[i]);
      words = {};
    });
  }
  std::vector<NodeStarts> found(parts.size());
  tbb::parallel_for(size_t{0}, parts.size(), [&](size_t i) {
    const std::span<const uint32_t> words(level.words);
    found[i] = find_starts(words.subspan(starts.words[i], starts.words[i + 1] - starts.words[i]), form,
                           starts.nodes[i]);
  });
  std::vector<uint64_t> all;
  for (size_t i = 0; i < parts.size(); ++i)
    for (const uint64_t start : found[i].starts) all.push_back(starts.words[i] + start);
  level.places = {level.words, form, level.nodes, all};
  return level;
}

}  // namespace

FrozenDag joined(std::vector<DagPart> parts, uint32_t resolution, bool materials) {
  FrozenDag dag = empty_dag(resolution, materials);
  for (const DagPart& part : parts)
    if (part.levels.size() != dag.levels.size())
      throw Error(
          fmt::format("a part of the DAG has {} levels, expected {}", part.levels.size(), dag.levels.size()));
  for (uint32_t level = 0; level <= dag.depth() && !parts.empty(); ++level)
    dag.levels[level] = joined_level(parts, form_of(dag, level));
  return dag;
}

}  // namespace vox::dag
