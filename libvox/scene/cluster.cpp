#include "libvox/scene/cluster.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace vox::scene {
namespace {

constexpr size_t kBlock = 1024;      // points that are added up one after the other
constexpr uint32_t kMaxRounds = 32;  // later rounds of Lloyd's iteration move means by less than a code

struct Moments {
  double weight = 0;
  Vec3d sum = {0, 0, 0}, squares = {0, 0, 0};

  void add(const WeightedPoint& p) {
    weight += p.weight;
    sum = sum + p.at * p.weight;
    squares = squares + Vec3d{p.at.x * p.at.x, p.at.y * p.at.y, p.at.z * p.at.z} * p.weight;
  }
  void add(const Moments& other) {
    weight += other.weight;
    sum = sum + other.sum;
    squares = squares + other.squares;
  }
  Vec3d mean() const { return sum * (1 / weight); }
  std::array<double, 3> errors() const {  // weighted squared distances from the mean, per axis
    Vec3d m = mean();
    return {squares.x - m.x * sum.x, squares.y - m.y * sum.y, squares.z - m.z * sum.z};
  }
};

double along(Vec3d v, size_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Splits the group whose points stray most from its mean, at the mean, across the axis along which they stray
// most, until there are `count` groups (variance-based colour quantisation: Wan, Prusinkiewicz & Wong 1990).
std::vector<Vec3d> first_means(const std::vector<WeightedPoint>& points, uint32_t count) {
  struct Group {
    std::vector<uint32_t> members;
    Moments moments;
  };
  auto worst_axis = [](const Group& group) {
    auto errors = group.moments.errors();
    return static_cast<size_t>(std::max_element(errors.begin(), errors.end()) - errors.begin());
  };
  auto badness = [&](const Group& group) {
    return group.members.size() < 2 ? 0 : group.moments.errors()[worst_axis(group)];
  };
  std::vector<Group> groups(1);
  for (uint32_t i = 0; i < points.size(); ++i) {
    groups[0].members.push_back(i);
    groups[0].moments.add(points[i]);
  }
  while (groups.size() < count) {
    auto worst = std::max_element(groups.begin(), groups.end(),
                                  [&](const Group& a, const Group& b) { return badness(a) < badness(b); });
    size_t axis = worst_axis(*worst);
    double middle = along(worst->moments.mean(), axis);
    std::array<Group, 2> halves;
    for (uint32_t i : worst->members) {
      Group& half = halves[along(points[i].at, axis) > middle];
      half.members.push_back(i);
      half.moments.add(points[i]);
    }
    if (halves[0].members.empty() || halves[1].members.empty())
      break;  // the points are equal except for
              // rounding
    *worst = std::move(halves[0]);
    groups.push_back(std::move(halves[1]));
  }
  std::vector<Vec3d> means;
  for (const Group& group : groups) means.push_back(group.moments.mean());
  return means;
}

NearestMean nearest(const std::vector<Vec3d>& means, Vec3d at) {
  NearestMean best;
  for (uint32_t i = 0; i < means.size(); ++i) {
    Vec3d apart = at - means[i];
    double distance = dot(apart, apart);
    if (distance < best.squared) {
      best = {i, distance, best.squared};
    } else if (distance < best.next_squared) {
      best.next_squared = distance;
    }
  }
  return best;
}

// Calls f(block, i) for each of n points, in blocks of fixed size.
template <class F>
void for_each_in_blocks(size_t n, const F& f) {
  tbb::parallel_for(size_t{0}, (n + kBlock - 1) / kBlock, [&](size_t block) {
    for (size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) f(block, i);
  });
}

// Returns the moments of the points nearest to each mean. Blocks of fixed size are added in order.
std::vector<Moments> assign(const std::vector<WeightedPoint>& points, const std::vector<Vec3d>& means) {
  size_t blocks = (points.size() + kBlock - 1) / kBlock;
  std::vector<std::vector<Moments>> parts(blocks, std::vector<Moments>(means.size()));
  for_each_in_blocks(points.size(), [&](size_t block, size_t i) {
    parts[block][nearest(means, points[i].at).mean].add(points[i]);
  });
  std::vector<Moments> sums(means.size());
  for (const auto& part : parts)
    for (size_t i = 0; i < sums.size(); ++i) sums[i].add(part[i]);
  return sums;
}

}  // namespace

std::vector<Vec3d> cluster(const std::vector<WeightedPoint>& points, uint32_t count) {
  if (points.empty()) return {};
  std::vector<Vec3d> means = settle(points, first_means(points, count));
  std::vector<Vec3d> result;
  const std::vector<Moments> clusters = assign(points, means);
  for (size_t i = 0; i < means.size(); ++i)
    if (clusters[i].weight > 0) result.push_back(means[i]);
  return result;
}

std::vector<Vec3d> settle(const std::vector<WeightedPoint>& points, std::vector<Vec3d> means) {
  for (uint32_t round = 0; round < kMaxRounds; ++round) {
    std::vector<Moments> clusters = assign(points, means);
    std::vector<Vec3d> before = means;
    for (size_t i = 0; i < means.size(); ++i)
      if (clusters[i].weight > 0) means[i] = clusters[i].mean();
    if (means == before) break;
  }
  return means;
}

std::vector<NearestMean> nearest_means(const std::vector<WeightedPoint>& points,
                                       const std::vector<Vec3d>& means) {
  std::vector<NearestMean> result(points.size());
  for_each_in_blocks(points.size(), [&](size_t, size_t i) { result[i] = nearest(means, points[i].at); });
  return result;
}

}  // namespace vox::scene
