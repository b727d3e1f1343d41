// Rounds, each in a store of its own; their levels merged from the leaves up (merge_level.h); the levels above the chunk
// cells, on the host (dag/top_nodes.h); canonical order from the root down (canonical_levels.h). Included by
// build_rounds_cpu.cpp and build_rounds_cuda.cu, which only say which device.
#pragma once

#include <optional>

#include "libvox/base/progress.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/units.h"
#include "libvox/dag/top_nodes.h"
#include "libvox/rounds/build_rounds.h"
#include "libvox/rounds/canonical_levels.h"
#include "libvox/rounds/freeze_round.h"
#include "libvox/rounds/merge_level.h"

namespace vox::rounds {

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
      voxelize::BuiltCells<Device> built = build_round(scene, indexed);
      figures.build_seconds += watch.lap();
      keep(frozen_round(device_, std::move(built), spill_.place));
      device_.pool().trim();
      figures.spill_seconds += watch.lap();
    } while (has_more_);
    const std::optional<dag::Digest> root = merge();
    device_.pool().trim();
    figures.merge_seconds = watch.lap();
    if (root) CanonicalLevels<Device>(device_, spill_.nodes_at_once).run(merged_, dag);
    dag.digest = dag::scene_digest(dag.resolution, dag.depth(), dag.materials, root ? &*root : nullptr);
    figures.order_seconds = watch.lap();
    result_.whole.freeze_seconds = figures.spill_seconds + figures.merge_seconds + figures.order_seconds;
    result_.whole.build_seconds += result_.whole.freeze_seconds;
    result_.whole.peak_device_bytes = device_.pool().peak();
    return std::move(result_);
  }

 private:
  // Small enough that what one makes is little beside the memory, and large enough to keep a device busy.
  static constexpr uint64_t kPieces = 256;

  // Builds cells until all are taken, or what has come of them fills the memory that it may have.
  voxelize::BuiltCells<Device> build_round(const scene::Scene& scene, const scene::IndexedScene& indexed) {
    has_more_ = false;
    std::optional<uint64_t>
        held;  // what takes memory besides nodes: known when the first cells are asked for
    uint64_t taken = 0;
    const auto next = [&](std::span<const uint32_t> starts) -> std::optional<voxelize::CellRun> {
      throw_if_cancelled();
      if (!held) held = device_.pool().used();
      has_more_ = taken > 0 && next_piece_ < pieces() && is_full(*held);
      if (has_more_ || next_piece_ == pieces()) return std::nullopt;
      ++taken;
      return take_piece(starts);
    };
    constexpr uint32_t kRounds =
        4;  // that a scene is expected to have, by which tables are made larger at once
    return voxelize::build_cells(device_, scene, indexed, grid_, options_, tables_,
                                 {.next = next, .builders = kRounds});
  }

  // A node takes nearly as much again while it goes to the host.
  bool is_full(uint64_t held) {
    if (spill_.pieces > 0) return true;
    const uint64_t free = device_.pool().limit() - std::min(held, device_.pool().limit());
    return device_.pool().used() > held + free / 2;
  }

  uint64_t pieces() const { return spill_.pieces > 0 ? spill_.pieces : kPieces; }

  // Pieces are of about equal numbers of (chunk cell, triangle) pairs.
  voxelize::CellRun take_piece(std::span<const uint32_t> starts) {
    const auto at = [&](uint64_t i) {
      const auto found = std::ranges::lower_bound(starts, uint64_t{starts.back()} * i / pieces());
      return static_cast<size_t>(found - starts.begin());
    };
    const uint64_t piece = next_piece_++;
    return {at(piece), at(piece + 1)};
  }

  void keep(Round round) {
    voxelize::BuildResult& whole = result_.whole;
    whole.dag.voxels += round.result.dag.voxels;
    for (size_t level = 0; level < whole.dag.levels.size(); ++level)
      whole.dag.levels[level].svo_nodes += round.result.dag.levels[level].svo_nodes;
    whole.chunks += round.result.chunks;
    whole.atlas_queries += round.result.atlas_queries;
    whole.voxelize_seconds += round.result.voxelize_seconds;
    whole.build_seconds += round.result.build_seconds;
    RoundsFigures& figures = result_.figures;
    ++figures.rounds;
    for (const RoundLevel& level : round.levels) {
      figures.nodes += level.nodes();
      figures.bytes += level.words.size() * sizeof(uint32_t);
    }
    log_line(LogLevel::Debug, "round " + std::to_string(figures.rounds) + ": " + format_count(figures.nodes) +
                                  " nodes, " + format_bytes(figures.bytes) + " on the host so far");
    rounds_.push_back(std::move(round));
  }

  // Merges all levels. Returns the root's digest, or none where nothing is filled.
  std::optional<dag::Digest> merge() {
    dag::FrozenDag& dag = result_.whole.dag;
    const uint32_t cell_level = rounds_.front().level;
    merged_.resize(dag.levels.size());
    Progress progress("merging", dag.levels.size());
    LevelMerger<Device> merger(device_, spill_.place,
                               {.nodes_at_once = spill_.nodes_at_once, .least_parts = spill_.least_parts});
    std::vector<LevelSource> below(rounds_.size());
    for (size_t level = dag.levels.size(); level-- > cell_level;) {
      std::vector<LevelSource> sources(rounds_.size());
      for (size_t i = 0; i < rounds_.size(); ++i) {
        const RoundLevel& from = rounds_[i].levels[level - cell_level];
        sources[i] = {from.words.values(), from.sizes.values(), below[i].numbers.values(), {}};
      }
      merged_[level] = merger.run(sources);
      for (Round& round : rounds_) round.levels[level - cell_level] = {};
      below = std::move(sources);
      tell(progress, level);
    }
    std::vector<dag::TopNode> nodes = cell_nodes(below);
    rounds_.clear();
    for (uint32_t level = cell_level; level > 0; --level) {
      nodes = merge_above(merger, nodes, level - 1);
      tell(progress, level - 1);
    }
    if (nodes.empty()) return std::nullopt;
    return nodes[0].digest;
  }

  void tell(Progress& progress, size_t level) {
    progress.update(merged_.size() - level,
                    format_count(merged_[level].nodes()) + " unique nodes of level " + std::to_string(level));
  }

  // The nodes of all rounds' cells, known by their merged numbers.
  std::vector<dag::TopNode> cell_nodes(const std::vector<LevelSource>& cells) {
    std::vector<dag::TopNode> nodes;
    for (size_t i = 0; i < rounds_.size(); ++i)
      for (const RoundRoot& root : rounds_[i].roots)
        nodes.push_back({.code = root.code,
                         .id = cells[i].numbers.values()[root.number],
                         .digest = root.digest,
                         .material = root.material});
    dag::sort_by_code(nodes);
    return nodes;
  }

  std::vector<dag::TopNode> merge_above(LevelMerger<Device>& merger,
                                        const std::vector<dag::TopNode>& children, uint32_t level) {
    dag::NodesAbove above = dag::nodes_above(children);
    std::vector<uint32_t> words;
    std::vector<uint8_t> sizes;
    for (size_t i = 0; i < above.nodes.size(); ++i) {
      words.push_back(above.headers[i]);
      for (uint64_t c = above.starts[i]; c < above.starts[i + 1]; ++c)
        words.push_back(static_cast<uint32_t>(children[c].id));
      sizes.push_back(static_cast<uint8_t>(1 + above.starts[i + 1] - above.starts[i]));
    }
    std::vector<LevelSource> source(1);
    source[0] = {words, sizes, {}, {}};
    merged_[level] = merger.run(source);
    for (size_t i = 0; i < above.nodes.size(); ++i) above.nodes[i].id = source[0].numbers.values()[i];
    result_.whole.dag.levels[level].svo_nodes += above.nodes.size();
    return std::move(above.nodes);
  }

  Device& device_;
  const voxelize::Grid& grid_;
  const voxelize::BuildOptions& options_;
  const hash::TableOptions& tables_;
  const SpillOptions& spill_;
  RoundsResult result_;
  std::vector<Round> rounds_;
  std::vector<RoundLevel> merged_;  // of all rounds, in no order that means something
  uint64_t next_piece_ = 0;
  bool has_more_ = false;
};

template <class Device>
RoundsResult build_in_rounds(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                             const voxelize::Grid& grid, const voxelize::BuildOptions& options,
                             const hash::TableOptions& tables, const SpillOptions& spill) {
  if (options.solid)
    throw UsageError("what is inside is known from all that stands to the left: such a scene has no rounds");
  return RoundsBuild<Device>(device, grid, options, tables, spill).run(scene, indexed);
}

}  // namespace vox::rounds
