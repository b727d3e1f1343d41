// The tool that adds, removes, paints or replaces voxels in a shape; see PaintEdit.
#pragma once

#include "libvox/edit/shape.h"
#include "libvox/edit/tool.h"

namespace vox::edit {

struct PaintTool {
  using State = NoState;
  PaintEdit edit;

  VOX_HD State enter(const Region&) const { return {}; }
  VOX_HD State descend(const State&, const Region&) const { return {}; }

  VOX_HD Content region(const Region& region, const State&, const OldRegion& old) const {
    const bool fills = edit.mode == PaintMode::Add;
    if (!fills && old.empty()) return kKeep;
    const Where where = where_is(edit.shape, region);
    if (where == Where::Outside) return kKeep;
    if (fills && where == Where::Inside) return filled_with(edit.material);
    if (edit.mode == PaintMode::Remove) return where == Where::Inside ? kEmptyContent : kSplit;
    const int filling = old.filling();
    if (filling == dag::kEmptyVoxel) return kSplit;
    if (becomes(filling) == filling) return kKeep;
    return where == Where::Inside ? filled_with(edit.material) : kSplit;
  }

  VOX_HD uint64_t voxels(const Region& leaf, const State&) const { return leaf_in(edit.shape, leaf.min); }
  VOX_HD int voxel(const Region&, const Int3&, int old, const State&) const { return becomes(old); }
  VOX_HD int becomes(int old) const {
    const int material = edit.material;
    switch (edit.mode) {
      case PaintMode::Add:
        return material;
      case PaintMode::Remove:
        return dag::kEmptyVoxel;
      case PaintMode::Paint:
        return old == dag::kEmptyVoxel ? old : material;
      case PaintMode::Replace:
        return old == edit.replaced ? material : old;
    }
    return old;
  }
};

}  // namespace vox::edit
