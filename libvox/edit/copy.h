// The tool that copies a box of this scene or of another one; see CopyEdit.
#pragma once

#include "libvox/edit/shape.h"
#include "libvox/edit/source_walk.h"

namespace vox::edit {

struct CopyTool {
  using State = SourceWalk::State;
  SourceWalk source;
  Shape within;
  uint32_t skip_empty, keep_filled;

  VOX_HD State enter(const Region& region) const { return source.enter(region); }
  VOX_HD State descend(const State& parent, const Region& region) const {
    return source.descend(parent, region);
  }

  VOX_HD Content region(const Region& region, const State& state, const OldRegion& old) const {
    const Content copied = source.uniform(state, region);
    if (copied == kEmptyContent && (skip_empty || keep_filled || old.empty())) return kKeep;
    if (keep_filled && old.filling() != dag::kEmptyVoxel) return kKeep;
    const Where where = where_is(within, region);
    if (where == Where::Outside) return kKeep;
    const bool covers = old.empty() || !(keep_filled || (skip_empty && is_pointer(copied)));
    return where == Where::Inside && covers ? copied : kSplit;
  }

  VOX_HD uint64_t voxels(const Region& leaf, const State&) const { return leaf_in(within, leaf.min); }
  VOX_HD int voxel(const Region& leaf, const Int3& voxel, int old, const State& state) const {
    if (keep_filled && old != dag::kEmptyVoxel) return old;
    const int copied = source.voxel(state, leaf, voxel);
    return copied == dag::kEmptyVoxel && skip_empty ? old : copied;
  }
};

}  // namespace vox::edit
