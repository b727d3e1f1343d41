// Makes a spatial hash of the voxels of a DAG, on a device.
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
  uint32_t attempts = 1;  // of the table, with other hash functions each
  double seconds = 0;
  uint64_t peak_device_bytes = 0;
};

// The most that building takes of a device's memory at a time: the octree's leaves and the list of all cells
// are there first, then the list and the table.
uint64_t bytes_to_build(uint64_t voxels, uint64_t octree_leaves, const HashOptions& options);

// Throws UsageError where the options make no sense, and Error where so many voxels are more than a table has
// cells for, or than so much memory holds while the table is built.
void check_hash_fits(uint64_t voxels, uint64_t octree_leaves, const HashOptions& options, uint64_t available);

// The DAG is one that check_structure() accepts. Throws Error where the hash does not fit, or where no table
// of this load factor can be built.
template <class Device>
HashResult build_hash(Device& device, const dag::FrozenDag& dag, const HashOptions& options);

}  // namespace vox::spatial
