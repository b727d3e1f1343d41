// Checks of a DAG: what a walk relies on, and everything else, on the host or on a device.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/handle.h"
#include "libvox/ranks/ranks.h"

namespace vox::dag {

LevelForm form_of(const FrozenDag& dag, uint32_t level);

// Finds the places of the nodes of all levels, from the words alone. Throws an Error if a node reaches beyond
// the end of its level.
void place_nodes(FrozenDag& dag);

// Checks the levels as wholes: their number fits the resolution, none of them or all are empty, and there is one root.
void check_levels(const FrozenDag& dag);

// Checks that a walk over the DAG stays inside it: what check_levels() checks, and that nodes are at their
// places, and every child number is that of a node. Throws an Error that names the
// level and the word.
void check_structure(const FrozenDag& dag);

// Checks what verify() of frozen_dag.h checks, also for a DAG that is larger than memory. The values of a level's nodes
// lie in a file without a name, in the folder for temporary files, if they would take more than `memory` bytes. A
// collective call, in which each rank checks its share of the nodes; all must have the same DAG. The rank that finds an
// error throws it, and others may throw it, too.
void verify(const FrozenDag& dag, uint64_t memory, ranks::Ranks& ranks = ranks::alone());

// Checks that no leaf has a material for which a palette with this many entries has no color. A palette without entries
// says nothing about materials. The DAG may be larger than memory, and must be one that verify() accepts. A collective
// call, in which each rank reads its share of the leaves, and all throw the same error.
void check_materials(const FrozenDag& dag, uint32_t palette_entries, ranks::Ranks& ranks = ranks::alone());

// Verifies a DAG on a device. It checks the same as verify(), which runs on the host and names what is wrong. If the
// device finds an error or has too little memory, or if the DAG is paged, the host verifies the DAG with this memory.
// The DAG must be one that check_structure() accepts. Throws what verify() throws.
template <class Device>
void verify_on(Device& device, const FrozenDag& dag, uint64_t memory);
void verify_on(device::DeviceHandle device, const FrozenDag& dag, uint64_t memory = UINT64_MAX);

// Digests and counts of a DAG that may be larger than memory. Digests are computed from the leaves up, counts from the
// root down. The values of a level's nodes lie in a file without a name, in the folder for temporary files, if they
// would take more than `memory` bytes. With several ranks the calls are collective: each rank reads its share of the
// nodes, and all get the same results. All must have the same DAG, and each holds the values of all nodes.

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
