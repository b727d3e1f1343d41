// The tool that erodes, dilates or smooths by one step; see MorphEdit.
#pragma once

#include "libvox/edit/shape.h"
#include "libvox/edit/tool.h"

namespace vox::edit {

struct MorphTool {
  Shape shape;
  MorphMode mode;
  StoredDag dag;
  Content root;

  // The contents of the region and its neighbours, as cells[index_of(offset)]. Modes that look only at faces
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

  // Returns a state in which the cell of each offset that the mode looks at is of(offset).
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

  // Returns empty unless most of the 27 voxels around are filled; then the most frequent material, or the
  // lowest of several.
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

}  // namespace vox::edit
