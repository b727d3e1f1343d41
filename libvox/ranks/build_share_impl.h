// The implementation of build_share.h for any device. Each rank builds chunk cells in a store of its own, and
// its nodes go to their owners (exchange_levels.h), in as many rounds as memory requires. Rank 0 builds the
// levels above the chunk cells (piece_plan.h). All ranks together bring the nodes into canonical order
// (order_levels.h). on_cpu.cpp and on_cuda.cu include this file and only name the device.
#pragma once

#include <algorithm>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/ranks/build_share.h"
#include "libvox/ranks/exchange_levels.h"
#include "libvox/ranks/order_levels.h"
#include "libvox/ranks/piece_plan.h"
#include "libvox/rounds/freeze_round.h"
#include "libvox/voxelize/build_cells.h"

namespace vox::ranks {

// The root of the DAG, as rank 0 tells it to all ranks.
struct SharedRoot {
  uint64_t exists = 0, id = 0;
  dag::Digest digest = {};
};

template <class Device>
class ShareBuild {
 public:
  ShareBuild(Device& device, Ranks& ranks, const voxelize::Grid& grid, const voxelize::BuildOptions& options,
             const hash::TableOptions& tables, RoundKeeper* keeper)
      : device_(device),
        ranks_(ranks),
        grid_(grid),
        options_(options),
        tables_(tables),
        plan_(ranks, keeper) {}

  // A resumed build keeps the resolution with which it was begun, so the hint must not be to lower the
  // resolution.
  SceneShare run(const scene::Scene& scene, const scene::IndexedScene& indexed) {
    try {
      return build_all(scene, indexed);
    } catch (OutOfMemory& error) {
      if (plan_.goes_on())
        error.hint(
            "allow more memory, or use a device with as much memory as the one that built the kept rounds");
      throw;
    }
  }

 private:
  SceneShare build_all(const scene::Scene& scene, const scene::IndexedScene& indexed) {
    ranks_.restart();
    SceneShare share;
    share.whole.dag = dag::empty_dag(grid_.resolution, options_.materials);
    plan_.begin();
    const Shares shares = agreed_shares(ranks_, device_.pool().limit());
    SharedStore<Device> shared(device_, ranks_, shares, tables_, options_.chunk_pairs);
    voxelize::TopOfCells top;  // filled on rank 0
    Stopwatch watch;
    do {
      voxelize::BuiltCells<Device> built = plan_.has_kept() ? load_kept(share) : build_round(scene, indexed);
      add(built.result, share);
      watch.lap();
      share.figures.keep_seconds += keep(built);
      watch.lap();
      gather_inside(built, top, share);
      exchange(std::move(built), shared, top);
      share.figures.exchange_seconds += watch.lap();
    } while (sum_of(ranks_, has_more_ ? 1 : 0) > 0);
    level_ = most_of(ranks_, level_);  // a rank may have built no cells and not know the level
    const SharedRoot root = build_top(std::move(top), shared, share.whole.dag);
    device_.pool().trim();
    share.figures.exchange_seconds += watch.lap();
    share.figures.items_kept = shared.store().items();
    share.figures.items_given = shared.given();
    order(root, shares, shared.store(), share);
    sum_counts(share.whole);
    share.figures.order_seconds = watch.lap();
    share.whole.voxelize_seconds = share.figures.voxelize_seconds;
    share.whole.freeze_seconds = share.figures.order_seconds;
    share.whole.build_seconds =
        share.figures.build_seconds + share.figures.exchange_seconds + share.figures.order_seconds;
    share.whole.peak_device_bytes = device_.pool().peak();
    return share;
  }

  // Builds cells until none are left, or until the nodes fill the memory that a round may use. In that case
  // the nodes go to their owners, and another round follows.
  voxelize::BuiltCells<Device> build_round(const scene::Scene& scene, const scene::IndexedScene& indexed) {
    if (!std::exchange(has_more_, false) || !has_to_build()) return nothing_built();
    uint64_t held = 0;
    plan_.start_round();
    const auto next = [&](std::span<const uint32_t> starts) -> std::optional<voxelize::Piece> {
      throw_if_cancelled();
      if (plan_.taken() == 0)
        held = device_.pool().used();  // used by the scene and, with options.solid, the states of all rows
      has_more_ = plan_.taken() > 0 && round_is_full(held);
      if (has_more_) return std::nullopt;
      return plan_.next(starts);
    };
    voxelize::BuiltCells<Device> built =
        voxelize::build_cells(device_, scene, indexed, grid_, options_, tables_, {next, ranks_.count()});
    level_ = built.level;
    return built;
  }

  // With options.solid rank 0 builds even if no cells are left, because it provides the data that all cells
  // share.
  bool has_to_build() const { return plan_.has_open() || (options_.solid && ranks_.rank() == 0); }

  // On the way to their owners, nodes take about twice their size in the store, where in the end those of all
  // rounds must fit. Tests, which have tiny chunks, have tiny rounds as well.
  bool round_is_full(uint64_t held) {
    if (plan_.is_time_to_keep()) return true;
    if (options_.chunk_pairs > 0) return plan_.taken() >= 5;
    const uint64_t free = device_.pool().limit() - std::min(held, device_.pool().limit());
    return device_.pool().used() > held + free / 3;
  }

  voxelize::BuiltCells<Device> nothing_built() {
    return {.store = dag::DagStore<Device>(device_, tables_),
            .level = level_,
            .codes = {},
            .pointers = {},
            .result = {.dag = dag::empty_dag(grid_.resolution, options_.materials)}};
  }

  // Loads a round that an earlier build has kept, as if it had been built now.
  voxelize::BuiltCells<Device> load_kept(SceneShare& share) {
    const Stopwatch watch;
    const rounds::Round round = plan_.load_next({share.whole.dag.levels.size(), options_.materials});
    voxelize::BuiltCells<Device> built = nothing_built();
    built.level = level_ = round.level;
    for (const rounds::RoundRoot& root : round.roots) built.codes.push_back(root.code);
    built.pointers = rounds::load_round(device_, built.store, round);
    built.inside.states = round.states;
    built.result = round.result;
    share.figures.keep_seconds += watch.seconds();
    return built;
  }

  // Hands the cells that were built to the keeper, if there is one. Returns the seconds that this took.
  double keep(const voxelize::BuiltCells<Device>& built) {
    if (!plan_.keeps_round()) return 0;
    const Stopwatch watch;
    plan_.keep(rounds::frozen_round(device_, built, rounds::SpillPlace()));
    return watch.seconds();
  }

  static void add(const voxelize::BuildResult& round, SceneShare& share) {
    voxelize::add_counts(share.whole, round);
    share.figures.voxelize_seconds += round.voxelize_seconds;
    share.figures.build_seconds += round.build_seconds;
  }

  // Brings the data with which the empty nodes above the cells are filled to rank 0.
  void gather_inside(voxelize::BuiltCells<Device>& built, voxelize::TopOfCells& top, SceneShare& share) {
    if (!options_.solid) return;
    const auto states = brought_to_first(ranks_, built.inside.states);
    top.states.insert(top.states.end(), states.begin(), states.end());
    if (ranks_.rank() == 0) share.whole.solid += top.take_common(built);
  }

  // Brings the nodes of a round to their owners, and those of the cells to rank 0.
  void exchange(voxelize::BuiltCells<Device> built, SharedStore<Device>& shared, voxelize::TopOfCells& top) {
    const size_t levels = built.result.dag.levels.size() - built.level;
    dag::Forest forest =
        dag::find_levels(device_, built.store, device::uploaded(device_, built.pointers), levels);
    const KnownLevel known =
        LevelExchange<Device>(device_, built.store, shared, options_.materials).run(forest.levels);
    std::vector<uint64_t> ids(known.ids.size());
    device_.download(ids.data(), known.ids.data(), ids.size());
    std::vector<TopNode> own;
    for (const rounds::RoundRoot& root :
         rounds::roots_of(device_, built.store, built.codes, forest, known.digests, options_.materials))
      own.push_back(
          {.code = root.code, .id = ids[root.number], .digest = root.digest, .material = root.material});
    for (const TopNode& node : brought_to_first(ranks_, own)) top.add(node);
  }

  // Builds the levels above the chunk cells' level on rank 0. All ranks take part in sending their nodes to
  // their owners.
  SharedRoot build_top(voxelize::TopOfCells top, SharedStore<Device>& shared, dag::FrozenDag& dag) {
    std::vector<TopNode> nodes = std::move(top.nodes);
    sort_by_code(nodes);
    const uint32_t log2_cells = dag.depth() - level_;
    voxelize::TopFills fills(std::move(top), log2_cells, dag.resolution);
    for (uint32_t level = level_; level > 0; --level) {
      if (options_.solid) {
        const uint32_t height = dag.depth() - level;
        fills.add_to(nodes, height, dag);
        fills.go_up(interned(parents_of(fills.parts_above(height)), shared));
      }
      nodes = interned(parents_of(nodes), shared);
      dag.levels[level - 1].svo_nodes += nodes.size();
    }
    SharedRoot root;
    if (!nodes.empty()) root = {1, nodes[0].id, nodes[0].digest};
    ranks_.broadcast(&root, sizeof root);
    return root;
  }

  // Collective. Returns the nodes of a level that rank 0 has built, with their ids.
  std::vector<TopNode> interned(TopLevel level, SharedStore<Device>& shared) {
    const auto ids = shared.intern(
        level.nodes.size(), [&](uint64_t first, uint64_t count) { return top_items(level, first, count); });
    std::vector<uint64_t> known(level.nodes.size());
    device_.download(known.data(), ids.data(), known.size());
    for (size_t i = 0; i < known.size(); ++i) level.nodes[i].id = known[i];
    return std::move(level.nodes);
  }

  Items top_items(const TopLevel& level, uint64_t first, uint64_t count) {
    const uint32_t begin = level.offsets[first], end = level.offsets[first + count];
    std::vector<uint32_t> offsets;
    for (uint64_t i = first; i <= first + count; ++i) offsets.push_back(level.offsets[i] - begin);
    Items items = {device_.template make<uint32_t>(end - begin), device::uploaded(device_, offsets)};
    device_.upload(items.words.data(), level.words.data() + begin, end - begin);
    return items;
  }

  void order(const SharedRoot& root, const Shares& shares, const dag::DagStore<Device>& owned,
             SceneShare& share) {
    dag::FrozenDag& dag = share.whole.dag;
    share.part.levels.resize(dag.levels.size());
    if (root.exists != 0) {
      OrderedDag ordered = LevelOrder<Device>(device_, ranks_, shares, owned, options_.materials)
                               .run(root.id, dag.levels.size());
      share.part = std::move(ordered.part);
      for (size_t level = 0; level < dag.levels.size(); ++level)
        dag.levels[level].nodes = ordered.nodes[level];
    }
    dag.digest = dag::scene_digest(dag.resolution, dag.depth(), dag.materials,
                                   root.exists != 0 ? &root.digest : nullptr);
  }

  void sum_counts(voxelize::BuildResult& whole) {
    for (uint64_t* count : {&whole.dag.voxels, &whole.chunks, &whole.atlas_queries, &whole.solid.open_rays,
                            &whole.solid.disputed_voxels, &whole.solid.duplicates})
      *count = sum_of(ranks_, *count);
    for (dag::DagLevel& level : whole.dag.levels) level.svo_nodes = sum_of(ranks_, level.svo_nodes);
  }

  Device& device_;
  Ranks& ranks_;
  const voxelize::Grid& grid_;
  const voxelize::BuildOptions& options_;
  const hash::TableOptions& tables_;
  PiecePlan plan_;
  uint32_t level_ = 0;    // the level of the cells' nodes
  bool has_more_ = true;  // true if there may be cells for another round
};

template <class Device>
SceneShare build_share(Device& device, Ranks& ranks, const scene::Scene& scene,
                       const scene::IndexedScene& indexed, const voxelize::Grid& grid,
                       const voxelize::BuildOptions& options, const hash::TableOptions& tables,
                       RoundKeeper* keeper) {
  if (ranks.count() > kMostRanks)
    throw Error("there are " + std::to_string(ranks.count()) + " ranks, but at most " +
                std::to_string(kMostRanks) + " can build a scene");
  std::optional<NoProgress> quiet;
  if (ranks.rank() != 0) quiet.emplace();  // one progress bar stands for all ranks
  return ShareBuild<Device>(device, ranks, grid, options, tables, keeper).run(scene, indexed);
}

}  // namespace vox::ranks
