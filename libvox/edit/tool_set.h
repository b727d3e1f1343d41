// Combines several edits of one kind into one tool, for one pass. No two of them may change the same voxel.
#pragma once

#include "libvox/edit/tool.h"

namespace vox::edit {

template <class Tool>
struct ToolSet {
  const Tool* tools;
  const VoxelBox* written;  // the voxels that each tool may change
  uint32_t count;

  static constexpr uint32_t kSeveral = UINT32_MAX;
  // True if the tool's voxel() depends only on the voxel's old value.
  static constexpr bool kByOld = requires(const Tool& tool, int old) { tool.becomes(old); };

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

  // Returns what the tool makes of a voxel that was `old`, at any place.
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
    const Tool tool = tools[state.tool];  // a copy: from a reference, the compiler would read the tool again
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

}  // namespace vox::edit
