// Checks of a DAG: what a walk relies on, and everything else, on the host or on a device.
#pragma once

#include <cstdint>

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

}  // namespace vox::dag
