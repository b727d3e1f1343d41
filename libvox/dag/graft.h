// Puts an edited part of a scene back into the scene, which may be larger than memory. Only the part has to be in
// memory while it is edited.
//
//   the whole ─▶ part() ─▶ edits ─▶ with(part) ─▶ the whole with the part in place of what was there
//
// The result is canonical. Its nodes are those nodes of the whole that are still reached, in other places, and the new
// nodes of the part. Its words are made from those of the whole when they are read, so that it takes little memory.
#pragma once

#include <memory>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/dag/frozen_dag.h"

namespace vox::dag {

class Graft {
 public:
  // The part is a box of whole cubes around each of some boxes, which must touch the scene's cube. The DAG must be one that
  // check_structure() accepts. The first call of with() reads all of it once; `memory` is that of digests_of(). Throws
  // OutOfMemory if the part would take more than twice as much.
  Graft(std::shared_ptr<const FrozenDag> whole, const VoxelRegion& boxes, uint64_t memory = UINT64_MAX);

  // Returns the boxes of the part: those of the constructor, made larger until their faces are faces of cubes.
  const VoxelRegion& region() const { return region_; }

  // The voxels inside the boxes, in their places.
  const FrozenDag& part() const { return part_; }

  // Returns the whole scene, with this DAG's voxels inside the boxes. The DAG must have the resolution of the whole,
  // and no voxels outside the boxes. The result is paged: using it reads the words of the whole.
  FrozenDag with(const FrozenDag& part) const;

 private:
  std::shared_ptr<const FrozenDag> whole_;
  VoxelRegion region_;
  uint64_t memory_;
  FrozenDag part_;
  // The nodes outside the boxes with a parent that these cut, for each level, and their digests.
  std::vector<std::vector<uint32_t>> beside_;
  mutable std::vector<std::vector<Digest>> digests_beside_;  // found when they are first needed
};

}  // namespace vox::dag
