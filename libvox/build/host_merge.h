// Merges a scene that is larger than its devices. All rounds wait on the host. Rank 0 merges their levels from the
// leaves up (merge_level.h) and brings them into canonical order from the root down (canonical_levels.h).
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "libvox/base/log_line.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/build/build_scene.h"
#include "libvox/build/canonical_levels.h"
#include "libvox/build/merge_level.h"
#include "libvox/build/piece_plan.h"
#include "libvox/dag/walk.h"
#include "libvox/voxelize/build_cells.h"

namespace vox::build {

// Collective. Brings an array of one rank to rank 0. Each rank returns the array that it holds afterwards.
template <class T>
SpilledArray<T> sent_to_first(ranks::Ranks& ranks, uint32_t from, SpilledArray<T> array,
                              const SpillPlace& place) {
  const bool is_sender = ranks.rank() == from, is_first = ranks.rank() == 0;
  const uint64_t size = ranks.gather(array.size())[from];
  ranks::Counts send(ranks.count()), receive(ranks.count());
  if (is_sender) send[0] = size * sizeof(T);
  SpilledArray<T> received;
  if (is_first) {
    receive[from] = size * sizeof(T);
    received = {place, size};
    received.append(size);
  }
  ranks.exchange(array.data(), send, received.data(), receive);
  return is_first ? std::move(received) : SpilledArray<T>();
}

template <class Device>
class HostMerge {
 public:
  HostMerge(Device& device, ranks::Ranks& ranks, const voxelize::BuildOptions& options,
            const BuildManner& manner, const hash::TableOptions&)
      : device_(device),
        ranks_(ranks),
        options_(options),
        spill_(*manner.spill),
        merger_(device, spill_.place,
                {.nodes_at_once = spill_.nodes_at_once, .least_portions = spill_.least_portions}) {}

  // True if the merge takes rounds that are on the host, false if it takes them from the device.
  static constexpr bool kWantsRounds = true;

  // The percentage of the free memory that a round's nodes may fill. A node takes 30 bytes in the store, or 17 without
  // materials, and 20 to 25 bytes more on its way to the host.
  uint32_t percent_of_round() const { return options_.materials ? 40 : 32; }

  // Collective. Called before the first round.
  void begin() {}

  void add(Round round, BuildFigures& figures) {
    if (round.roots.empty() && figures.rounds > 0) return;
    ++figures.rounds;
    for (const RoundLevel& level : round.levels) {
      figures.nodes += level.nodes();
      figures.bytes += level.words.size() * sizeof(uint32_t);
    }
    log_line(LogLevel::Debug, "round " + std::to_string(figures.rounds) + " with " +
                                  std::to_string(round.result.chunks) +
                                  " chunks: " + format_count(figures.nodes) + " nodes, " +
                                  format_bytes(figures.bytes) + " on the host so far");
    round.states = {};
    if (!round.roots.empty()) rounds_.push_back(std::move(round));
  }

  // True if the caller has to add another round. `has_more` is true if this rank may have one. Ranks have different
  // numbers of rounds.
  bool expects_more(bool has_more) const { return has_more; }

  // Collective. Merges the levels from the leaves up to that of the chunk cells. Rank 0 adds the nodes of all cells to
  // top.nodes. (DeviceMerge adds them on the rank that built them.)
  void merge_cells(uint32_t cell_level, uint32_t depth, voxelize::TopOfCells& top, Progress& progress) {
    gather_rounds(depth + 1 - cell_level);
    merged_.resize(depth + 1);
    level_ = cell_level;
    if (ranks_.rank() != 0) return;
    std::vector<NodeNumbers<Device>> below(rounds_.size());  // the numbers of the nodes of the level below
    for (size_t level = merged_.size(); level-- > cell_level;) {
      std::vector<LevelSource<Device>> sources(rounds_.size());
      for (size_t i = 0; i < rounds_.size(); ++i)
        sources[i] = {std::move(rounds_[i].levels[level - cell_level]), std::move(below[i])};
      merged_[level] = merger_.run(sources);
      for (size_t i = 0; i < rounds_.size(); ++i) below[i] = std::move(sources[i].numbers);
      progress.update(merged_.size() - level, format_count(merged_[level].nodes()) +
                                                  " unique nodes of level " + std::to_string(level));
    }
    for (size_t i = 0; i < rounds_.size(); ++i) {
      const std::vector<uint32_t> numbers = below[i].on_host(device_);
      for (const RoundRoot& root : rounds_[i].roots)
        top.nodes.push_back({.code = root.code,
                             .id = numbers[root.number],
                             .digest = root.digest,
                             .material = root.material});
    }
    rounds_.clear();
  }

  // Collective. Merges the parents of these nodes, which rank 0 has, and the fills of the same level, which consist of
  // these parts. Returns them with their ids.
  MergedAbove merge_above(const std::vector<dag::TopNode>& nodes, const std::vector<dag::TopNode>& parts) {
    if (ranks_.rank() != 0) return {};
    TopLevel above = parents_of(nodes, ChildNames::Numbers), fills = parents_of(parts, ChildNames::Numbers);
    std::vector<LevelSource<Device>> sources(2);
    sources[0] = {round_level(above), {}};
    sources[1] = {round_level(fills), {}};
    merged_[--level_] = merger_.run(sources);
    return {above.with_ids(sources[0].numbers.on_host(device_)),
            fills.with_ids(sources[1].numbers.on_host(device_))};
  }

  // Collective. Brings the nodes below the root into canonical order.
  void order(const std::optional<dag::TopNode>& root, size_t levels, SceneShare& share) {
    dag::FrozenDag& dag = share.whole.dag;
    if (root && ranks_.rank() == 0) {
      // A fill that turns out to be unused leads to further unused nodes, down to the leaves.
      const Unused unused = options_.solid ? Unused::AreLeftOut : Unused::AreABug;
      CanonicalLevels<Device>(device_, spill_.nodes_at_once, unused, place_of_result()).run(merged_, dag);
    }
    std::vector<uint64_t> nodes(levels);
    for (size_t level = 0; level < levels; ++level) nodes[level] = dag.levels[level].nodes;
    ranks_.broadcast(nodes.data(), levels * sizeof nodes[0]);
    for (size_t level = 0; level < levels; ++level) dag.levels[level].nodes = nodes[level];
  }

 private:
  static RoundLevel round_level(const TopLevel& level) {
    RoundLevel copy = {{SpillPlace(), level.words.size()}, {SpillPlace(), level.sizes.size()}};
    std::ranges::copy(level.words, copy.words.append(level.words.size()).begin());
    std::ranges::copy(level.sizes, copy.sizes.append(level.sizes.size()).begin());
    return copy;
  }

  // If scenes are spilled to a folder, a result that takes more than a 16th of the free memory stays in the folder. At
  // most this much of it is in memory when it is used.
  ResultPlace place_of_result() const {
    if (!spill_.place.folder()) return {};
    constexpr uint64_t kLeast = uint64_t{16} << 20;
    const uint64_t room = std::max(available_bytes() / 16, kLeast);
    uint64_t bytes = 0;
    for (const RoundLevel& level : merged_)
      bytes += level.words.size() * sizeof(uint32_t) +
               dag::NodePlaces::blocks_for(level.nodes()) * sizeof(dag::PlacesBlock);
    if (bytes <= room && !spill_.result_stays) return {};
    return {.place = spill_.place, .budget = std::make_shared<PagedBudget>(room)};
  }

  // Collective. Brings the rounds of all ranks to rank 0.
  void gather_rounds(size_t levels) {
    const std::vector<uint64_t> counts = ranks_.gather(rounds_.size());
    for (uint32_t from = 1; from < counts.size(); ++from)
      for (uint64_t i = 0; i < counts[from]; ++i) {
        Round sent;
        if (ranks_.rank() == from) sent = std::move(rounds_[i]);
        sent.levels.resize(levels);
        sent.roots = brought_to_first(ranks_, sent.roots);
        for (RoundLevel& level : sent.levels)
          level = {sent_to_first(ranks_, from, std::move(level.words), spill_.place),
                   sent_to_first(ranks_, from, std::move(level.sizes), spill_.place)};
        if (ranks_.rank() == 0) rounds_.push_back(std::move(sent));
      }
  }

  Device& device_;
  ranks::Ranks& ranks_;
  const voxelize::BuildOptions& options_;
  const SpillOptions& spill_;
  LevelMerger<Device> merger_;
  std::vector<Round> rounds_;
  std::vector<RoundLevel> merged_;  // the nodes of all rounds; their order means nothing
  uint32_t level_ = 0;              // the last level that was merged
};

}  // namespace vox::build
