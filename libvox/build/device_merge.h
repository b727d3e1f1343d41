// Brings the nodes that a store holds at the end of a round to the host, level by level from the leaves up.
// Nodes get their numbers from dag/freeze.h. The kernels are those that freeze a whole scene.
#pragma once

#include <algorithm>
#include <optional>

#include "libvox/base/progress.h"
#include "libvox/build/build_scene.h"
#include "libvox/build/order_levels.h"
#include "libvox/build/piece_plan.h"
#include "libvox/build/round.h"
#include "libvox/build/shared_store.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/store.h"
#include "libvox/device/device.h"
#include "libvox/voxelize/build_cells.h"

namespace vox::build {

struct WriteRoots {
  const uint64_t* codes;
  const uint32_t* numbers;
  const dag::Digest* digests;
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  dag::NodeKind kind;
  bool materials;
  RoundRoot* roots;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t number = numbers[i];
    roots[i].code = codes[i];
    roots[i].number = number;
    roots[i].material = dag::homogeneous_content(store.item(pointers[number]), kind, materials);
    roots[i].digest = digests[number];
  }
};

// Returns the nodes at these places, which are the roots of a forest. `digests` are those of the forest's
// first level.
template <class Device>
std::vector<RoundRoot> roots_of(Device& device, const dag::DagStore<Device>& store,
                                const std::vector<uint64_t>& codes, const dag::Forest& forest,
                                const device::Buffer<dag::Digest>& digests, bool materials) {
  const auto kind = forest.levels.size() == 1 ? dag::NodeKind::Leaf : dag::NodeKind::Inner;
  const auto device_codes = device::uploaded(device, codes);
  auto roots = device.template make<RoundRoot>(codes.size());
  device.for_each({"rounds: roots", 60}, codes.size(),
                  WriteRoots{device_codes.data(), forest.roots.data(), digests.data(), store.ref(),
                             forest.levels[0].pointers.data(), kind, materials, roots.data()});
  std::vector<RoundRoot> known(codes.size());
  device.download(known.data(), roots.data(), known.size());
  return known;
}

// The last of a forest's levels holds leaves.
inline dag::NodeKind kind_of(size_t level, size_t levels) {
  return level + 1 == levels ? dag::NodeKind::Leaf : dag::NodeKind::Inner;
}

// Returns the digests of the nodes of a level. `below` has those of the next level.
template <class Device>
device::Buffer<dag::Digest> digests_of(Device& device, hash::SlabMemoryRef store,
                                       const dag::FrozenLevel& level, dag::NodeKind kind, bool materials,
                                       const device::Buffer<dag::Digest>& below) {
  auto digests = device.template make<dag::Digest>(level.nodes);
  device.for_each({"digest", 80}, level.nodes,
                  dag::DigestNodes{store, level.pointers.data(), kind, materials, level.edge_start.data(),
                                   level.edge_rank.data(), below.data(), digests.data()});
  return digests;
}

template <class Device>
class RoundFreezer {
 public:
  RoundFreezer(Device& device, const dag::DagStore<Device>& store, bool materials, const SpillPlace& place)
      : device_(device), dag_store_(store), store_(store.ref()), materials_(materials), place_(place) {}

  // Fills the round's roots and levels.
  void run(const std::vector<uint64_t>& codes, const std::vector<uint32_t>& pointers, size_t levels,
           Round& round) {
    dag::Forest forest = dag::find_levels(device_, dag_store_, device::uploaded(device_, pointers), levels);
    round.levels.resize(levels);
    device::Buffer<dag::Digest> digests;  // the digests of the level below
    for (size_t l = levels; l-- > 0;) {
      throw_if_cancelled();
      dag::FrozenLevel& level = forest.levels[l];
      round.levels[l] = words_of(level, kind_of(l, levels));
      digests = digests_of(device_, store_, level, kind_of(l, levels), materials_, digests);
      if (l > 0) level = {};
    }
    round.roots = roots_of(device_, dag_store_, codes, forest, digests, materials_);
  }

 private:
  RoundLevel words_of(const dag::FrozenLevel& level, dag::NodeKind kind) {
    RoundLevel to = {{place_, level.nodes * hash::kMaxItemWords}, {place_, level.nodes}};
    const uint64_t most = std::min(level.nodes, nodes_at_once(device_, kBytesOnTheWay));
    auto offsets = device_.template make<uint32_t>(most + 1);
    auto sizes = device_.template make<uint8_t>(most);
    for (uint64_t first = 0; first < level.nodes; first += most) {
      const uint64_t n = std::min(most, level.nodes - first);
      const uint32_t* pointers = level.pointers.data() + first;
      const uint32_t* edges = kind == dag::NodeKind::Leaf ? nullptr : level.edge_start.data() + first;
      const uint64_t count = device_.exclusive_scan(
          {"freeze: places", 20}, n, dag::FrozenWords{store_, pointers, kind, materials_}, offsets.data());
      auto words = device_.template make<uint32_t>(count);
      device_.for_each(
          {"freeze: write", 60}, n,
          dag::WriteFrozen{store_, pointers, offsets.data(), edges, level.edge_rank.data(), 0, words.data()});
      device_.for_each({"rounds: sizes", 5}, n, SizesOfNodes{offsets.data(), sizes.data()});
      device_.download(to.words.append(count).data(), words.data(), count);
      device_.download(to.sizes.append(n).data(), sizes.data(), n);
      to.rest();
    }
    return to;
  }

  Device& device_;
  const dag::DagStore<Device>& dag_store_;
  hash::SlabMemoryRef store_;
  bool materials_;
  const SpillPlace& place_;
};

// Brings the nodes of a round to the host.
template <class Device>
Round frozen_round(Device& device, const voxelize::BuiltCells<Device>& built, const SpillPlace& place) {
  Round round = {
      .level = built.level, .roots = {}, .levels = {}, .states = built.inside.states, .result = built.result};
  const size_t levels = built.result.dag.levels.size() - built.level;
  RoundFreezer<Device>(device, built.store, built.result.dag.materials, place)
      .run(built.codes, built.pointers, levels, round);
  return round;
}

// Loads the nodes of a round into a store, level by level from the leaves up. Numbers become pointers. Returns the
// store's pointer to each root. The store may already hold other nodes.
template <class Device>
std::vector<uint32_t> load_round(Device& device, dag::DagStore<Device>& store, const Round& round) {
  constexpr uint64_t kBytesPerNode =
      160;  // twice its words, its place, hash and leader, and the growth of the store
  device::Buffer<uint32_t> below;
  for (size_t l = round.levels.size(); l-- > 0;) {
    const RoundLevel& level = round.levels[l];
    auto pointers = device.template make<uint32_t>(level.nodes());
    NodeStream<Device> stream(device, level.words.values(), level.sizes.values(),
                              nodes_at_once(device, kBytesPerNode));
    while (!stream.done()) {
      const NodePiece piece = stream.next();
      if (l + 1 < round.levels.size())
        device.for_each({"load: translate", 40}, piece.count,
                        ReplaceChildren{piece.words.data(), piece.offsets.data(), below.data()});
      store.intern(piece.words.data(), piece.offsets.data(), piece.count, pointers.data() + piece.first);
    }
    below = std::move(pointers);
  }
  std::vector<uint32_t> first(below.size()), roots;
  device.download(first.data(), below.data(), first.size());
  for (const RoundRoot& root : round.roots) roots.push_back(first[root.number]);
  return roots;
}

// Merges a scene that stays on the devices of its ranks. After each round the nodes of all ranks go to their owners,
// level by level from the leaves up, and the nodes above refer to their children by id. Each rank computes the digests
// of its own nodes along the way. In the end the ranks bring all nodes into canonical order (order_levels.h).

struct WriteSpread {
  hash::SlabMemoryRef store;
  const uint32_t* pointers;
  const uint32_t* offsets;
  const uint32_t* edge_start;  // nullptr for leaves
  const uint32_t* edge_rank;
  const uint64_t* child_ids;
  uint32_t* words;
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) return prefetch_line(store.item(pointers[i]).head());
    if (!edge_start) return;
    for (uint32_t edge = edge_start[i]; edge < edge_start[i + 1]; ++edge)
      prefetch_line(child_ids + edge_rank[edge]);
  }
  VOX_HD void operator()(uint64_t i) const {
    const hash::ItemRef item = store.item(pointers[i]);
    uint32_t* to = words + offsets[i];
    if (edge_start) {
      const uint32_t* ranks = edge_rank + edge_start[i];
      const uint64_t* ids = child_ids;
      return write_spread_node(to, item[0], [ranks, ids](uint32_t c) { return ids[ranks[c]]; });
    }
    const uint32_t size = offsets[i + 1] - offsets[i];
    for (uint32_t w = 0; w < size; ++w) to[w] = item[w];
  }
};
static_assert(device::PrefetchingBody<WriteSpread>);

// The ids and digests of the nodes of one level, by their numbers in the forest.
struct KnownLevel {
  device::Buffer<uint64_t> ids;
  device::Buffer<dag::Digest> digests;
};

// Its functions do the same as those of HostMerge.
template <class Device>
class DeviceMerge {
 public:
  DeviceMerge(Device& device, ranks::Ranks& ranks, const voxelize::BuildOptions& options, const BuildManner&,
              const hash::TableOptions& tables)
      : device_(device), ranks_(ranks), options_(options), tables_(tables) {}

  static constexpr bool kWantsRounds = false;

  // The percentage of the free memory that a round's nodes may fill. On the way to their owners, nodes take about twice
  // their size in the store. In the end the stores must hold the nodes of all rounds.
  uint32_t percent_of_round() const { return 33; }

  void begin() {
    shares_ = agreed_shares(ranks_, device_.pool().limit());
    shared_.emplace(device_, ranks_, shares_, tables_, options_.chunk_pairs);
  }

  // Collective.
  void add(voxelize::BuiltCells<Device> built, voxelize::TopOfCells& top, BuildFigures& figures) {
    const Stopwatch watch;
    // A rank that has neither built nor loaded cells does not know their level, but goes through the same levels.
    const size_t levels = built.result.dag.levels.size() - most_of(ranks_, built.level);
    dag::Forest forest =
        dag::find_levels(device_, built.store, device::uploaded(device_, built.pointers), levels);
    KnownLevel known;
    for (size_t l = levels; l-- > 0;) {
      known = exchanged_level(built.store.ref(), forest.levels[l], kind_of(l, levels), known);
      if (l > 0) forest.levels[l] = {};
    }
    std::vector<uint64_t> ids(known.ids.size());
    device_.download(ids.data(), known.ids.data(), ids.size());
    for (const RoundRoot& root :
         roots_of(device_, built.store, built.codes, forest, known.digests, options_.materials))
      top.nodes.push_back(
          {.code = root.code, .id = ids[root.number], .digest = root.digest, .material = root.material});
    figures.merge_seconds += watch.seconds();
  }

  // Collective.
  bool expects_more(bool has_more) { return sum_of(ranks_, has_more ? 1 : 0) > 0; }

  void merge_cells(uint32_t, uint32_t, voxelize::TopOfCells&, Progress&) {}

  MergedAbove merge_above(const std::vector<dag::TopNode>& nodes, const std::vector<dag::TopNode>& parts) {
    std::vector<dag::TopNode> fills = interned(parents_of(parts, ChildNames::Owners));
    return {interned(parents_of(nodes, ChildNames::Owners)), std::move(fills)};
  }

  void order(const std::optional<dag::TopNode>& root, size_t levels, SceneShare& share) {
    share.figures.items_kept = shared_->store().items();
    share.figures.items_given = shared_->given();
    share.part.emplace().levels.resize(levels);
    if (!root) return;
    OrderedDag ordered = LevelOrder<Device>(device_, ranks_, shares_, shared_->store(), options_.materials)
                             .run(root->id, levels);
    share.part = std::move(ordered.part);
    for (size_t level = 0; level < levels; ++level)
      share.whole.dag.levels[level].nodes = ordered.nodes[level];
  }

 private:
  // Collective. Brings the nodes of a level to their owners. `below` is the next level.
  KnownLevel exchanged_level(hash::SlabMemoryRef store, const dag::FrozenLevel& level, dag::NodeKind kind,
                             const KnownLevel& below) {
    KnownLevel known;
    known.digests = digests_of(device_, store, level, kind, options_.materials, below.digests);
    known.ids = shared_->intern(level.nodes, [&](uint64_t first, uint64_t count) {
      const uint32_t* pointers = level.pointers.data() + first;
      const uint32_t* edge_start = kind == dag::NodeKind::Leaf ? nullptr : level.edge_start.data() + first;
      NodePiece piece = {.words = {}, .offsets = device_.template make<uint32_t>(count + 1), .count = count};
      piece.words = device_.template make<uint32_t>(device_.exclusive_scan(
          {"ranks: places", 20}, count, SpreadWords{store, pointers, kind, options_.materials},
          piece.offsets.data()));
      device_.for_each({"ranks: write", 60}, count,
                       WriteSpread{store, pointers, piece.offsets.data(), edge_start, level.edge_rank.data(),
                                   below.ids.data(), piece.words.data()});
      return piece;
    });
    return known;
  }

  // Collective. Brings the nodes of a level that rank 0 has made to their owners. Returns them with their ids.
  std::vector<dag::TopNode> interned(TopLevel level) {
    NodeStream<Device> stream(device_, level.words, level.sizes, level.nodes.size());
    const auto ids =
        shared_->intern(level.nodes.size(), [&](uint64_t, uint64_t count) { return stream.next(count); });
    std::vector<uint64_t> known(level.nodes.size());
    device_.download(known.data(), ids.data(), known.size());
    return level.with_ids(known);
  }

  Device& device_;
  ranks::Ranks& ranks_;
  const voxelize::BuildOptions& options_;
  const hash::TableOptions& tables_;
  Shares shares_;
  std::optional<SharedStore<Device>> shared_;
};

}  // namespace vox::build
