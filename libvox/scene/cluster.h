// Weighted k-means, with the same result on every machine and for every number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/vec.h"

namespace vox::scene {

struct WeightedPoint {
  Vec3d at;
  double weight;
};

// Returns the means of at most `count` clusters, none of which is empty.
std::vector<Vec3d> cluster(const std::vector<WeightedPoint>& points, uint32_t count);

// Returns the means after Lloyd's iteration. A mean that is nearest to no point stays where it is.
std::vector<Vec3d> settle(const std::vector<WeightedPoint>& points, std::vector<Vec3d> means);

struct NearestMean {
  uint32_t mean = 0;            // ties go to the lower index
  double squared = 1e300;       // its squared distance
  double next_squared = 1e300;  // the squared distance of the second nearest; 1e300 if there is none
};

// Finds the mean that is nearest to every point. There must be at least one mean.
std::vector<NearestMean> nearest_means(const std::vector<WeightedPoint>& points,
                                       const std::vector<Vec3d>& means);

}  // namespace vox::scene
