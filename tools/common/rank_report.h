// The work of each of several ranks for a scene, for --json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libvox/measure/results.h"
#include "libvox/ranks/build_share.h"
#include "libvox/ranks/ranks.h"

namespace vox {

struct RankFigures {
  ranks::ShareFigures share;
  uint64_t peak_device_bytes = 0;
  ranks::Traffic traffic = {};
};

// A collective call. Returns the work of all ranks, in their order.
std::vector<RankFigures> gathered(const RankFigures& own, ranks::Ranks& ranks);

// Sets `ranks` if there are any.
void set_ranks(measure::ResultGroup& results, const std::vector<RankFigures>& ranks);

}  // namespace vox
