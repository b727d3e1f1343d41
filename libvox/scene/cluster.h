// Weighted k-means, the same on every machine and for every number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/vec.h"

namespace vox::scene {

struct WeightedPoint {
  Vec3d at;
  double weight;
};

// The means of at most `count` clusters; none is empty.
std::vector<Vec3d> cluster(const std::vector<WeightedPoint>& points, uint32_t count);

// Returns where Lloyd's iteration moves the means. A mean that is nearest to no point stays where it is.
std::vector<Vec3d> settle(const std::vector<WeightedPoint>& points, std::vector<Vec3d> means);

struct NearestMean {
  uint32_t mean = 0;            // ties go to the lower one
  double squared = 1e300;       // its distance
  double next_squared = 1e300;  // that of the second nearest; 1e300 where there is none
};

// Finds the mean nearest to every point. There is at least one mean.
std::vector<NearestMean> nearest_means(const std::vector<WeightedPoint>& points,
                                       const std::vector<Vec3d>& means);

}  // namespace vox::scene
