// The SVDAG of a scene file: a group for each level, 00 the root's, of which docs/formats.md has every attribute.
// In version 1 a child pointer is a word offset, in version 2 the child's number; `starts` says where nodes are.
#pragma once

#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "libvox/dag/frozen_dag.h"

namespace vox {

std::string level_group_name(uint32_t level);  // level_00, …

// Throws Error where version 1 cannot hold the DAG.
void write_svdag_group(const h5::Object& file, const dag::FrozenDag& dag, uint32_t version,
                       const Compression& compression);
// The attributes of a level's words in version 2.
void write_level_facts(const h5::Object& words, const dag::DagLevel& level);

// Fills the levels of a DAG that has all the rest, and checks what a walk over it relies on.
dag::FrozenDag read_svdag_group(const h5::Object& file, uint32_t version, dag::FrozenDag dag);

// The counts of all levels, and how many words each has. None is read.
struct LevelSizes {
  uint64_t words, nodes, svo_nodes;
};
std::vector<LevelSizes> read_level_sizes(const h5::Object& file, uint32_t depth);

}  // namespace vox
