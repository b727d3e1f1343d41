// What each of several ranks has done for a scene, for --json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libvox/measure/results.h"
#include "libvox/ranks/ranks.h"

namespace vox {

struct RankFigures {
  double voxelize = 0, build = 0, exchange = 0, order = 0;  // seconds
  double waited = 0;                                        // of these, until others had sent
  uint64_t sent = 0, received = 0;                          // bytes
  uint64_t items_kept = 0, items_given = 0;
  uint64_t peak_device_bytes = 0;
};

// Collective. Those of all ranks, in their order.
std::vector<RankFigures> gathered(const RankFigures& own, ranks::Ranks& ranks);

// Sets `ranks` where there are any.
void set_ranks(measure::ResultGroup& results, const std::vector<RankFigures>& ranks);

}  // namespace vox
