// Merges a scene that stays on the devices of its ranks. After each round the nodes of all ranks go to their owners,
// level by level from the leaves up, and the nodes above refer to their children by id. Each rank computes the digests
// of its own nodes along the way. In the end the ranks bring all nodes into canonical order (order_levels.h).
#pragma once

#include <optional>

#include "libvox/build/build_scene.h"
#include "libvox/build/freeze_round.h"
#include "libvox/build/order_levels.h"
#include "libvox/build/piece_plan.h"
#include "libvox/build/shared_store.h"
#include "libvox/dag/freeze.h"
#include "libvox/device/device.h"
#include "libvox/voxelize/build_cells.h"

namespace vox::build {

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
