// The tool that gives the voxels of a flood one material; see FillEdit.
#pragma once

#include "libvox/edit/block_index.h"
#include "libvox/edit/tool.h"

namespace vox::edit {

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

}  // namespace vox::edit
