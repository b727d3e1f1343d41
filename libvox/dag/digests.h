// Digests and counts of a DAG that may be larger than memory. Digests are computed from the leaves up, counts from the
// root down. The values of a level's nodes lie in a file without a name, in the folder for temporary files, if they
// would take more than `memory` bytes. With several ranks the calls are collective: each rank reads its share of the
// nodes, and all get the same results. All must have the same DAG, and each holds the values of all nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/ranks/ranks.h"

namespace vox::dag {

// Returns the digest of values of voxels. It is computed from their packed form alone (docs/formats.md, "The digest").
Digest digest_of(const attributes::PackedValues& values);

// Returns the digests of these nodes. `numbers` has the numbers of nodes of each level, beginning with the root's. The
// DAG must be one that check_structure() accepts.
std::vector<std::vector<Digest>> digests_of(const FrozenDag& dag,
                                            const std::vector<std::vector<uint32_t>>& numbers,
                                            uint64_t memory = UINT64_MAX,
                                            ranks::Ranks& ranks = ranks::alone());

// Returns the digest of the whole DAG, as compute_digest() does, with this memory.
Digest digest_of(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks = ranks::alone());

// Returns what octree_counts() of frozen_dag.h does, with this memory.
OctreeCounts octree_counts(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks = ranks::alone());

// Does what count_octree() of frozen_dag.h does, with this memory.
void count_octree(FrozenDag& dag, uint64_t memory);

}  // namespace vox::dag
