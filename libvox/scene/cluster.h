// Weighted k-means, the same on every machine and for every number of threads.
#pragma once

#include <vector>

#include "libvox/base/vec.h"

namespace vox {

struct WeightedPoint {
  Vec3d at;
  double weight;
};

// At most `count` clusters as (mean, weight); none is empty.
std::vector<WeightedPoint> cluster(const std::vector<WeightedPoint>& points, uint32_t count);

}  // namespace vox
