// A trivially copyable view of a spatial hash, in which kernel bodies search.
#pragma once

#include "libvox/hash/keyed/lines_ref.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::spatial {

struct HashRef {
  hash::KeyTableRef<hash::LinesRef<uint64_t>, uint64_t> table;
  VoxelKeys keys;

  // Returns the material of a voxel of the grid, or hash::kNoValue if the voxel is empty.
  VOX_HD uint32_t material(Int3 voxel) const { return table.value(keys.key(voxel)); }
};

HashRef ref(const FrozenHash& hash);  // valid as long as the hash lives; nothing writes to the hash

}  // namespace vox::spatial
