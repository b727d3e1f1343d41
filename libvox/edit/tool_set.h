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

  VOX_HD int voxel(const Region& leaf, const Int3& voxel, int old, const State& state) const {
    if (state.tool != kSeveral)
      return contains(written[state.tool], voxel) ? tools[state.tool].voxel(leaf, voxel, old, state.state)
                                                  : old;
    for (uint32_t i = 0; i < count; ++i)
      if (contains(written[i], voxel)) return tools[i].voxel(leaf, voxel, old, tools[i].enter(leaf));
    return old;
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
