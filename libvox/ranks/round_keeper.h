// Keeps the rounds that ranks have built, so that a build that is stopped early can be resumed. The
// implementation decides where rounds are kept, and makes sure that they belong to the same scene.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/rounds/check_round.h"

namespace vox::ranks {

// The numbers of pieces, which are runs of chunk cells, in ascending order.
using Pieces = std::vector<uint32_t>;

// The parts of a build that a keeper has.
struct KeptBuild {
  uint32_t pieces = 0;         // into how many its chunk cells are divided
  std::vector<Pieces> rounds;  // the pieces of each kept round; none is in two rounds
};

class RoundKeeper {
 public:
  virtual ~RoundKeeper() = default;

  // Is called once, on rank 0, before any other function. A new build is divided into `pieces` pieces.
  virtual KeptBuild begin(uint32_t pieces) = 0;

  // Returns the round with these pieces, which must be one of begin()'s. A round of another form is an error.
  // Ranks that are threads call load() and keep() concurrently.
  virtual rounds::Round load(const Pieces& pieces, const rounds::RoundForm& form) = 0;

  // Keeps a round of these pieces, which are in no other round. The round is stored completely when this
  // returns.
  virtual void keep(const rounds::Round& round, const Pieces& pieces) = 0;

  // Returns how long a rank builds, at most, before it keeps its round.
  virtual double seconds() const = 0;
};

}  // namespace vox::ranks
