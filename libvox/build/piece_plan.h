// Decides which chunk cells a rank builds. The cells are divided into pieces with about equal numbers of pairs, and
// each rank that is free takes the next ones. Pieces that a keeper has from an earlier build are dealt out to the
// ranks, and not built again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/build/build_scene.h"
#include "libvox/ranks/ranks.h"
#include "libvox/voxelize/build_cells.h"

namespace vox::build {

class PiecePlan {
 public:
  // The ranks, and the manner's keeper, must outlive the plan.
  PiecePlan(ranks::Ranks& ranks, const BuildManner& manner);

  // Collective.
  void begin();

  // True if an earlier build has kept something.
  bool goes_on() const { return goes_on_; }

  // The kept rounds that this rank loads; each rank has a share of them.
  bool has_kept() const { return next_kept_ < kept_.size(); }
  Round load_next(const RoundForm& form);

  // True if there were pieces to build in the beginning.
  bool has_open() const { return !open_.empty(); }

  // A round consists of the pieces that next() returns between two calls of this function.
  void start_round();
  // Returns the next pieces that no rank has taken, if there are any: a run of cells with about `pairs` (chunk cell,
  // triangle) pairs at most. It has at least one piece, and leaves enough pieces to the other ranks.
  std::optional<voxelize::Piece> next(std::span<const uint32_t> pair_starts, uint64_t pairs);
  uint64_t taken() const { return taken_.size(); }  // the number of pieces of this round
  // True if the last call of next() has shown that no pieces are left.
  bool is_taken() const { return own_.empty() && all_taken_; }

  bool is_time_to_keep() const { return keeper_ != nullptr && watch_.seconds() >= keeper_->seconds(); }
  bool keeps_round() const { return keeper_ != nullptr && !taken_.empty(); }
  void keep(const Round& round);

 private:
  void take(uint64_t count);

  ranks::Ranks& ranks_;
  RoundKeeper* keeper_;
  uint32_t pieces_ = 0;    // the number of pieces into which the cells are divided
  uint32_t portions_ = 0;  // next() returns at most 1 / portions_ of all pieces
  bool goes_on_ = false, all_taken_ = false;
  std::vector<Pieces> kept_;  // the rounds that this rank loads
  size_t next_kept_ = 0;
  Pieces open_, own_, taken_;  // pieces that all ranks have to build; those of this rank; those of its round
  Stopwatch watch_;
};

// The levels above the chunk cells, as rank 0 makes them on the host (dag/walk.h).
struct MergedAbove {
  std::vector<dag::TopNode> nodes, fills;  // with their ids
};

// The way in which a node's words name its children: by numbers in the next level, or by owners (shared_store.h).
enum class ChildNames { Numbers, Owners };

struct TopLevel {
  std::vector<dag::TopNode> nodes;  // in Morton order; their ids are still 0
  std::vector<uint32_t> words;
  std::vector<uint8_t> sizes;

  // Returns the nodes with these ids.
  template <class Ids>
  std::vector<dag::TopNode> with_ids(const Ids& ids) {
    for (size_t i = 0; i < nodes.size(); ++i) nodes[i].id = ids[i];
    return std::move(nodes);
  }
};

// Returns the level above these nodes, which must be in Morton order.
TopLevel parents_of(const std::vector<dag::TopNode>& children, ChildNames names);

}  // namespace vox::build
