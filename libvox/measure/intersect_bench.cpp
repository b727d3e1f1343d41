#include "libvox/measure/intersect_bench.h"

#include <fmt/format.h>

#include <numeric>

#include "libvox/base/error.h"
#include "libvox/measure/axes.h"
#include "libvox/voxelize/voxel_pairs.h"

namespace vox::measure {

static_assert(IntersectOptions::kMostResolution <= voxelize::kMostVoxelPairsResolution);

void check(const IntersectOptions& options) {
  check_names(options.tables, hash::key_table_names(), "the list of hash tables");
  check_axis({options.resolution}, "the resolution", IntersectOptions::kLeastResolution,
             IntersectOptions::kMostResolution);
  if (options.frames < 1 || options.frames > IntersectOptions::kMostFrames)
    throw UsageError(fmt::format("the number of frames is {}, expected 1 to {}", options.frames,
                                 IntersectOptions::kMostFrames));
}

double IntersectRow::total_seconds() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

std::optional<double> IntersectSummary::frames_per_second() const {
  if (!frame || frame->median <= 0) return std::nullopt;
  return 1 / frame->median;
}

}  // namespace vox::measure
