// Builds the DAG of the voxels that a spatial hash holds, on a device. The result is canonical: it equals the
// DAG that the hash was made of.
#pragma once

#include "libvox/dag/frozen_dag.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::spatial {

// The hash must be one that check_structure() accepts. Throws Error if it holds a voxel twice.
template <class Device>
dag::FrozenDag dag_of_hash(Device& device, const FrozenHash& hash);

}  // namespace vox::spatial
