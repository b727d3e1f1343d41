// The parts that all tools use: their answers, a region before the edit, and tests of boxes. edit/README.md
// shows how to make a tool.
#pragma once

#include <concepts>

#include "libvox/edit/content.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

// A tool answers either with the new content of a region or with one of these values.
inline constexpr Content kKeep = 0xfffffd00;   // the region stays as it is
inline constexpr Content kSplit = 0xfffffd01;  // ask about its eight parts or, in a leaf, voxel by voxel

// A region before the edit. Its functions read the DAG only when they are called.
struct OldRegion {
  const StoredDag& dag;
  Content content;
  uint32_t level;

  VOX_HD bool empty() const { return content == kEmptyContent; }
  VOX_HD int filling() const { return dag.filling(content, level); }
};

// The state of tools that pass nothing down to smaller regions.
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

// ToolSet combines several edits of one kind into one tool, for one pass. No two of them may change the same voxel.

// A tool whose voxel() depends only on the voxel's old value. It has becomes(old).
template <class Tool>
concept ChangesByOld = requires(const Tool& tool, int old) {
  { tool.becomes(old) } -> std::same_as<int>;
};

template <class Tool>
struct ToolSet {
  const Tool* tools;
  const VoxelBox* written;  // the voxels that each tool may change
  uint32_t count;

  static constexpr uint32_t kSeveral = UINT32_MAX;
  static constexpr bool kByOld = ChangesByOld<Tool>;

  // The tool that changes a region, and that tool's own state.
  struct State {
    uint32_t tool;
    typename Tool::State state;
  };

  VOX_HD State enter(const Region& region) const {
    const uint32_t tool = tool_for(region);
    return {tool, tool < count ? tools[tool].enter(region) : typename Tool::State{}};
  }
  VOX_HD State descend(const State& parent, const Region& region) const {
    if (parent.tool == kSeveral) return enter(region);
    return {parent.tool, tools[parent.tool].descend(parent.state, region)};
  }

  // Returns the tool's answer, limited to the voxels that it may change.
  VOX_HD Content region(const Region& region, const State& state, const OldRegion& old) const {
    if (state.tool == count) return kKeep;
    if (state.tool == kSeveral) return kSplit;
    if (!meets(written[state.tool], region)) return kKeep;
    const Content answer = tools[state.tool].region(region, state.state, old);
    return answer == kKeep || contains(written[state.tool], region) ? answer : kSplit;
  }

  // Returns the new value of a voxel that was `old`, at any place.
  VOX_HD int becomes(const State& state, int old) const requires kByOld {
    return tools[state.tool].becomes(old);
  }

  // Calls edit(voxels, voxel): `voxels` is a mask of the leaf's voxels that may change, and voxel(bit, old)
  // returns what one of them becomes.
  template <class Edit>
  VOX_HD void edit_leaf(const Region& leaf, const State& state, const Edit& edit) const {
    if (state.tool == kSeveral) {
      edit(UINT64_MAX, [&](uint32_t bit, int old) {
        const Int3 p = leaf.min + cube_place(bit);
        for (uint32_t i = 0; i < count; ++i) {
          if (!contains(written[i], p)) continue;
          const typename Tool::State entered = tools[i].enter(leaf);
          return tools[i].voxels(leaf, entered) >> bit & 1 ? tools[i].voxel(leaf, p, old, entered) : old;
        }
        return old;
      });
      return;
    }
    const Tool tool = tools[state.tool];  // a copy: through a reference, the compiler would read it again
                                          // for every voxel
    edit(tool.voxels(leaf, state.state) & leaf_in(written[state.tool], leaf), [&](uint32_t bit, int old) {
      return tool.voxel(leaf, leaf.min + cube_place(bit), old, state.state);
    });
  }

 private:
  VOX_HD static uint64_t leaf_in(const VoxelBox& box, const Region& leaf) {
    if (contains(box, leaf)) return UINT64_MAX;
    uint64_t mask = 0;
    for (uint32_t bit = 0; bit < 64; ++bit)
      if (contains(box, leaf.min + cube_place(bit))) mask |= uint64_t{1} << bit;
    return mask;
  }

  // Returns the tool that changes the region, kSeveral if there are several, or `count` if there is none.
  VOX_HD uint32_t tool_for(const Region& region) const {
    uint32_t found = count;
    for (uint32_t i = 0; i < count; ++i) {
      if (!meets(written[i], region)) continue;
      if (found != count) return kSeveral;
      found = i;
    }
    return found;
  }
};

// Walks a second DAG, the source, together with the one that is edited. The source is turned by 90° or
// mirrored, and moved by any number of voxels. The walk finds the regions of the source that come to lie in
// a region of the grid. A moved cube meets up to 2³ cubes of its size.
struct SourceWalk {
  StoredDag dag;
  Content root;
  uint32_t levels_above;  // how many more levels this DAG has than the grid that is edited
  // The source of a voxel v is the voxel s with s[axis[k]] = base[k] + step[k] · v[k].
  uint8_t axis[3];
  int8_t step[3];
  int32_t base[3];

  // The contents of the up to 2³ cubes of the region's size from which its voxels come, by octant.
  struct State {
    Content cells[8];
  };

  VOX_HD Int3 source_of(const Int3& voxel) const {
    Int3 source = {};
    for (uint32_t k = 0; k < 3; ++k) source[axis[k]] = base[k] + step[k] * voxel[k];
    return source;
  }
  // Returns the lowest corner of the cube from which the region's voxels come.
  VOX_HD Int3 source_corner(const Region& region) const {
    const Int3 a = source_of(region.min), b = source_of(region.end() - Int3{1, 1, 1});
    return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
  }
  // Returns the octant bits of the cells that the region's source meets: all cells whose octants have no other bits.
  VOX_HD static uint32_t spread(const Int3& corner, int32_t side) {
    return (corner.x & (side - 1) ? 1u : 0) | (corner.y & (side - 1) ? 2u : 0) |
           (corner.z & (side - 1) ? 4u : 0);
  }

  VOX_HD State enter(const Region& region) const {
    const Int3 corner = source_corner(region);
    const Int3 first = {floor_cell(corner.x, region.side), floor_cell(corner.y, region.side),
                        floor_cell(corner.z, region.side)};
    const uint32_t spread_bits = spread(corner, region.side);
    State state;
    for (uint32_t i = 0; i < 8; ++i)
      state.cells[i] = (i & ~spread_bits) == 0 ? cell(first + octant_place(i), region.level + levels_above)
                                               : kEmptyContent;
    return state;
  }

  // `parent` is the state of the region around this one that is twice as large.
  VOX_HD State descend(const State& parent, const Region& region) const {
    const Int3 corner = source_corner(region);
    const Region around = parent_of(region);
    const Int3 outer = source_corner(around);
    const Int3 first = {floor_cell(corner.x, region.side) - 2 * floor_cell(outer.x, around.side),
                        floor_cell(corner.y, region.side) - 2 * floor_cell(outer.y, around.side),
                        floor_cell(corner.z, region.side) - 2 * floor_cell(outer.z, around.side)};
    const uint32_t spread_bits = spread(corner, region.side);
    State state;
    for (uint32_t i = 0; i < 8; ++i) {
      state.cells[i] = kEmptyContent;
      if (i & ~spread_bits) continue;
      const Int3 at = first + octant_place(i);  // each from 0 to 3
      state.cells[i] = dag.child(parent.cells[octant_at(at, 1)], octant_at(at, 0));
    }
    return state;
  }

  // Returns the content of the whole region in the source: kEmptyContent, filled_with(…), or the pointer of a
  // node whose cube lies exactly on the region and is not turned. Returns kSplit if there is none of these.
  VOX_HD Content uniform(const State& state, const Region& region) const {
    const uint32_t spread_bits = spread(source_corner(region), region.side);
    const uint32_t level = region.level + levels_above;
    const Content first = simplified(state.cells[0], level);
    if (spread_bits == 0) return !is_pointer(first) || is_straight() ? first : kSplit;
    if (is_pointer(first)) return kSplit;
    for (uint32_t i = 1; i < 8; ++i)
      if ((i & ~spread_bits) == 0 && simplified(state.cells[i], level) != first) return kSplit;
    return first;
  }

  // Returns the source's material for a voxel of a leaf that has this state, or kEmptyVoxel.
  VOX_HD int voxel(const State& state, const Region& leaf, const Int3& voxel) const {
    const Int3 corner = source_corner(leaf), source = source_of(voxel);
    const uint32_t cell = octant_of(cells_between(corner.x, source.x), cells_between(corner.y, source.y),
                                    cells_between(corner.z, source.z));
    return dag.voxel(state.cells[cell], cube_bit(source));
  }

 private:
  VOX_HD static int32_t floor_cell(int32_t v, int32_t side) {
    return v >= 0 ? v / side : -((-v + side - 1) / side);
  }
  // Returns how many leaves `source` is ahead of `corner` along an axis: 0 if both are in the same leaf, else 1.
  VOX_HD static uint32_t cells_between(int32_t corner, int32_t source) {
    return static_cast<uint32_t>((source >> dag::kLeafLog2) - (corner >> dag::kLeafLog2));
  }
  VOX_HD static Region parent_of(const Region& region) {
    const int32_t mask = ~(2 * region.side - 1);
    return {
        {region.min.x & mask, region.min.y & mask, region.min.z & mask}, region.level - 1, region.side * 2};
  }
  VOX_HD bool is_straight() const {
    return axis[0] == 0 && axis[1] == 1 && step[0] > 0 && step[1] > 0 && step[2] > 0;
  }
  VOX_HD Content simplified(Content content, uint32_t level) const {
    const int filling = dag.filling(content, level);
    return filling == dag::kEmptyVoxel ? content : filled_with(static_cast<uint32_t>(filling));
  }
  // Returns the content of a cube of this level, found from the root. The coordinates count cubes.
  VOX_HD Content cell(const Int3& at, uint32_t level) const {
    const int32_t cells = 1 << level;
    if (at.x < 0 || at.y < 0 || at.z < 0 || at.x >= cells || at.y >= cells || at.z >= cells)
      return kEmptyContent;
    Content content = root;
    for (uint32_t bit = level; bit-- > 0;) content = dag.child(content, octant_at(at, bit));
    return content;
  }
};

}  // namespace vox::edit
