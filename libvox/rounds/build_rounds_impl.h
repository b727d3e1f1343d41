// The implementation of build_rounds.h for any device. Each round is built in a store of its own. The levels
// of all rounds are merged from the leaves up (merge_level.h), the levels above the chunk cells are made on
// the host (dag/parts.h), and all levels are brought into canonical order from the root down
// (canonical_levels.h). on_cpu.cpp and on_cuda.cu include this file and only name the
// device.
#pragma once

#include <optional>

#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/parts.h"
#include "libvox/rounds/build_rounds.h"
#include "libvox/rounds/canonical_levels.h"
#include "libvox/rounds/freeze_round.h"
#include "libvox/rounds/merge_level.h"
#include "libvox/voxelize/build_cells.h"

namespace vox::rounds {

// The level above a list of nodes, each of which is identified by its number in its merged level.
class LevelAbove {
 public:
  explicit LevelAbove(const std::vector<dag::TopNode>& children) {
    dag::NodesAbove above = dag::nodes_above(children);
    for (size_t i = 0; i < above.nodes.size(); ++i) {
      words_.push_back(above.headers[i]);
      for (uint64_t c = above.starts[i]; c < above.starts[i + 1]; ++c)
        words_.push_back(static_cast<uint32_t>(children[c].id));
      sizes_.push_back(static_cast<uint8_t>(1 + above.starts[i + 1] - above.starts[i]));
    }
    nodes_ = std::move(above.nodes);
  }

  // A view of this object's words and sizes.
  LevelSource source() const { return {words_, sizes_, {}}; }

  std::vector<dag::TopNode> numbered(std::span<const uint32_t> numbers) {
    for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i].id = numbers[i];
    return std::move(nodes_);
  }

 private:
  std::vector<dag::TopNode> nodes_;
  std::vector<uint32_t> words_;
  std::vector<uint8_t> sizes_;
};

template <class Device>
class RoundsBuild {
 public:
  RoundsBuild(Device& device, const voxelize::Grid& grid, const voxelize::BuildOptions& options,
              const hash::TableOptions& tables, const SpillOptions& spill)
      : device_(device), grid_(grid), options_(options), tables_(tables), spill_(spill) {}

  RoundsResult run(const scene::Scene& scene, const scene::IndexedScene& indexed) {
    dag::FrozenDag& dag = result_.whole.dag;
    dag = dag::empty_dag(grid_.resolution, options_.materials);
    RoundsFigures& figures = result_.figures;
    Stopwatch watch;
    do {
      {
        voxelize::BuiltCells<Device> built = build_round(scene, indexed);
        figures.build_seconds += watch.lap();
        log_line(LogLevel::Debug, "nodes take " + format_bytes(device_.pool().used()) + " of " +
                                      format_bytes(device_.pool().limit()) + " on " + device_.name());
        if (options_.solid) result_.whole.solid += top_.take_common(built);
        keep(frozen_round(device_, built, spill_.place));
      }
      device_.pool().trim();
      figures.spill_seconds += watch.lap();
    } while (has_more_);
    const std::optional<dag::Digest> root = merge();
    device_.pool().trim();
    figures.merge_seconds = watch.lap();
    // A fill that turns out to be unused leads to further unused nodes, down to the leaves.
    const Unused unused = options_.solid ? Unused::AreLeftOut : Unused::AreABug;
    if (root) CanonicalLevels<Device>(device_, spill_.nodes_at_once, unused).run(merged_, dag);
    dag.digest = dag::scene_digest(dag.resolution, dag.depth(), dag.materials, root ? &*root : nullptr);
    figures.order_seconds = watch.lap();
    result_.whole.freeze_seconds = figures.spill_seconds + figures.merge_seconds + figures.order_seconds;
    result_.whole.build_seconds += result_.whole.freeze_seconds;
    result_.whole.peak_device_bytes = device_.pool().peak();
    return std::move(result_);
  }

 private:
  // Builds cells until none are left, or until the nodes fill the memory that a round may use.
  voxelize::BuiltCells<Device> build_round(const scene::Scene& scene, const scene::IndexedScene& indexed) {
    has_more_ = false;
    // Memory that is not used by nodes. It is known when the first cells are asked for.
    std::optional<uint64_t> held;
    const auto next = [&](std::span<const uint32_t> starts) -> std::optional<voxelize::Piece> {
      throw_if_cancelled();
      const bool is_first = !held;
      if (is_first) held = device_.pool().used();
      if (next_cell_ + 1 >= starts.size()) return std::nullopt;
      if (is_first) round_start_ = starts[next_cell_];
      has_more_ = !is_first && is_full(*held);
      if (has_more_) return std::nullopt;
      return spill_.pieces > 0 ? equal_piece(starts) : fitting_piece(starts, *held);
    };
    // The number of rounds that a scene is expected to take, for which tables are made larger from the start.
    constexpr uint32_t kRounds = 4;
    return voxelize::build_cells(device_, scene, indexed, grid_, options_, tables_,
                                 {.next = next, .builders = kRounds});
  }

  // While nodes go to the host they take 20 to 25 bytes more each, besides the 30 of a store, or 17 without
  // materials.
  bool is_full(uint64_t held) const {
    if (spill_.pieces > 0) return true;
    return device_.pool().used() > held + free_besides(held) / 100 * (options_.materials ? 40 : 32);
  }
  uint64_t free_besides(uint64_t held) const {
    return device_.pool().limit() - std::min(held, device_.pool().limit());
  }

  // Returns the next of spill_.pieces pieces with about equal numbers of (chunk cell, triangle) pairs.
  voxelize::Piece equal_piece(std::span<const uint32_t> starts) {
    return piece_until(starts, uint64_t{starts.back()} * ++pieces_ / spill_.pieces);
  }

  // Returns a piece whose nodes should take little of the memory, but enough to keep a device busy. The
  // memory that this round's pairs have taken so far says how many pairs the piece may have. The last piece
  // alone would not, because tables grow in steps.
  voxelize::Piece fitting_piece(std::span<const uint32_t> starts, uint64_t held) {
    constexpr uint64_t kFirstPieces = 1024, kPiecesOfMemory = 32;
    const uint64_t used = device_.pool().used(), grown = used - std::min(held, used);
    const uint64_t built = starts[next_cell_] - round_start_;
    if (pairs_ == 0) {
      pairs_ = starts.back() / kFirstPieces + 1;
    } else if (built > 0) {
      const double each = static_cast<double>(grown) / static_cast<double>(built);
      const double room = static_cast<double>(free_besides(held)) / kPiecesOfMemory;
      const double fits = room / std::max(each, 0.01);
      pairs_ = static_cast<uint64_t>(std::clamp(fits, 1.0, 2.0 * static_cast<double>(pairs_)));
    }
    return piece_until(starts, starts[next_cell_] + pairs_);
  }

  // Returns a piece of at least one cell.
  voxelize::Piece piece_until(std::span<const uint32_t> starts, uint64_t pair) {
    const size_t begin = next_cell_;
    const auto found = std::ranges::lower_bound(starts, std::min<uint64_t>(pair, starts.back()));
    next_cell_ = std::max(begin + 1, static_cast<size_t>(found - starts.begin()));
    return {begin, next_cell_};
  }

  void keep(Round round) {
    voxelize::BuildResult& whole = result_.whole;
    voxelize::add_counts(whole, round.result);
    top_.states.insert(top_.states.end(), round.states.begin(), round.states.end());
    round.states = {};
    whole.voxelize_seconds += round.result.voxelize_seconds;
    whole.build_seconds += round.result.build_seconds;
    RoundsFigures& figures = result_.figures;
    ++figures.rounds;
    for (const RoundLevel& level : round.levels) {
      figures.nodes += level.nodes();
      figures.bytes += level.words.size() * sizeof(uint32_t);
    }
    log_line(LogLevel::Debug, "round " + std::to_string(figures.rounds) + " with " +
                                  std::to_string(round.result.chunks) +
                                  " chunks: " + format_count(figures.nodes) + " nodes, " +
                                  format_bytes(figures.bytes) + " on the host so far");
    rounds_.push_back(std::move(round));
  }

  // Merges all levels. Returns the root's digest, or nothing if the scene is empty.
  std::optional<dag::Digest> merge() {
    dag::FrozenDag& dag = result_.whole.dag;
    const uint32_t cell_level = rounds_.front().level;
    merged_.resize(dag.levels.size());
    Progress progress("merging", dag.levels.size());
    LevelMerger<Device> merger(
        device_, spill_.place,
        {.nodes_at_once = spill_.nodes_at_once, .least_portions = spill_.least_portions});
    std::vector<LevelSource> below(rounds_.size());
    for (size_t level = dag.levels.size(); level-- > cell_level;) {
      std::vector<LevelSource> sources(rounds_.size());
      for (size_t i = 0; i < rounds_.size(); ++i) {
        RoundLevel& from = rounds_[i].levels[level - cell_level];
        sources[i] = {from.words.values(), from.sizes.values(), below[i].numbers.values(), &from};
      }
      merged_[level] = merger.run(sources);
      below = std::move(sources);
      tell(progress, level);
    }
    take_cell_nodes(below);
    rounds_.clear();
    const std::vector<dag::TopNode> root = merge_top(merger, cell_level, progress);
    if (root.empty()) return std::nullopt;
    return root[0].digest;
  }

  // Merges the levels above the chunk cells' level. Returns the root's node, or none.
  std::vector<dag::TopNode> merge_top(LevelMerger<Device>& merger, uint32_t cell_level, Progress& progress) {
    dag::FrozenDag& dag = result_.whole.dag;
    std::vector<dag::TopNode> nodes = std::move(top_.nodes);
    dag::sort_by_code(nodes);
    voxelize::TopFills fills(std::move(top_), dag.depth() - cell_level, dag.resolution);
    for (uint32_t level = cell_level; level > 0; --level) {
      const uint32_t height = dag.depth() - level;
      std::vector<dag::TopNode> parts;  // parts of the next level's fills
      if (options_.solid) {
        fills.add_to(nodes, height, dag);
        parts = fills.parts_above(height);
      }
      LevelAbove above(nodes), fills_above(parts);
      std::vector<LevelSource> sources(2);
      sources[0] = above.source();
      sources[1] = fills_above.source();
      merged_[level - 1] = merger.run(sources);
      nodes = above.numbered(sources[0].numbers.values());
      fills.go_up(fills_above.numbered(sources[1].numbers.values()));
      dag.levels[level - 1].svo_nodes += nodes.size();
      tell(progress, level - 1);
    }
    return nodes;
  }

  void tell(Progress& progress, size_t level) {
    progress.update(merged_.size() - level,
                    format_count(merged_[level].nodes()) + " unique nodes of level " + std::to_string(level));
  }

  // Hands the nodes of all rounds' cells, under their merged numbers, to the levels above.
  void take_cell_nodes(const std::vector<LevelSource>& cells) {
    for (size_t i = 0; i < rounds_.size(); ++i)
      for (const RoundRoot& root : rounds_[i].roots)
        top_.add({.code = root.code,
                  .id = cells[i].numbers.values()[root.number],
                  .digest = root.digest,
                  .material = root.material});
  }

  Device& device_;
  const voxelize::Grid& grid_;
  const voxelize::BuildOptions& options_;
  const hash::TableOptions& tables_;
  const SpillOptions& spill_;
  RoundsResult result_;
  std::vector<Round> rounds_;
  voxelize::TopOfCells top_;        // the cells' nodes of all rounds
  std::vector<RoundLevel> merged_;  // the nodes of all rounds; their order means nothing
  size_t next_cell_ = 0;
  uint64_t pieces_ = 0;                   // number of equal pieces so far
  uint64_t pairs_ = 0, round_start_ = 0;  // pairs of the last fitting piece; the round's first pair
  bool has_more_ = false;
};

template <class Device>
RoundsResult build_in_rounds(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                             const voxelize::Grid& grid, const voxelize::BuildOptions& options,
                             const hash::TableOptions& tables, const SpillOptions& spill) {
  return RoundsBuild<Device>(device, grid, options, tables, spill).run(scene, indexed);
}

}  // namespace vox::rounds
