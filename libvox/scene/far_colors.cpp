#include "libvox/scene/far_colors.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "libvox/scene/oklab.h"

namespace vox::scene {
namespace {

constexpr double kLeastShare = 1e-4;   // a share of the area
constexpr uint32_t kMostTries = 8;     // exchanges, including those that leave more area far away
constexpr uint32_t kSpared = 3;        // means that are tried for each exchange
constexpr size_t kMostCentres = 1024;  // far colours that are tried as a group's middle: those with the
                                       // largest area

bool is_far(double squared) {
  return squared > kFarInOklab * kFarInOklab;
}

double squared_distance(Vec3d a, Vec3d b) {
  return dot(a - b, a - b);
}

double far_area(const std::vector<WeightedPoint>& areas, const std::vector<NearestMean>& nearest) {
  double sum = 0;
  for (size_t i = 0; i < areas.size(); ++i)
    if (is_far(nearest[i].squared)) sum += areas[i].weight;
  return sum;
}

struct FarGroup {
  std::vector<uint32_t> members;  // indices of points
  double area = 0;
};

// Returns the group of the points in `far` that are not far from `centre`.
FarGroup group_around(const std::vector<WeightedPoint>& areas, const std::vector<uint32_t>& far,
                      Vec3d centre) {
  FarGroup group;
  for (uint32_t i : far)
    if (!is_far(squared_distance(areas[i].at, centre))) {
      group.members.push_back(i);
      group.area += areas[i].weight;
    }
  return group;
}

// Returns the group with the largest area among the points in `far`.
FarGroup largest_group(const std::vector<WeightedPoint>& areas, const std::vector<uint32_t>& far) {
  std::vector<uint32_t> centres = far;
  std::stable_sort(centres.begin(), centres.end(),
                   [&](uint32_t a, uint32_t b) { return areas[a].weight > areas[b].weight; });
  centres.resize(std::min(centres.size(), kMostCentres));
  std::vector<FarGroup> groups(centres.size());
  tbb::parallel_for(size_t{0}, centres.size(),
                    [&](size_t i) { groups[i] = group_around(areas, far, areas[centres[i]].at); });
  auto largest = std::max_element(groups.begin(), groups.end(),
                                  [](const FarGroup& a, const FarGroup& b) { return a.area < b.area; });
  return largest == groups.end() ? FarGroup() : std::move(*largest);
}

Vec3d mean_of(const std::vector<WeightedPoint>& areas, const FarGroup& group) {
  Vec3d sum = {0, 0, 0};
  for (uint32_t i : group.members) sum = sum + areas[i].at * areas[i].weight;
  return sum * (1 / group.area);
}

// Returns the means, except the last one, that can best be spared: those without which squared distances grow
// least.
std::vector<size_t> spare_means(const std::vector<WeightedPoint>& pull, const std::vector<Vec3d>& means) {
  std::vector<double> losses(means.size());
  const std::vector<NearestMean> nearest = nearest_means(pull, means);
  for (size_t i = 0; i < pull.size(); ++i)
    losses[nearest[i].mean] += pull[i].weight * (nearest[i].next_squared - nearest[i].squared);
  std::vector<size_t> spare(means.size() - 1);
  std::iota(spare.begin(), spare.end(), size_t{0});
  std::stable_sort(spare.begin(), spare.end(), [&](size_t a, size_t b) { return losses[a] < losses[b]; });
  spare.resize(std::min<size_t>(spare.size(), kSpared));
  return spare;
}

struct Exchange {
  std::vector<Vec3d> means;
  double far_area;
};

// Returns the exchange that gives this colour a place and leaves the least area far away.
Exchange with_place(const std::vector<WeightedPoint>& areas, const std::vector<WeightedPoint>& pull,
                    std::vector<Vec3d> means, Vec3d color, uint32_t count) {
  means.push_back(color);
  auto settled = [&](const std::vector<Vec3d>& start) {
    Exchange result = {settle(pull, start), 0};
    result.far_area = far_area(areas, nearest_means(areas, result.means));
    return result;
  };
  if (means.size() <= count) return settled(means);
  std::optional<Exchange> best;
  for (size_t spared : spare_means(pull, means)) {
    std::vector<Vec3d> start = means;
    start.erase(start.begin() + static_cast<std::ptrdiff_t>(spared));
    Exchange exchange = settled(start);
    if (!best || exchange.far_area < best->far_area) best = std::move(exchange);
  }
  return *best;
}

}  // namespace

std::vector<Vec3d> with_far_colors(const std::vector<WeightedPoint>& areas,
                                   const std::vector<WeightedPoint>& pull, std::vector<Vec3d> means,
                                   uint32_t count) {
  double area = 0;
  for (const WeightedPoint& point : areas) area += point.weight;
  std::vector<bool> given_up(areas.size());
  for (uint32_t tries = 0; tries < kMostTries; ++tries) {
    const std::vector<NearestMean> nearest = nearest_means(areas, means);
    std::vector<uint32_t> far;
    for (uint32_t i = 0; i < areas.size(); ++i)
      if (is_far(nearest[i].squared) && !given_up[i]) far.push_back(i);
    const FarGroup group = largest_group(areas, far);
    if (group.area < kLeastShare * area) break;
    Exchange exchange = with_place(areas, pull, means, mean_of(areas, group), count);
    if (exchange.far_area < far_area(areas, nearest)) {
      means = std::move(exchange.means);
    } else {
      for (uint32_t i : group.members) given_up[i] = true;
    }
  }
  return means;
}

}  // namespace vox::scene
