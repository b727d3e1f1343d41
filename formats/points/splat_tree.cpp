#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "formats/points/point_voxels.h"
#include "formats/points/splat_voxels.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

// The greatest deviation, in voxels. A splat of this size has one opacity in the largest grid.
constexpr double kMostDeviation = 1 << 23;
constexpr double kLeastDeviation = 0.5;

// The six different elements of a covariance matrix.
struct Covariance {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};

// If voxels are not cubes, a voxel's width along an axis is that of the ellipsoid that touches its sides.
Covariance covariance_of(const SplatShape& shape, const VoxelSize& voxel_size) {
  Covariance sum;
  for (uint32_t i = 0; i < 3; ++i) {
    const Vec3d across = shape.axes[i] * voxel_size;
    const double voxel = std::sqrt(dot(across, across));
    const double deviation = std::clamp(shape.deviations[i], kLeastDeviation * voxel, kMostDeviation * voxel);
    const Vec3d axis = shape.axes[i] * deviation / voxel_size;
    sum.xx += axis.x * axis.x;
    sum.yy += axis.y * axis.y;
    sum.zz += axis.z * axis.z;
    sum.xy += axis.x * axis.y;
    sum.xz += axis.x * axis.z;
    sum.yz += axis.y * axis.z;
  }
  return sum;
}

}  // namespace

// No deviation is much less than the least one along the axes, whatever is known about the other coordinates. So
// rounding cannot make a variance vanish.
GridSplat GridSplat::of(const CloudPoint& point, const SplatShape& shape, const voxelize::Grid& grid) {
  constexpr double kLeast = kLeastDeviation * kLeastDeviation / 16;
  const Covariance all = covariance_of(shape, grid.voxel_size);
  const double z = std::max(all.zz, kLeast), x_by_z = all.xz / z, y_by_z = all.yz / z;
  const double y = std::max(all.yy - y_by_z * all.yz, kLeast), x_by_y = (all.xy - x_by_z * all.yz) / y;
  const double x = std::max(all.xx - x_by_z * all.xz - x_by_y * x_by_y * y, kLeast);
  const auto per = [](double variance) { return static_cast<float>(1 / std::sqrt(variance)); };
  return {.center = grid.first_voxel ? point.place / grid.voxel_size - *grid.first_voxel
                                     : (point.place - grid.origin) / grid.voxel_size,
          .per_x = per(x),
          .per_y = per(y),
          .per_z = per(z),
          .x_by_y = static_cast<float>(x_by_y),
          .x_by_z = static_cast<float>(x_by_z),
          .y_by_z = static_cast<float>(y_by_z),
          .opacity = static_cast<float>(shape.opacity),
          .cut = static_cast<float>(portable_log(std::max(shape.opacity / kLeastSplatWeight, 1.0))),
          .rgb = point.rgb};
}

GridSplat::Reach GridSplat::reach(uint32_t resolution) const {
  const double x = 1 / double{per_x}, y = 1 / double{per_y}, z = 1 / double{per_z};
  const double sideways = x_by_y * y, along = x_by_z * z, across = y_by_z * z;
  const Vec3d deviations = {std::sqrt(x * x + sideways * sideways + along * along),
                            std::sqrt(y * y + across * across), z};
  const double most = resolution - 1.0, times = std::sqrt(2 * double{cut});
  Reach reach;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const double half = deviations[axis] * times;
    const double low = std::ceil(center[axis] - half - 0.5), high = std::floor(center[axis] + half - 0.5);
    if (!(low <= most && high >= 0)) return {{0, 0, 0}, {-1, -1, -1}};
    reach.first[axis] = static_cast<int32_t>(std::max(low, 0.0));
    reach.last[axis] = static_cast<int32_t>(std::min(high, most));
  }
  return reach;
}

template <class Body>
void GridSplat::for_each_part(const Vec3d& middle, double half_side, const Body& body) const {
  const Vec3d apart = middle - center;
  const double y_apart = apart.y - y_by_z * apart.z;
  const double y_extent = 1 + std::abs(double{y_by_z});
  const double x_apart = apart.x - x_by_z * apart.z - x_by_y * y_apart;
  const double x_extent = 1 + std::abs(double{x_by_y}) + std::abs(double{x_by_z} - double{x_by_y} * y_by_z);
  body(per_z * std::abs(apart.z), per_z * half_side);
  body(per_y * std::abs(y_apart), per_y * half_side * y_extent);
  body(per_x * std::abs(x_apart), per_x * half_side * x_extent);
}

double GridSplat::least_in(const Vec3d& middle, double half_side) const {
  double sum = 0;
  for_each_part(middle, half_side, [&](double apart, double half) {
    const double least = std::max(apart - half, 0.0);
    sum += least * least;
  });
  return sum / 2;
}

double GridSplat::greatest_in(const Vec3d& middle, double half_side) const {
  double sum = 0;
  for_each_part(middle, half_side,
                [&](double apart, double half) { sum += (apart + half) * (apart + half); });
  return sum / 2;
}

Vec3d SplatTree::Node::middle() const {
  const Int3 place = morton_decode(key);
  const double side = static_cast<double>(uint64_t{64} << level);
  return {(place.x + 0.5) * side, (place.y + 0.5) * side, (place.z + 0.5) * side};
}

SplatTree::SplatTree(std::vector<GridSplat> splats, uint32_t resolution, double opacity)
    : splats_(std::move(splats)), resolution_(resolution), opacity_(opacity) {
  while ((uint64_t{64} << top_) < resolution_) ++top_;
  build();
}

uint64_t SplatTree::bytes() const {
  return splats_.size() * sizeof(GridSplat) + members_.size() * sizeof(uint32_t) +
         (nodes_.size() + ends_.size()) * sizeof(uint64_t);
}

bool SplatTree::counts_in(uint32_t splat, const Node& node) const {
  return splats_[splat].least_in(node.middle(), node.half_side()) <= splats_[splat].cut;
}

// Calls body(node) for each node that the splat belongs to.
template <class Body>
void SplatTree::for_each_node(uint32_t splat, const Body& body) const {
  GridSplat::Reach reach = splats_[splat].reach(resolution_);
  if (reach.empty()) return;
  uint32_t level = 0;
  const auto halve = [&](int32_t by) {
    for (uint32_t axis = 0; axis < 3; ++axis) reach.first[axis] >>= by, reach.last[axis] >>= by;
  };
  const auto is_small = [&] {
    const Int3 apart = reach.last - reach.first;
    return std::max({apart.x, apart.y, apart.z}) <= 1;
  };
  for (halve(dag::VoxelCube::kLog2); !is_small(); ++level) halve(1);
  for (int32_t z = reach.first.z; z <= reach.last.z; ++z)
    for (int32_t y = reach.first.y; y <= reach.last.y; ++y)
      for (int32_t x = reach.first.x; x <= reach.last.x; ++x) {
        const Node node = {level, morton_encode(static_cast<uint32_t>(x), static_cast<uint32_t>(y),
                                                static_cast<uint32_t>(z))};
        if (counts_in(splat, node)) body(node);
      }
}

void SplatTree::build() {
  constexpr size_t kAtOnce = 1 << 12;
  const auto for_each = [&](const auto& body) {
    parallel_for(size_t{0}, (splats_.size() + kAtOnce - 1) / kAtOnce, [&](size_t part) {
      throw_if_cancelled();
      const size_t end = std::min(splats_.size(), (part + 1) * kAtOnce);
      for (size_t i = part * kAtOnce; i < end; ++i) {
        const auto splat = static_cast<uint32_t>(i);
        for_each_node(splat, [&](const Node& node) { body(splat, node); });
      }
    });
  };
  tbb::enumerable_thread_specific<CubeTable> parts;
  for_each([&](uint32_t, const Node& node) { ++parts.local()[node.id()]; });
  CubeTable table;
  for (const CubeTable& part : parts) part.for_each([&](uint64_t id, uint64_t count) { table[id] += count; });
  nodes_.reserve(table.size());
  table.for_each([&](uint64_t id, uint64_t) { nodes_.push_back(id); });
  std::ranges::sort(nodes_);
  uint64_t members = 0;
  std::vector<uint64_t> next;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    next.push_back(members);
    members += std::exchange(table[nodes_[i]], i);
    ends_.push_back(members);
  }
  members_.resize(members);
  for_each([&](uint32_t splat, const Node& node) {
    std::atomic_ref place(next[table.at(node.id())]);
    members_[place.fetch_add(1, std::memory_order_relaxed)] = splat;
  });
  parallel_for(size_t{0}, nodes_.size(), [&](size_t i) {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    std::sort(members_.data() + begin, members_.data() + ends_[i]);
  });
}

std::span<const uint32_t> SplatTree::splats_in(const Node& node) const {
  const auto found = std::ranges::lower_bound(nodes_, node.id());
  if (found == nodes_.end() || *found != node.id()) return {};
  const auto i = static_cast<size_t>(found - nodes_.begin());
  return std::span(members_).subspan(i == 0 ? 0 : ends_[i - 1], ends_[i] - (i == 0 ? 0 : ends_[i - 1]));
}

// Tells if splats belong to nodes inside of this one.
bool SplatTree::is_used_below(const Node& node) const {
  for (uint32_t level = 0; level < node.level; ++level) {
    const uint32_t bits = 3 * (node.level - level);
    const Node first = {level, node.key << bits}, end = {level, (node.key + 1) << bits};
    const auto found = std::ranges::lower_bound(nodes_, first.id());
    if (found != nodes_.end() && *found < end.id()) return true;
  }
  return false;
}

// Several splats together are at most as opaque as the sum of their opacities. `above` are the splats of the nodes
// around this one.
void SplatTree::find_cubes(const Node& node, const std::vector<uint32_t>& above,
                           tbb::enumerable_thread_specific<std::vector<uint64_t>>& found) const {
  constexpr double kRounding = 1e-3;
  throw_if_cancelled();
  const Vec3d middle = node.middle();
  const double half = node.half_side(), least = opacity_ - kRounding;
  std::vector<uint32_t> here;
  double sum = 0;
  const auto look_at = [&](std::span<const uint32_t> splats) {
    for (const uint32_t i : splats) {
      const GridSplat& splat = splats_[i];
      const double distance = splat.least_in(middle, half);
      if (distance > splat.cut) continue;
      here.push_back(i);
      if (sum < least) sum += splat.opacity * portable_exp(-distance);
    }
  };
  look_at(above);
  look_at(splats_in(node));
  const bool may_fill = !here.empty() && sum >= least;
  if (node.level == 0) {
    if (may_fill) found.local().push_back(node.key);
    return;
  }
  if (!may_fill && !is_used_below(node)) return;
  parallel_for(uint64_t{0}, uint64_t{8}, [&](uint64_t octant) {
    const Node child = {node.level - 1, node.key << 3 | octant};
    const Int3 place = morton_decode(child.key);
    const uint64_t corner = static_cast<uint64_t>(std::max({place.x, place.y, place.z})) * 64 << child.level;
    if (corner < resolution_) find_cubes(child, here, found);
  });
}

std::vector<uint64_t> SplatTree::cubes() const {
  tbb::enumerable_thread_specific<std::vector<uint64_t>> found;
  find_cubes({top_, 0}, {}, found);
  std::vector<uint64_t> all;
  for (const std::vector<uint64_t>& part : found) all.insert(all.end(), part.begin(), part.end());
  std::ranges::sort(all);
  return all;
}

std::vector<uint32_t> SplatTree::splats_of(uint64_t cube) const {
  std::vector<uint32_t> all;
  for (uint32_t level = 0; level <= top_; ++level)
    for (const uint32_t splat : splats_in({level, cube >> 3 * level}))
      if (level == 0 || counts_in(splat, {0, cube})) all.push_back(splat);
  std::ranges::sort(all);
  return all;
}

}  // namespace vox
