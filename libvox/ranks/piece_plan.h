// Decides which chunk cells a rank builds. The cells are divided into pieces, and each rank that is free
// takes the next one. Pieces that a keeper has from an earlier build are dealt out to the ranks, and not
// built again.
#pragma once

#include <optional>
#include <span>

#include "libvox/base/stopwatch.h"
#include "libvox/ranks/ranks.h"
#include "libvox/ranks/round_keeper.h"
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

}  // namespace vox::ranks
