// The parts that every tool uses: its answers, the region as it was, and tests of boxes. edit/README.md shows
// how to make a tool.
#pragma once

#include "libvox/edit/content.h"

namespace vox::edit {

// A tool answers either with the new content of a region or with one of these values.
inline constexpr Content kKeep = 0xfffffd00;   // the region stays as it is
inline constexpr Content kSplit = 0xfffffd01;  // ask about its eight parts or, in a leaf, voxel by voxel

// A region as it was before the edit. It reads the DAG only on request.
struct OldRegion {
  const StoredDag& dag;
  Content content;
  uint32_t level;

  VOX_HD bool empty() const { return content == kEmptyContent; }
  VOX_HD int filling() const { return dag.filling(content, level); }
};

// The state of tools that carry nothing down.
struct NoState {};

VOX_HD inline bool contains(const VoxelBox& box, const Int3& p) {
  return p.x >= box.min.x && p.y >= box.min.y && p.z >= box.min.z && p.x < box.max.x && p.y < box.max.y &&
         p.z < box.max.z;
}
VOX_HD inline bool contains(const VoxelBox& box, const Region& region) {
  const Int3 end = region.end();
  return region.min.x >= box.min.x && region.min.y >= box.min.y && region.min.z >= box.min.z &&
         end.x <= box.max.x && end.y <= box.max.y && end.z <= box.max.z;
}
VOX_HD inline bool meets(const VoxelBox& box, const Region& region) {
  const Int3 end = region.end();
  return region.min.x < box.max.x && region.min.y < box.max.y && region.min.z < box.max.z &&
         end.x > box.min.x && end.y > box.min.y && end.z > box.min.z;
}

}  // namespace vox::edit
