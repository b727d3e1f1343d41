// Checks a spatial hash more thoroughly than check_structure() does, by searching for all voxels.
#pragma once

#include "libvox/dag/frozen_dag.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::spatial {

// Throws Error where check_structure() does, where a search does not find a cell in its slot, or where the
// empty cells of a bucket are not behind the others.
void verify(const FrozenHash& hash);

// Compares a hash that verify() accepts with a DAG that check_structure() accepts: each voxel of the DAG is
// found with its material, there are as many, and empty voxels are not found. Throws Error that names the
// first voxel that differs, in Morton order.
void check_same_voxels(const FrozenHash& hash, const dag::FrozenDag& dag);

}  // namespace vox::spatial
