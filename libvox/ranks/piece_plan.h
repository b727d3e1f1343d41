// Which chunk cells a rank builds: they are divided into pieces, and whoever is free takes the next. What a keeper has of
// an earlier build is dealt out, and not built again.
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
  // Without a keeper nothing is kept. Both outlive this.
  PiecePlan(Ranks& ranks, RoundKeeper* keeper) : ranks_(ranks), keeper_(keeper) {}

  // Collective.
  void begin();

  // Whether an earlier build has kept something.
  bool goes_on() const { return goes_on_; }

  // Rounds that are kept, of which each rank has its share.
  bool has_kept() const { return next_kept_ < kept_.size(); }
  rounds::Round load_next(const rounds::RoundForm& form);

  // Whether there were pieces to build in the beginning.
  bool has_open() const { return !open_.empty(); }

  // A round is what a rank takes between two calls of this.
  void start_round();
  // The next piece that nobody has taken, if there is one: a run of about as many (chunk cell, triangle) pairs as the
  // others have.
  std::optional<voxelize::Piece> next(std::span<const uint32_t> pair_starts);
  uint64_t taken() const { return taken_.size(); }  // in this round

  bool is_time_to_keep() const { return keeper_ != nullptr && watch_.seconds() >= keeper_->seconds(); }
  bool keeps_round() const { return keeper_ != nullptr && !taken_.empty(); }
  void keep(const rounds::Round& round);

 private:
  Ranks& ranks_;
  RoundKeeper* keeper_;
  uint32_t pieces_ = 0;
  bool goes_on_ = false;
  std::vector<Pieces> kept_;  // rounds of this rank
  size_t next_kept_ = 0;
  Pieces open_, taken_;  // of all ranks those that are to be built; of this one those of this round
  Stopwatch watch_;
};

}  // namespace vox::ranks
