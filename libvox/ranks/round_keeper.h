// Keeps what ranks have built, round by round, so that a build which is ended before its end can go on from there. Where
// rounds are kept, and what makes sure that they are of the same scene, is the affair of who implements this.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/rounds/check_round.h"

namespace vox::ranks {

// Runs of chunk cells, by their numbers, in ascending order.
using Pieces = std::vector<uint32_t>;

// What is there of a build.
struct KeptBuild {
  uint32_t pieces = 0;         // into how many its chunk cells are divided
  std::vector<Pieces> rounds;  // those of each round that is kept; none is in two
};

class RoundKeeper {
 public:
  virtual ~RoundKeeper() = default;

  // Called once, on rank 0, before any other call. A build that begins anew is divided into so many pieces.
  virtual KeptBuild begin(uint32_t pieces) = 0;

  // The round with these pieces, which is one of begin(). One that has not this form is an error. Ranks that are threads
  // call this and keep() at the same time.
  virtual rounds::Round load(const Pieces& pieces, const rounds::RoundForm& form) = 0;

  // Keeps a round of these pieces, which are in no other; it is whole when this returns.
  virtual void keep(const rounds::Round& round, const Pieces& pieces) = 0;

  // For how long a rank builds at most before it keeps what it has.
  virtual double seconds() const = 0;
};

}  // namespace vox::ranks
