// The tools of an edit session. Each decides what becomes of a region, see tool.h.
#pragma once

#include "libvox/edit/content.h"
#include "libvox/edit/shape.h"
#include "libvox/edit/tool.h"

namespace vox::edit {

// The tool that adds, removes, paints or replaces voxels in a shape; see PaintEdit.
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
static_assert(ChangesByOld<PaintTool>);

// The tool that gives the voxels of a flood one material; see FillEdit.
struct FillTool {
  using State = BlockRange;  // the blocks that meet the region
  BlockIndex index;
  const uint64_t* masks;
  uint32_t blocks;
  uint32_t depth;
  uint32_t material;

  VOX_HD State enter(const Region& region) const {
    return index.meeting(block_key(region, depth), {0, blocks});
  }
  VOX_HD State descend(const State& parent, const Region& region) const {
    return index.meeting(block_key(region, depth), parent);
  }

  VOX_HD Content region(const Region& region, const State& state, const OldRegion&) const {
    if (state.empty()) return kKeep;
    const bool covered = block_height(index.keys[state.begin]) >= depth - region.level;
    return covered && masks[state.begin] == UINT64_MAX ? filled_with(material) : kSplit;
  }

  VOX_HD uint64_t voxels(const Region&, const State& state) const {
    return state.empty() ? 0 : masks[state.begin];
  }
  VOX_HD int voxel(const Region&, const Int3&, int, const State&) const { return static_cast<int>(material); }
};

// The tool that erodes, dilates or smooths by one step; see MorphEdit.
struct MorphTool {
  Shape shape;
  MorphMode mode;
  StoredDag dag;
  Content root;

  // cells[index_of(offset)] are the contents of the region and its neighbors. Modes that look only at faces
  // leave the other cells empty.
  struct State {
    Content cells[27];
  };

  VOX_HD State enter(const Region& region) const {
    const int32_t cells = 1 << region.level;
    return gather([&](const Int3& offset) {
      const Int3 at =
          Int3{region.min.x / region.side, region.min.y / region.side, region.min.z / region.side} + offset;
      if (at.x < 0 || at.y < 0 || at.z < 0 || at.x >= cells || at.y >= cells || at.z >= cells)
        return kEmptyContent;
      Content content = root;
      for (uint32_t bit = region.level; bit-- > 0;) content = dag.child(content, octant_at(at, bit));
      return content;
    });
  }

  VOX_HD State descend(const State& parent, const Region& region) const {
    const Int3 at = {region.min.x / region.side & 1, region.min.y / region.side & 1,
                     region.min.z / region.side & 1};
    return gather([&](const Int3& offset) {
      const Int3 child = at + offset;  // each from −1 to 2
      return dag.child(parent.cells[index_of({child.x >> 1, child.y >> 1, child.z >> 1})],
                       octant_at(child, 0));
    });
  }

  VOX_HD Content region(const Region& region, const State& state, const OldRegion& old) const {
    const int filling = old.filling();
    if (filling == dag::kEmptyVoxel && !old.empty())
      return where_is(shape, region) == Where::Outside ? kKeep : kSplit;
    if (mode == MorphMode::Erode && old.empty()) return kKeep;
    if (mode == MorphMode::Dilate && !old.empty()) return kKeep;
    bool alike = true;
    gather([&](const Int3& offset) {
      const Content cell = state.cells[index_of(offset)];
      const int there = dag.filling(cell, region.level);
      if (filling == dag::kEmptyVoxel)
        alike = alike && cell == kEmptyContent;
      else
        alike = alike && (mode == MorphMode::Smooth ? there == filling : there != dag::kEmptyVoxel);
      return cell;
    });
    return alike || where_is(shape, region) == Where::Outside ? kKeep : kSplit;
  }

  VOX_HD uint64_t voxels(const Region& leaf, const State&) const { return leaf_in(shape, leaf.min); }
  VOX_HD int voxel(const Region& leaf, const Int3& voxel, int old, const State& state) const {
    const auto at = [&](const Int3& offset) {
      const Int3 p = voxel + offset, from = p - leaf.min;
      const Content cell = state.cells[index_of(
          {from.x >> dag::kLeafLog2, from.y >> dag::kLeafLog2, from.z >> dag::kLeafLog2})];
      return dag.voxel(cell, cube_bit(p));
    };
    if (mode == MorphMode::Smooth) return most(at);
    if ((mode == MorphMode::Dilate) == (old != dag::kEmptyVoxel)) return old;
    for (uint32_t face = 0; face < 6; ++face) {
      const int there = at(face_offset(face));
      if ((there == dag::kEmptyVoxel) == (mode == MorphMode::Erode)) return there;
    }
    return old;
  }

 private:
  VOX_HD static uint32_t index_of(const Int3& offset) {
    return static_cast<uint32_t>(offset.x + 1 + 3 * (offset.y + 1) + 9 * (offset.z + 1));
  }
  // Returns the step across a face. Faces are −x, +x, −y, +y, −z, +z.
  VOX_HD static Int3 face_offset(uint32_t face) {
    const int32_t step = face & 1 ? 1 : -1;
    return {face / 2 == 0 ? step : 0, face / 2 == 1 ? step : 0, face / 2 == 2 ? step : 0};
  }

  // Returns a state with of(offset) as the cell of each offset that the mode looks at.
  template <class Of>
  VOX_HD State gather(const Of& of) const {
    State state;
    for (uint32_t i = 0; i < 27; ++i) {
      const Int3 offset = {static_cast<int32_t>(i % 3) - 1, static_cast<int32_t>(i / 3 % 3) - 1,
                           static_cast<int32_t>(i / 9) - 1};
      const int32_t axes = offset.x * offset.x + offset.y * offset.y + offset.z * offset.z;
      state.cells[i] = mode == MorphMode::Smooth || axes <= 1 ? of(offset) : kEmptyContent;
    }
    return state;
  }

  // Returns the most frequent material (the lowest of several) if most of the 27 voxels around are
  // filled, otherwise empty.
  template <class At>
  VOX_HD static int most(const At& at) {
    uint32_t counts[16] = {}, filled = 0;
    for (int32_t i = 0; i < 27; ++i) {
      const int there = at(Int3{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1});
      if (there == dag::kEmptyVoxel) continue;
      ++filled;
      ++counts[there];
    }
    if (filled < 14) return dag::kEmptyVoxel;
    int best = 0;
    for (int material = 1; material < 16; ++material)
      if (counts[material] > counts[best]) best = material;
    return best;
  }
};

// The tool that copies a box of this scene or of another one; see CopyEdit.
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

// The tool for union, difference and intersection with another scene; see CombineEdit.
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
