// Reads and writes the SVDAG of a scene file: one group for each level, level_00 for the root.
// docs/formats.md lists every attribute. In version 1 a child pointer is a word offset, in version 2 the
// child's number; `starts` gives the positions of nodes.
#pragma once

#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "libvox/dag/frozen_dag.h"

namespace vox {

std::string level_group_name(uint32_t level);  // level_00, …

// Throws Error if version 1 is requested and cannot hold the DAG.
void write_svdag_group(const h5::Object& file, const dag::FrozenDag& dag, uint32_t version,
                       const Compression& compression);
// Writes the attributes of a level's words in version 2.
void write_level_facts(const h5::Object& words, const dag::DagLevel& level);

// Fills the levels of a DAG whose other fields are set, and checks everything that a walk over them relies
// on.
dag::FrozenDag read_svdag_group(const h5::Object& file, uint32_t version, dag::FrozenDag dag);

// The counts of each level and its number of words. None of the words is read.
struct LevelSizes {
  uint64_t words, nodes, svo_nodes;
};
std::vector<LevelSizes> read_level_sizes(const h5::Object& file, uint32_t depth);

}  // namespace vox
