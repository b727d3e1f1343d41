// Decides which chunk cells a rank builds. The cells are divided into pieces, and each rank that is free
// takes the next one. Pieces that a keeper has from an earlier build are dealt out to the ranks, and not
// built again.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/dag/parts.h"
#include "libvox/ranks/build_share.h"
#include "libvox/ranks/ranks.h"
#include "libvox/voxelize/build_cells.h"

namespace vox::ranks {

class PiecePlan {
 public:
  // Without a keeper nothing is kept. The ranks and the keeper must outlive the plan.
  PiecePlan(Ranks& ranks, RoundKeeper* keeper) : ranks_(ranks), keeper_(keeper) {}

  // Collective.
  void begin();

  // True if an earlier build has kept something.
  bool goes_on() const { return goes_on_; }

  // The kept rounds that this rank loads; each rank has a share of them.
  bool has_kept() const { return next_kept_ < kept_.size(); }
  rounds::Round load_next(const rounds::RoundForm& form);

  // True if there were pieces to build in the beginning.
  bool has_open() const { return !open_.empty(); }

  // A round consists of the pieces that a rank takes between two calls of this function.
  void start_round();
  // Returns the next piece that no rank has taken, if there is one: a run of cells with about as many (chunk
  // cell, triangle) pairs as each other piece.
  std::optional<voxelize::Piece> next(std::span<const uint32_t> pair_starts);
  uint64_t taken() const { return taken_.size(); }  // the number of pieces of this round

  bool is_time_to_keep() const { return keeper_ != nullptr && watch_.seconds() >= keeper_->seconds(); }
  bool keeps_round() const { return keeper_ != nullptr && !taken_.empty(); }
  void keep(const rounds::Round& round);

 private:
  Ranks& ranks_;
  RoundKeeper* keeper_;
  uint32_t pieces_ = 0;
  bool goes_on_ = false;
  std::vector<Pieces> kept_;  // the rounds that this rank loads
  size_t next_kept_ = 0;
  Pieces open_, taken_;  // pieces that all ranks have to build; those of this rank's round
  Stopwatch watch_;
};

// The levels above the forests of all ranks. Rank 0 builds them on the host (dag/parts.h), with words in
// the form in which owners keep them.

using dag::sort_by_code;
using dag::TopNode;

struct TopLevel {
  std::vector<TopNode> nodes;            // in Morton order; their ids are still 0
  std::vector<uint32_t> words, offsets;  // in the form of shared_store.h
};

// Returns the level above these nodes, which must be in Morton order.
TopLevel parents_of(const std::vector<TopNode>& children);

// Brings data that ranks have on their hosts to rank 0.

// Collective. Returns the items of all ranks, those of rank 0 first, on rank 0, and nothing on the other
// ranks. `Items` is a vector or has a vector's functions.
template <class Items>
Items brought_to_first(Ranks& ranks, const Items& items) {
  using Item = std::remove_cvref_t<decltype(*items.data())>;
  static_assert(std::is_trivially_copyable_v<Item>);
  const std::vector<uint64_t> counts = ranks.gather(items.size());
  std::vector<uint64_t> send(ranks.count()), receive(ranks.count());
  send[0] = items.size() * sizeof(Item);
  Items all;
  if (ranks.rank() == 0) {
    all.resize(std::reduce(counts.begin(), counts.end()));
    for (size_t rank = 0; rank < counts.size(); ++rank) receive[rank] = counts[rank] * sizeof(Item);
  }
  ranks.exchange(items.data(), send, all.data(), receive);
  return all;
}

}  // namespace vox::ranks
