// Checks a spatial hash more thoroughly than check_structure() does, by searching for every voxel.
#pragma once

#include "libvox/dag/frozen_dag.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::spatial {

// Throws Error if check_structure() does, if a search does not find a cell in its slot, or if an empty cell
// of a bucket precedes a filled one.
void verify(const FrozenHash& hash);

// Compares a hash that verify() accepts with a DAG that check_structure() accepts. Each voxel of the DAG must
// be found with its material, both must have the same number of voxels, and a sample of empty voxels must not
// be found. Throws Error that names the first voxel that differs, in Morton order.
void check_same_voxels(const FrozenHash& hash, const dag::FrozenDag& dag);

}  // namespace vox::spatial
