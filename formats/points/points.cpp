#include "formats/points/points.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/file_types.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

PointCloud open_cloud(const std::filesystem::path& path, const PointOptions& options) {
  const FileType* type = file_type(path, FileRole::Points);
  if (type == nullptr) throw Error("is not a point cloud, but the first file is").at(path.string());
  try {
    switch (type->format) {
      case FileFormat::Las:
        return open_las(path);
      case FileFormat::Ply:
        return open_ply_points(path, options);
      case FileFormat::Splat:
        return open_splat(path, options);
      case FileFormat::Spz:
        return open_spz(path, options);
      default:
        return open_point_text(path);
    }
  } catch (const Cancelled&) {
    throw;
  } catch (Error& error) {
    if (!error.has_place()) error.at(path.string());
    throw;
  }
}

}  // namespace

PointCloud open_points(std::span<const std::filesystem::path> paths, const PointOptions& options) {
  std::vector<PointCloud> clouds;
  for (const std::filesystem::path& path : paths) {
    PointCloud cloud = open_cloud(path, options);
    const dag::UpAxis up = options.up.value_or(cloud.up);
    clouds.push_back(turned_up(std::move(cloud), up));
  }
  return joined(std::move(clouds));
}

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr CloudSurvey kNothingFound = {.box = {.min = {kFar, kFar, kFar}, .max = {-kFar, -kFar, -kFar}}};

Vec3d lower(const Vec3d& a, const Vec3d& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3d upper(const Vec3d& a, const Vec3d& b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

CloudSurvey sum_of(const CloudSurvey& a, const CloudSurvey& b) {
  return {.box = {.min = lower(a.box.min, b.box.min), .max = upper(a.box.max, b.box.max)},
          .points = a.points + b.points,
          .not_finite = a.not_finite + b.not_finite,
          .left_out = a.left_out + b.left_out};
}

CloudSurvey survey_of(const CloudPiece& piece) {
  CloudSurvey found = kNothingFound;
  found.left_out = piece.left_out;
  for (const CloudPoint& point : piece.points) {
    if (!is_finite(point.place)) {
      ++found.not_finite;
      continue;
    }
    ++found.points;
    found.box = {.min = lower(found.box.min, point.place), .max = upper(found.box.max, point.place)};
  }
  return found;
}

}  // namespace

PointCloud turned_up(PointCloud cloud, dag::UpAxis up) {
  cloud.up = dag::UpAxis::Y;
  if (up == dag::UpAxis::Y) return cloud;
  cloud.read = [up, read = std::move(cloud.read)](size_t piece) {
    CloudPiece part = read(piece);
    for (auto& [p, rgb] : part.points) p = voxelize::turned_up(p, up);
    for (SplatShape& shape : part.shapes)
      for (Vec3d& axis : shape.axes) axis = voxelize::turned_up(axis, up);
    return part;
  };
  return cloud;
}

PointCloud joined(std::vector<PointCloud> clouds) {
  if (clouds.size() == 1) return std::move(clouds[0]);
  PointCloud all = {.has_colors = true, .has_shapes = clouds[0].has_shapes, .read = {}};
  std::vector<size_t> ends;
  for (const PointCloud& cloud : clouds) {
    if (cloud.has_shapes != all.has_shapes) throw Error("points and splats with sizes are no one cloud");
    all.has_colors &= cloud.has_colors;
    all.pieces += cloud.pieces;
    ends.push_back(all.pieces);
  }
  all.read = [clouds = std::move(clouds), ends = std::move(ends)](size_t piece) {
    const auto cloud = static_cast<size_t>(std::ranges::upper_bound(ends, piece) - ends.begin());
    return clouds[cloud].read(piece - (ends[cloud] - clouds[cloud].pieces));
  };
  return all;
}

CloudSurvey survey(const PointCloud& cloud) {
  return tbb::parallel_reduce(
      tbb::blocked_range<size_t>(0, cloud.pieces), kNothingFound,
      [&](const tbb::blocked_range<size_t>& range, CloudSurvey found) {
        for (size_t piece = range.begin(); piece < range.end(); ++piece) {
          throw_if_cancelled();
          found = sum_of(found, survey_of(cloud.read(piece)));
        }
        return found;
      },
      sum_of);
}

// Finds how far apart points lie on the surfaces that they were taken from, by looking at the neighbors of a few
// thousand of them.

namespace {

constexpr size_t kNeighbors = 8;
constexpr uint64_t kSamples = 4096;

// The squares of the distances to the nearest neighbors, ascending.
struct NearestSquares {
  std::array<double, kNeighbors> squares;

  NearestSquares() { squares.fill(std::numeric_limits<double>::infinity()); }
  void add(double square) {
    if (square >= squares.back()) return;
    size_t i = kNeighbors - 1;
    for (; i > 0 && squares[i - 1] > square; --i) squares[i] = squares[i - 1];
    squares[i] = square;
  }
};

// Returns about as many points as kSamples, always the same ones of a cloud.
std::vector<Vec3d> samples_of(const PointCloud& cloud, uint64_t points) {
  const uint64_t every = std::max<uint64_t>(points / kSamples, 1);
  std::vector<std::vector<Vec3d>> parts(cloud.pieces);
  parallel_for(size_t{0}, cloud.pieces, [&](size_t piece) {
    throw_if_cancelled();
    const CloudPiece part = cloud.read(piece);
    for (size_t i = 0; i < part.points.size(); ++i)
      if (mix64(uint64_t{piece} << 32 | i) % every == 0 && is_finite(part.points[i].place))
        parts[piece].push_back(part.points[i].place);
  });
  std::vector<Vec3d> samples;
  for (const std::vector<Vec3d>& part : parts) samples.insert(samples.end(), part.begin(), part.end());
  return samples;
}

// Samples by the cells of a grid; a sample's neighbors lie in the 27 cells around its own.
class SampleCells {
 public:
  SampleCells(const std::vector<Vec3d>& samples, const Vec3d& origin, double side)
      : samples_(samples), origin_(origin), side_(side) {
    for (uint32_t i = 0; i < samples.size(); ++i)
      for_each_cell_around(samples[i], [&](uint64_t key) { cells_[key].push_back(i); });
  }

  // Calls body(sample, square of the distance) for each sample within `side` of the place, except at the place.
  template <class Body>
  void for_each_near(const Vec3d& place, const Body& body) const {
    const auto found = cells_.find(key_of(cell_of(place)));
    if (found == cells_.end()) return;
    for (const uint32_t i : found->second) {
      const Vec3d apart = samples_[i] - place;
      if (const double square = dot(apart, apart); square > 0 && square <= side_ * side_) body(i, square);
    }
  }

 private:
  // Cells are counted from 1, and there are at most 2^20 along an axis.
  Int3 cell_of(const Vec3d& place) const {
    const auto along = [&](uint32_t axis) {
      return static_cast<int32_t>(std::clamp((place[axis] - origin_[axis]) / side_, 0.0, 1048576.0)) + 1;
    };
    return {along(0), along(1), along(2)};
  }
  static uint64_t key_of(Int3 cell) {
    const auto part = [](int32_t v) { return static_cast<uint64_t>(v); };
    return part(cell.x) | part(cell.y) << 21 | part(cell.z) << 42;
  }
  template <class Body>
  void for_each_cell_around(const Vec3d& place, const Body& body) const {
    const Int3 own = cell_of(place);
    for (int32_t z = own.z - 1; z <= own.z + 1; ++z)
      for (int32_t y = own.y - 1; y <= own.y + 1; ++y)
        for (int32_t x = own.x - 1; x <= own.x + 1; ++x) body(key_of({x, y, z}));
  }

  const std::vector<Vec3d>& samples_;
  Vec3d origin_;
  double side_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> cells_;
};

// Returns the distance of each sample's last neighbor, ascending; infinity if it is farther than `side`.
std::vector<double> distances_within(const PointCloud& cloud, const std::vector<Vec3d>& samples,
                                     const Vec3d& origin, double side) {
  const SampleCells cells(samples, origin, side);
  tbb::enumerable_thread_specific<std::vector<NearestSquares>> parts(
      [&] { return std::vector<NearestSquares>(samples.size()); });
  parallel_for(size_t{0}, cloud.pieces, [&](size_t piece) {
    throw_if_cancelled();
    std::vector<NearestSquares>& nearest = parts.local();
    for (const CloudPoint& point : cloud.read(piece).points)
      if (is_finite(point.place))
        cells.for_each_near(point.place, [&](uint32_t i, double square) { nearest[i].add(square); });
  });
  std::vector<NearestSquares> all(samples.size());
  for (const std::vector<NearestSquares>& part : parts)
    for (size_t i = 0; i < all.size(); ++i)
      for (const double square : part[i].squares) all[i].add(square);
  std::vector<double> distances;
  for (const NearestSquares& nearest : all) distances.push_back(std::sqrt(nearest.squares.back()));
  std::ranges::sort(distances);
  return distances;
}

}  // namespace

// The points of a surface of this side would be about side / √points apart, so that many neighbors lie within
// four times as far. Where points fill a volume, or a file has few of them, the distance grows until nine of ten
// samples have all neighbors.
double radius_between_points(const PointCloud& cloud, const CloudSurvey& found) {
  constexpr double kWider = 1.25;
  constexpr uint64_t kManyPoints = 100000;  // too many to compare all of them with all samples
  const Vec3d size = found.box.max - found.box.min;
  const double longest = std::max({size.x, size.y, size.z});
  constexpr double kShortest = 1e-140, kFarthest = 1e140;  // distances have squares
  if (!(longest >= kShortest && longest <= kFarthest)) return 0;
  const std::vector<Vec3d> samples = samples_of(cloud, found.points);
  for (double side = 4 * longest / std::sqrt(static_cast<double>(found.points));; side *= 2) {
    const std::vector<double> distances =
        distances_within(cloud, samples, found.box.min, std::max(side, longest / (1 << 20)));
    const double most = distances.empty() ? 0 : distances[distances.size() * 9 / 10];
    if (most <= side) return kWider * most;
    if (side > longest && found.points <= kNeighbors) return 0;
    if (side > longest / (found.points > kManyPoints ? 8 : 1))
      throw Error("more than a tenth of the points have no eight others near them").hint("choose a radius");
  }
}

}  // namespace vox
