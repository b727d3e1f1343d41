// The tool for union, difference and intersection with another scene; see CombineEdit.
#pragma once

#include "libvox/edit/source_walk.h"

namespace vox::edit {

struct CombineTool {
  using State = SourceWalk::State;
  SourceWalk other;
  CombineMode mode;

  VOX_HD State enter(const Region& region) const { return other.enter(region); }
  VOX_HD State descend(const State& parent, const Region& region) const {
    return other.descend(parent, region);
  }

  VOX_HD Content region(const Region& region, const State& state, const OldRegion& old) const {
    const Content there = other.uniform(state, region);
    switch (mode) {
      case CombineMode::Union:
        if (there == kEmptyContent || there == old.content) return kKeep;
        if (old.empty()) return there;
        return old.filling() == dag::kEmptyVoxel ? kSplit : kKeep;
      case CombineMode::Subtract:
        if (there == kEmptyContent || old.empty()) return kKeep;
        return is_filled(there) || there == old.content ? kEmptyContent : kSplit;
      case CombineMode::Intersect:
        if (old.empty() || is_filled(there) || there == old.content) return kKeep;
        return there == kEmptyContent ? kEmptyContent : kSplit;
    }
    return kSplit;
  }

  VOX_HD uint64_t voxels(const Region&, const State&) const { return UINT64_MAX; }
  VOX_HD int voxel(const Region& leaf, const Int3& voxel, int old, const State& state) const {
    const int there = other.voxel(state, leaf, voxel);
    switch (mode) {
      case CombineMode::Union:
        return old == dag::kEmptyVoxel ? there : old;
      case CombineMode::Subtract:
        return there == dag::kEmptyVoxel ? old : dag::kEmptyVoxel;
      case CombineMode::Intersect:
        return there == dag::kEmptyVoxel ? dag::kEmptyVoxel : old;
    }
    return old;
  }
};

}  // namespace vox::edit
