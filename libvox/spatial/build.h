// Builds a spatial hash of a DAG's voxels on a device.
#pragma once

#include "libvox/dag/frozen_dag.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::spatial {

struct HashOptions {
  double load_factor = 0.95;  // in (0, 1]
  KeyLayout layout = KeyLayout::Morton;
};

struct HashResult {
  FrozenHash hash;
  uint32_t attempts = 1;  // attempts to build the table, each with other hash functions
  double seconds = 0;
  uint64_t peak_device_bytes = 0;
};

// Returns the most memory that building takes on a device at any time. Besides the list of all cells, that is
// first the octree's leaves and then the table.
uint64_t bytes_to_build(uint64_t voxels, uint64_t octree_leaves, const HashOptions& options);

// Throws UsageError if the options are invalid. Throws Error if a table cannot have a cell for each of these
// voxels, or if building the table needs more than `available` bytes.
void check_hash_fits(uint64_t voxels, uint64_t octree_leaves, const HashOptions& options, uint64_t available);

// The DAG must be one that check_structure() accepts. Throws Error if the hash does not fit, or if no table
// of this load factor can be built.
template <class Device>
HashResult build_hash(Device& device, const dag::FrozenDag& dag, const HashOptions& options);

}  // namespace vox::spatial
