// Several edits of one kind in one pass. What they change lies apart.
#pragma once

#include "libvox/edit/tool.h"

namespace vox {

template <class Tool>
struct ToolSet {
  const Tool* tools;
  const VoxelBox* written;  // all that each may change
  uint32_t count;

  static constexpr uint32_t kSeveral = UINT32_MAX;

  // Which tool a region is for, and what that one carries down.
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

  // What the tool says, as far as it may.
  VOX_HD Content region(const Region& region, const State& state, const OldRegion& old) const {
    if (state.tool == count) return kKeep;
    if (state.tool == kSeveral) return kSplit;
    if (!meets(written[state.tool], region)) return kKeep;
    const Content answer = tools[state.tool].region(region, state.state, old);
    return answer == kKeep || contains(written[state.tool], region) ? answer : kSplit;
  }

  // Calls edit(voxel), where voxel(p, old) is what the voxel p of the leaf is to be.
  template <class Edit>
  VOX_HD void edit_leaf(const Region& leaf, const State& state, const Edit& edit) const {
    if (state.tool == kSeveral) {
      edit([&](const Int3& p, int old) {
        for (uint32_t i = 0; i < count; ++i)
          if (contains(written[i], p)) return tools[i].voxel(leaf, p, old, tools[i].enter(leaf));
        return old;
      });
      return;
    }
    const Tool tool = tools[state.tool];  // by value: a compiler would read it again for every voxel
    const VoxelBox box = written[state.tool];
    edit([&](const Int3& p, int old) {
      return contains(box, p) ? tool.voxel(leaf, p, old, state.state) : old;
    });
  }

 private:
  // `count` when none changes the region.
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

}  // namespace vox
