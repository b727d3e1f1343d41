// The implementation of build_scene.h for any device. A rank builds chunk cells until its round is full, hands the
// round to the merge, and goes on. The merge makes equal nodes of all rounds and ranks one, level by level from the
// leaves up: on the devices (device_merge.h), or on the host if the scene is spilled (host_merge.h). The levels above
// the chunk cells are made on rank 0. Then all nodes are brought into canonical order from the root down.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/log_line.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/build/build_scene.h"
#include "libvox/build/device_merge.h"
#include "libvox/build/host_merge.h"
#include "libvox/build/piece_plan.h"
#include "libvox/voxelize/build_cells.h"

namespace vox::build {

// A merge has the functions of HostMerge, where each is explained.
template <class Device, class Merge>
class SceneBuild {
 public:
  SceneBuild(Device& device, ranks::Ranks& ranks, const SceneInput& input, const BuildManner& manner,
             const hash::TableOptions& tables)
      : device_(device),
        ranks_(ranks),
        input_(input),
        manner_(manner),
        tables_(tables),
        plan_(ranks, manner),
        merge_(device, ranks, input.options, manner, tables) {}

  // A resumed build keeps the resolution with which it was begun, so the hint must not be to lower the
  // resolution.
  SceneShare run() {
    try {
      return build_all();
    } catch (OutOfMemory& error) {
      if (plan_.goes_on())
        error.hint(
            "allow more memory, or use a device with as much memory as the one that built the kept rounds");
      throw;
    }
  }

 private:
  using Built = voxelize::BuiltCells<Device>;

  SceneShare build_all() {
    ranks_.restart();
    share_.whole.dag = dag::empty_dag(input_.grid.resolution, input_.options.materials);
    plan_.begin();
    merge_.begin();
    do {
      if (plan_.has_kept())
        load_round();
      else
        take_round(build_round());
      device_.pool().trim();
    } while (merge_.expects_more(has_more_));
    const std::optional<dag::TopNode> root = merge_levels();
    device_.pool().trim();
    order(root);
    make_colors();
    finish_counts();
    log_share(share_, ranks_, device_.name());
    return std::move(share_);
  }

  // Builds cells until none are left, or until the nodes fill the memory that a round may use. In that case
  // another round follows.
  Built build_round() {
    if (!std::exchange(has_more_, false) || !has_to_build()) return nothing_built();
    plan_.start_round();
    // The memory that is not used by nodes: the scene and, with options.solid, a tile of rows. It is known when the
    // first cells are asked for.
    std::optional<uint64_t> held;
    uint64_t pairs = 0;  // in all pieces of the round
    const auto next = [&](std::span<const uint32_t> starts) -> std::optional<voxelize::Piece> {
      throw_if_cancelled();
      if (!held) held = device_.pool().used();
      if (plan_.is_taken()) return std::nullopt;
      has_more_ = plan_.taken() > 0 && round_is_full(*held);
      if (has_more_) return std::nullopt;
      const std::optional<voxelize::Piece> piece = plan_.next(starts, fitting_pairs(starts, *held, pairs));
      if (piece) pairs += starts[piece->end] - starts[piece->begin];
      return piece;
    };
    // A spilled scene probably takes several rounds. Its tables get their size from the start as if this many builders
    // shared the cells.
    constexpr uint32_t kRounds = 4;
    const uint32_t builders = ranks_.count() * (manner_.spill ? kRounds : 1);
    Built built = voxelize::build_cells(device_, input_.scene, input_.indexed, input_.grid, input_.options,
                                        tables_, {next, builders});
    level_ = built.level;
    log_line(LogLevel::Debug, "nodes take " + format_bytes(device_.pool().used()) + " of " +
                                  format_bytes(device_.pool().limit()) + " on " + device_.name());
    return built;
  }

  // With options.solid rank 0 builds even if no cells are left, because it provides the data that all cells
  // share.
  bool has_to_build() const { return plan_.has_open() || (input_.options.solid && ranks_.rank() == 0); }

  bool round_is_full(uint64_t held) const {
    if (plan_.is_time_to_keep()) return true;
    if (manner_.spill && manner_.spill->pieces > 0) return true;
    // Tests, which have tiny chunks, have tiny rounds as well.
    if (!manner_.spill && input_.options.chunk_pairs > 0) return plan_.taken() >= 5;
    return device_.pool().used() > held + free_besides(held) / 100 * merge_.percent_of_round();
  }
  uint64_t free_besides(uint64_t held) const {
    return device_.pool().limit() - std::min(held, device_.pool().limit());
  }

  // Returns the number of pairs for the next piece. Its nodes should take little of the memory, but keep the device
  // busy. The memory that a pair takes is the mean over all pairs of this round so far, and not over those of the
  // last piece alone, because tables grow in steps.
  uint64_t fitting_pairs(std::span<const uint32_t> starts, uint64_t held, uint64_t built) {
    constexpr uint64_t kFirstPieces = 1024, kPiecesOfMemory = 32;
    const uint64_t used = device_.pool().used(), grown = used - std::min(held, used);
    if (fitting_ == 0) {
      fitting_ = starts.back() / kFirstPieces + 1;
    } else if (built > 0) {
      const double each = static_cast<double>(grown) / static_cast<double>(built);
      const double room = static_cast<double>(free_besides(held)) / kPiecesOfMemory;
      const double fits = room / std::max(each, 0.01);
      fitting_ = static_cast<uint64_t>(std::clamp(fits, 1.0, 2.0 * static_cast<double>(fitting_)));
    }
    return fitting_;
  }

  Built nothing_built() {
    return {.store = dag::DagStore<Device>(device_, tables_),
            .level = level_,
            .codes = {},
            .pointers = {},
            .result = {.dag = dag::empty_dag(input_.grid.resolution, input_.options.materials)}};
  }

  // Hands a round that was built to the keeper, if there is one, and to the merge.
  void take_round(Built built) {
    add_result(built.result, built.inside.states);
    if (input_.options.solid && ranks_.rank() == 0) share_.whole.solid += top_.take_common(built);
    Stopwatch watch;
    if constexpr (Merge::kWantsRounds) {
      Round round = frozen_round(device_, built, manner_.spill->place);
      share_.figures.spill_seconds += watch.lap();
      if (plan_.keeps_round()) keep(round);
      merge_.add(std::move(round), share_.figures);
    } else {
      if (plan_.keeps_round()) {
        Round round = frozen_round(device_, built, SpillPlace());
        share_.figures.keep_seconds += watch.lap();
        keep(round);
      }
      merge_.add(std::move(built), top_, share_.figures);
    }
  }

  // The roots of the first round include the fills of empty space. These are not kept: a resumed build makes them
  // anew.
  void keep(Round& round) {
    const Stopwatch watch;
    std::vector<RoundRoot> roots = round.roots;
    std::erase_if(round.roots,
                  [](const RoundRoot& root) { return root.code >= voxelize::TopOfCells::kFillCodes; });
    plan_.keep(round);
    round.roots = std::move(roots);
    share_.figures.keep_seconds += watch.seconds();
  }

  // Takes a round that an earlier build has kept, as if it had been built now.
  void load_round() {
    const Stopwatch watch;
    Round round = plan_.load_next({share_.whole.dag.levels.size(), input_.options.materials});
    level_ = round.level;
    add_result(round.result, round.states);
    if constexpr (Merge::kWantsRounds) {
      if (manner_.spill->place.folder()) move_levels(round, manner_.spill->place);
      share_.figures.keep_seconds += watch.seconds();
      merge_.add(std::move(round), share_.figures);
    } else {
      Built built = nothing_built();
      for (const RoundRoot& root : round.roots) built.codes.push_back(root.code);
      built.pointers = build::load_round(device_, built.store, round);
      round = {};
      share_.figures.keep_seconds += watch.seconds();
      merge_.add(std::move(built), top_, share_.figures);
    }
  }

  void add_result(const voxelize::BuildResult& round, const std::vector<voxelize::CellState>& states) {
    voxelize::add_counts(share_.whole, round);
    share_.figures.voxelize_seconds += round.voxelize_seconds;
    share_.figures.build_seconds += round.build_seconds;
    top_.states.insert(top_.states.end(), states.begin(), states.end());
  }

  // Returns the root of the merged levels, or nothing if the scene is empty. It is the same on all ranks.
  std::optional<dag::TopNode> merge_levels() {
    Stopwatch watch;
    level_ = most_of(ranks_, level_);  // a rank may have built no cells and not know the level
    Progress progress("merging", share_.whole.dag.levels.size());
    merge_.merge_cells(level_, share_.whole.dag.depth(), top_, progress);
    const std::vector<dag::TopNode> nodes = brought_to_first(ranks_, top_.nodes);
    top_.nodes.clear();
    for (const dag::TopNode& node : nodes) top_.add(node);
    top_.states = brought_to_first(ranks_, top_.states);
    std::vector<dag::TopNode> root = build_top(progress);
    uint64_t exists = root.size();
    ranks_.broadcast(&exists, sizeof exists);
    root.resize(exists);
    if (exists > 0) ranks_.broadcast(root.data(), sizeof root[0]);
    share_.figures.merge_seconds += watch.seconds();
    return exists > 0 ? std::optional(root[0]) : std::nullopt;
  }

  // Builds the levels above the chunk cells' level on rank 0. All ranks take part in merging them. Returns the root's
  // node on rank 0, if there is one.
  std::vector<dag::TopNode> build_top(Progress& progress) {
    dag::FrozenDag& dag = share_.whole.dag;
    std::vector<dag::TopNode> nodes = std::move(top_.nodes);
    dag::sort_by_code(nodes);
    voxelize::TopFills fills(std::move(top_), dag.depth() - level_, dag.resolution, input_.options.inside);
    for (uint32_t level = level_; level > 0; --level) {
      const uint32_t height = dag.depth() - level;
      std::vector<dag::TopNode> parts;  // parts of the next level's fills
      if (input_.options.solid) {
        fills.add_to(nodes, height, dag);
        parts = fills.parts_above(height);
      }
      MergedAbove above = merge_.merge_above(nodes, parts);
      nodes = std::move(above.nodes);
      fills.go_up(std::move(above.fills));
      dag.levels[level - 1].svo_nodes += nodes.size();
      progress.update(dag.levels.size() - level + 1, format_count(nodes.size()) + " nodes");
    }
    return nodes;
  }

  void order(const std::optional<dag::TopNode>& root) {
    const Stopwatch watch;
    dag::FrozenDag& dag = share_.whole.dag;
    merge_.order(root, dag.levels.size(), share_);
    dag.digest =
        dag::scene_digest(dag.resolution, dag.depth(), dag.materials, root ? &root->digest : nullptr);
    share_.figures.order_seconds = watch.seconds();
  }

  // Rank 0 makes the colors, in one more pass over the triangles: shares do not know the numbers of their voxels.
  void make_colors() {
    if (!input_.options.colors || ranks_.rank() != 0) return;
    device_.pool().trim();
    share_.whole.colors =
        voxelize::build_colors(device_, input_.scene, input_.indexed, input_.grid, input_.options, tables_);
  }

  void finish_counts() {
    voxelize::BuildResult& whole = share_.whole;
    for (uint64_t* count : {&whole.dag.voxels, &whole.chunks, &whole.atlas_queries, &whole.solid.open_rays,
                            &whole.solid.disputed_voxels, &whole.solid.duplicates, &share_.figures.rounds,
                            &share_.figures.nodes, &share_.figures.bytes})
      *count = sum_of(ranks_, *count);
    for (dag::DagLevel& level : whole.dag.levels) level.svo_nodes = sum_of(ranks_, level.svo_nodes);
    const BuildFigures& figures = share_.figures;
    whole.voxelize_seconds = figures.voxelize_seconds;
    whole.freeze_seconds = figures.spill_seconds + figures.merge_seconds + figures.order_seconds;
    whole.build_seconds = figures.build_seconds + whole.freeze_seconds;
    whole.peak_device_bytes = device_.pool().peak();
  }

  Device& device_;
  ranks::Ranks& ranks_;
  const SceneInput& input_;
  const BuildManner& manner_;
  const hash::TableOptions& tables_;
  SceneShare share_;
  PiecePlan plan_;
  Merge merge_;
  voxelize::TopOfCells top_;  // the states of this rank's cells; the nodes of all cells, once they are merged
  uint32_t level_ = 0;        // the level of the cells' nodes
  uint64_t fitting_ = 0;      // the pairs of the last piece that should fit
  bool has_more_ = true;      // true if there may be cells for another round
};

template <class Device>
SceneShare build_scene(Device& device, ranks::Ranks& ranks, const SceneInput& input,
                       const BuildManner& manner, const hash::TableOptions& tables) {
  // A scene that is built as one share needs no merge, and is in the order of its store.
  if (ranks.count() == 1 && !manner.spill && manner.keeper == nullptr)
    return {
        .whole = voxelize::build_scene(device, input.scene, input.indexed, input.grid, input.options, tables),
        .part = {},
        .figures = {}};
  if (ranks.count() > kMostRanks)
    throw Error("there are " + std::to_string(ranks.count()) + " ranks, but at most " +
                std::to_string(kMostRanks) + " can build a scene");
  std::optional<NoProgress> quiet;
  if (ranks.rank() != 0) quiet.emplace();  // one progress bar stands for all ranks
  if (manner.spill) return SceneBuild<Device, HostMerge<Device>>(device, ranks, input, manner, tables).run();
  return SceneBuild<Device, DeviceMerge<Device>>(device, ranks, input, manner, tables).run();
}

}  // namespace vox::build
