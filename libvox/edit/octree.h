// The temporary octree of an edit (Molenaar & Eisemann 2024, §4.3.1): from the root down, breadth first, the
// regions that the tools do not leave alone, fill or empty as a whole.
#pragma once

#include <vector>

#include "libvox/base/error.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/edit/tool_set.h"

namespace vox {

// Which materials fill whole regions in the course of an edit: one bit each.
VOX_HD inline void note_filled(uint32_t* used, Content content) {
  const uint32_t bit = 1u << material_of(content);
  if (is_filled(content) && (atomic_load_relaxed(used) & bit) == 0) atomic_or_relaxed(used, bit);
}

// The nodes of one level. Part c of node i is content[8 i + c] or, where splits[8 i + c], a node of the next
// level with that index.
template <class State>
struct EditLevel {
  uint64_t count = 0;
  Buffer<Int3> corners;
  Buffer<Content> old;
  Buffer<State> states;
  Buffer<Content> content;
  Buffer<uint8_t> splits;
};

template <class Tools>
struct ClassifyParts {
  using State = typename Tools::State;
  Tools tools;
  StoredDag dag;
  uint32_t level;  // of the nodes
  int32_t side;
  const Int3* corners;
  const Content* old;
  const State* states;
  Content* content;
  uint8_t* splits;
  uint32_t* used;

  VOX_HD void operator()(uint64_t i) const {
    const uint64_t node = i / 8;
    const Region part = Region{corners[node], level, side}.child(i % 8);
    const OldRegion before = {dag, dag.child(old[node], i % 8), part.level};
    const Content answer = tools.region(part, tools.descend(states[node], part), before);
    const Content content_here = answer == kKeep ? before.content : stored(answer);
    splits[i] = answer == kSplit ? 1 : 0;
    content[i] = content_here;
    note_filled(used, content_here);
  }

 private:
  // Without materials, regions are filled with 0.
  VOX_HD Content stored(Content answer) const {
    return is_filled(answer) && !dag.materials ? filled_with(0) : answer;
  }
};

struct IsSplit {
  const uint8_t* splits;
  VOX_HD bool operator()(uint64_t i) const { return splits[i] != 0; }
};

template <class Tools>
struct EnterParts {
  using State = typename Tools::State;
  Tools tools;
  StoredDag dag;
  uint32_t level;  // of the nodes above
  int32_t side;
  const uint32_t* parts;
  const Int3* corners_above;
  const Content* old_above;
  const State* states_above;
  Content* content_above;
  Int3* corners;
  Content* old;
  State* states;

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t part = parts[i], node = part / 8;
    const Region region = Region{corners_above[node], level, side}.child(part % 8);
    content_above[part] = static_cast<uint32_t>(i);
    corners[i] = region.min;
    old[i] = dag.child(old_above[node], part % 8);
    states[i] = tools.descend(states_above[node], region);
  }
};

template <class Tools>
struct EnterRoot {
  Tools tools;
  Content root;
  int32_t side;
  Int3* corners;
  Content* old;
  typename Tools::State* states;
  VOX_HD void operator()(uint64_t) const {
    const Region region = {{0, 0, 0}, 0, side};
    corners[0] = region.min;
    old[0] = root;
    states[0] = tools.enter(region);
  }
};

// Levels from the root's down to the leaves'. `used` gets the materials that fill whole regions.
template <class Device, class Tools>
std::vector<EditLevel<typename Tools::State>> edit_octree(Device& device, const Tools& tools,
                                                          const StoredDag& dag, Content root,
                                                          uint32_t* used) {
  using State = typename Tools::State;
  std::vector<EditLevel<State>> levels(dag.depth + 1);
  const auto make_nodes = [&](EditLevel<State>& level, uint64_t count) {
    level.count = count;
    level.corners = device.template make<Int3>(count);
    level.old = device.template make<Content>(count);
    level.states = device.template make<State>(count);
  };
  const int32_t root_side = static_cast<int32_t>(kLeafSide << dag.depth);
  make_nodes(levels[0], 1);
  device.for_each("edit: root", 1,
                  EnterRoot<Tools>{tools, root, root_side, levels[0].corners.data(), levels[0].old.data(),
                                   levels[0].states.data()});
  for (uint32_t l = 0; l < dag.depth && levels[l].count > 0; ++l) {
    EditLevel<State>&here = levels[l], &next = levels[l + 1];
    const int32_t side = root_side >> l;
    const uint64_t parts = 8 * here.count;
    if (parts > UINT32_MAX)
      throw Error("an edit splits more than 2^29 nodes of a level").hint("do it in several smaller ones");
    here.content = device.template make<Content>(parts);
    here.splits = device.template make<uint8_t>(parts);
    device.for_each({"edit: classify", 5 + sizeof(State) / 8.0}, parts,
                    ClassifyParts<Tools>{tools, dag, l, side, here.corners.data(), here.old.data(),
                                         here.states.data(), here.content.data(), here.splits.data(), used});
    auto split = device.template make<uint32_t>(parts);
    const uint64_t count =
        device.select({"edit: select", 5}, parts, IsSplit{here.splits.data()}, split.data());
    make_nodes(next, count);
    device.for_each({"edit: enter", 24 + 2.0 * sizeof(State)}, count,
                    EnterParts<Tools>{tools, dag, l, side, split.data(), here.corners.data(), here.old.data(),
                                      here.states.data(), here.content.data(), next.corners.data(),
                                      next.old.data(), next.states.data()});
    here.states.reset();
    here.corners.reset();
  }
  return levels;
}

}  // namespace vox
