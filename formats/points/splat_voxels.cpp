#include "formats/points/splat_voxels.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "formats/points/point_voxels.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/paged_memory.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

// Splats whose reach is about the same.
struct ReachClass {
  uint64_t splats = 0;
  voxelize::Box centers = kNoBox, reached = kNoBox;

  void add(const ReachClass& other) {
    splats += other.splats;
    centers = around(centers, other.centers);
    reached = around(reached, other.reached);
  }

  static constexpr double kFarAway = std::numeric_limits<double>::infinity();
  static constexpr voxelize::Box kNoBox = {{kFarAway, kFarAway, kFarAway}, {-kFarAway, -kFarAway, -kFarAway}};
  static voxelize::Box around(const voxelize::Box& a, const voxelize::Box& b) {
    voxelize::Box box;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      box.min[axis] = std::min(a.min[axis], b.min[axis]);
      box.max[axis] = std::max(a.max[axis], b.max[axis]);
    }
    return box;
  }
};

// A survey of splats. Classes have the first bits of their splats' reach, eight for each power of two.
struct SplatSurvey {
  uint64_t splats = 0, not_finite = 0, left_out = 0;
  std::map<uint32_t, ReachClass> classes;  // of the splats that decide about the box
  ReachClass faint;                        // the others
  std::map<uint32_t, uint64_t> sizes;      // the number of splats in each class of greatest deviations

  void add(const SplatSurvey& other) {
    splats += other.splats;
    not_finite += other.not_finite;
    left_out += other.left_out;
    for (const auto& [bits, reach] : other.classes) classes[bits].add(reach);
    faint.add(other.faint);
    for (const auto& [bits, count] : other.sizes) sizes[bits] += count;
  }
};

float greatest_deviation(const SplatShape& shape) {
  const Vec3d& sides = shape.deviations;
  return static_cast<float>(std::max({std::abs(sides.x), std::abs(sides.y), std::abs(sides.z)}));
}

constexpr uint32_t kClassBits = 20;
uint32_t class_of(double reach) {
  return std::bit_cast<uint32_t>(static_cast<float>(reach)) >> kClassBits;
}
// The end of a class that is not the last one.
double class_end(uint32_t bits) {
  return double{std::bit_cast<float>((bits + 1) << kClassBits)};
}

void survey_splat(SplatSurvey& to, const CloudPoint& point, const SplatShape& shape, double opacity) {
  if (!is_finite(point.place)) {
    ++to.not_finite;
    return;
  }
  ++to.splats;
  ++to.sizes[class_of(greatest_deviation(shape))];
  ReachClass one = {.splats = 1, .centers = {point.place, point.place}};
  if (shape.opacity < opacity / 2) {
    one.reached = one.centers;
    return to.faint.add(one);
  }
  const double least = std::max(opacity, kLeastSplatWeight);
  const double times = std::sqrt(2 * portable_log(std::max(shape.opacity / least, 1.0)));
  Vec3d reach = {0, 0, 0};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      const double part = shape.axes[i][axis] * shape.deviations[i];
      sum += part * part;
    }
    reach[axis] = times * std::sqrt(sum);
  }
  one.reached = {point.place - reach, point.place + reach};
  to.classes[class_of(std::max({reach.x, reach.y, reach.z}))].add(one);
}

voxelize::Box box_of(const SplatSurvey& found, uint64_t oversized) {
  if (found.classes.empty()) return found.faint.reached;
  uint64_t rest = 0;
  for (const auto& [bits, reach] : found.classes) rest += reach.splats;
  const uint64_t cut_off = std::max(rest / 100, oversized);  // the greatest
  // The last class whose splats reach as far as they do.
  auto last = std::prev(found.classes.end());
  for (uint64_t greater = last->second.splats; greater <= cut_off && last != found.classes.begin();
       greater += last->second.splats)
    --last;
  voxelize::Box box = ReachClass::kNoBox;
  for (const auto& [bits, reach] : found.classes) {
    if (bits <= last->first) {
      box = ReachClass::around(box, reach.reached);
    } else {
      const double most = class_end(last->first);
      const Vec3d by = {most, most, most};
      box = ReachClass::around(box, {reach.centers.min - by, reach.centers.max + by});
    }
  }
  return box;
}

// Sets the number of oversized splats, and their least size.
void find_oversized(CloudSurvey& found, const SplatSurvey& all) {
  voxelize::Box centers = all.classes.empty() ? all.faint.centers : ReachClass::kNoBox;
  for (const auto& [bits, reach] : all.classes) centers = ReachClass::around(centers, reach.centers);
  const Vec3d sides = centers.max - centers.min;
  const double quarter = std::max({sides.x, sides.y, sides.z}) / 4;
  if (!(quarter > 0)) return;
  const uint32_t last = class_of(quarter);
  uint64_t larger = 0;
  for (auto size = all.sizes.upper_bound(last); size != all.sizes.end(); ++size) larger += size->second;
  if (larger == 0 || larger >= (all.splats + 99) / 100) return;
  found.oversized = larger;
  found.least_oversized = class_end(last);
}

}  // namespace

CloudSurvey survey_splats(const PointCloud& cloud, double opacity) {
  const SplatSurvey all = tbb::parallel_reduce(
      tbb::blocked_range<size_t>(0, cloud.pieces), SplatSurvey{},
      [&](const tbb::blocked_range<size_t>& range, SplatSurvey found) {
        for (size_t piece = range.begin(); piece < range.end(); ++piece) {
          throw_if_cancelled();
          const CloudPiece part = cloud.read(piece);
          found.left_out += part.left_out;
          for (size_t i = 0; i < part.points.size(); ++i)
            survey_splat(found, part.points[i], part.shapes[i], opacity);
        }
        return found;
      },
      [](SplatSurvey a, const SplatSurvey& b) {
        a.add(b);
        return a;
      });
  CloudSurvey found = {
      .box = {}, .points = all.splats, .not_finite = all.not_finite, .left_out = all.left_out};
  find_oversized(found, all);
  found.box = box_of(all, found.oversized);
  return found;
}

PointCloud with_small_splats(PointCloud cloud, const CloudSurvey& found) {
  if (found.oversized == 0) return cloud;
  cloud.read = [read = std::move(cloud.read), least = found.least_oversized](size_t piece) {
    CloudPiece part = read(piece);
    for (SplatShape& shape : part.shapes)
      if (greatest_deviation(shape) >= least) shape.deviations = {0, 0, 0};
    return part;
  };
  return cloud;
}

namespace {

std::vector<GridSplat> splats_on_grid(const PointCloud& cloud, const voxelize::Grid& grid, uint64_t room) {
  std::vector<std::vector<GridSplat>> parts(cloud.pieces);
  std::atomic<uint64_t> count = 0;
  // The parts and the whole are in memory together for a moment.
  const uint64_t most = std::min<uint64_t>(room / (2 * sizeof(GridSplat)), UINT32_MAX);
  parallel_for(size_t{0}, cloud.pieces, [&](size_t piece) {
    throw_if_cancelled();
    const CloudPiece part = cloud.read(piece);
    for (size_t i = 0; i < part.points.size(); ++i) {
      if (!is_finite(part.points[i].place)) continue;
      const GridSplat splat = GridSplat::of(part.points[i], part.shapes[i], grid);
      if (!splat.reach(grid.resolution).empty()) parts[piece].push_back(splat);
    }
    if (count.fetch_add(parts[piece].size()) + parts[piece].size() > most)
      throw Error(fmt::format("more than {} splats take more memory than there is for them", most))
          .about("memory_limit");
  });
  std::vector<GridSplat> all;
  all.reserve(count);
  for (std::vector<GridSplat>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  return all;
}

// Keeps the voxels of cubes that are needed again, as long as there is room. Several threads may call this, but only one at
// a time for the same cube. Each thread copies into large blocks of its own: memory for each cube alone would cost a fault
// for each page.
class KeptRows {
 public:
  KeptRows(size_t cubes, uint64_t room)
      : cubes_(cubes),
        block_(std::clamp(room / 64, kLeastBlock, kMostBlock) / sizeof(SplatRow) * sizeof(SplatRow)),
        room_(room) {}

  // Puts the voxels of a cube if they are kept, or returns false.
  bool put(size_t cube, VoxelSink& to) const {
    if (cubes_[cube].is_kept) put(cubes_[cube], to);
    return cubes_[cube].is_kept;
  }

  static void put(const SplatRows& voxels, VoxelSink& to) {
    put({voxels.rows, voxels.colors.data(), voxels.whole}, to);
  }

  void keep(size_t cube, const SplatRows& voxels) {
    const uint64_t rows = voxels.rows.size() * sizeof(SplatRow), bytes = rows + voxels.colors.size();
    uint8_t* const at = take((bytes + alignof(SplatRow) - 1) / alignof(SplatRow) * alignof(SplatRow));
    if (at == nullptr) return;
    std::ranges::copy(voxels.rows, reinterpret_cast<SplatRow*>(at));
    std::ranges::copy(voxels.colors, at + rows);
    cubes_[cube] = {
        {reinterpret_cast<const SplatRow*>(at), voxels.rows.size()}, at + rows, voxels.whole, true};
  }

 private:
  struct Cube {
    std::span<const SplatRow> rows;
    const uint8_t* colors = nullptr;
    std::optional<uint32_t> whole;
    bool is_kept = false;
  };
  struct Blocks {
    std::vector<LongWords> blocks;
    uint64_t used = 0;  // bytes of the last one
  };

  // All rows of a cube fit into a block.
  static constexpr uint64_t kLeastBlock = 1 << 20, kMostBlock = 32 << 20;

  // Returns memory, or null if there is no room.
  uint8_t* take(uint64_t bytes) {
    Blocks& own = blocks_.local();
    if (own.blocks.empty() || own.used + bytes > block_) {
      if (taken_.fetch_add(block_, std::memory_order_relaxed) + block_ > room_) {
        taken_.fetch_sub(block_, std::memory_order_relaxed);
        return nullptr;
      }
      own.blocks.emplace_back(block_ / sizeof(uint64_t));
      own.used = 0;
    }
    uint8_t* const at = reinterpret_cast<uint8_t*>(own.blocks.back().data()) + own.used;
    own.used += bytes;
    return at;
  }

  static void put(const Cube& cube, VoxelSink& to) {
    if (cube.whole) return to.fill(*cube.whole);
    const uint8_t* color = cube.colors;
    uint32_t rgb = 0;
    for (const SplatRow& row : cube.rows) {
      constexpr int32_t kSide = dag::VoxelCube::kSide;
      const uint32_t row_code = dag::VoxelCube::code({0, row.place % kSide, row.place / kSide});
      for (uint64_t left = row.voxels; left != 0;) {
        const uint64_t first = left & -left, later = row.changes & ~first & -first;
        if ((row.changes & first) != 0) {
          rgb = rgb_value({color[0], color[1], color[2]});
          color += 3;
        }
        const uint64_t alike = later == 0 ? left : left & ((later & -later) - 1);
        to.put_row(row_code, alike, rgb);
        left &= ~alike;
      }
    }
  }

  std::vector<Cube> cubes_;
  uint64_t block_, room_;
  std::atomic<uint64_t> taken_ = 0;
  tbb::enumerable_thread_specific<Blocks> blocks_;
};

// Makes the voxels of cubes, and keeps those that there is room for.
class SplatCubes {
 public:
  SplatCubes(std::vector<GridSplat> splats, const voxelize::Grid& grid, const SplatVoxelOptions& options,
             bool colors)
      : tree_(std::move(splats), grid.resolution, options.opacity),
        resolution_(grid.resolution),
        opacity_(options.opacity),
        colors_(colors),
        cubes_(tree_.cubes()),
        kept_(cubes_.size(), options.room - std::min(options.room, tree_.bytes())) {}

  const std::vector<uint64_t>& cubes() const { return cubes_; }

  void read(size_t cube, VoxelSink& to) {
    if (kept_.put(cube, to)) return;
    Scratch& scratch = scratch_.local();
    scratch.voxels.clear();
    find_voxels(cubes_[cube], scratch);
    KeptRows::put(scratch.voxels, to);
    kept_.keep(cube, scratch.voxels);
  }

 private:
  // The memory of one thread, which each cube uses again.
  struct Scratch {
    SplatSums sums;
    SplatRows voxels;
  };

  void find_voxels(uint64_t cube, Scratch& scratch) {
    const std::vector<uint32_t> splats = tree_.splats_of(cube);
    const Int3 corner = dag::cube_corner(cube);
    if (is_whole(splats, corner)) {
      scratch.voxels.whole = colors_ ? color_at_middle(splats, corner) : 0;
      return;
    }
    for (const uint32_t i : splats) {
      if (colors_) {
        scratch.sums.add_colored(tree_.splat(i), corner, resolution_);
      } else {
        scratch.sums.add(tree_.splat(i), corner, resolution_);
      }
    }
    scratch.sums.take(opacity_, colors_, scratch.voxels);
  }

  // Tells if all voxels are filled, and their colors are about the same.
  bool is_whole(const std::vector<uint32_t>& splats, Int3 corner) const {
    constexpr double kRounding = 1e-3;
    const int32_t side = dag::VoxelCube::kSide;
    if (std::max({corner.x, corner.y, corner.z}) + side > static_cast<int32_t>(resolution_)) return false;
    double transparency = 1;
    for (const uint32_t i : splats) {
      const GridSplat& splat = tree_.splat(i);
      if (colors_ && splat.greatest_in(splat.center, kHalf) > 0.5) return false;
      const double distance = splat.greatest_in(middle_of(corner), kHalf);
      if (distance <= splat.cut) transparency *= 1 - splat.opacity * portable_exp(-distance);
    }
    return 1 - transparency >= opacity_ + kRounding;
  }

  uint32_t color_at_middle(const std::vector<uint32_t>& splats, Int3 corner) const {
    ColorWeights sum;
    for (const uint32_t i : splats) {
      const GridSplat& splat = tree_.splat(i);
      sum.add(splat.rgb, splat.opacity * portable_exp(-splat.least_in(middle_of(corner), 0)));
    }
    return sum.mean();
  }

  static constexpr double kHalf = dag::VoxelCube::kSide / 2.0;
  static Vec3d middle_of(Int3 corner) { return {corner.x + kHalf, corner.y + kHalf, corner.z + kHalf}; }

  // Sums of colors in linear light.
  struct ColorWeights {
    double weight = 0, red = 0, green = 0, blue = 0;

    void add(uint32_t rgb, double by) {
      const auto& linear = scene::ColorTally::kLinear16;
      weight += by;
      red += by * linear[rgb >> 16 & 255], green += by * linear[rgb >> 8 & 255],
          blue += by * linear[rgb & 255];
    }
    uint32_t mean() const {
      const auto code = [&](double sum) {
        return light_codes()[static_cast<uint32_t>(std::min(sum / weight + 0.5, 65535.0))];
      };
      return rgb_value({code(red), code(green), code(blue)});
    }
  };

  SplatTree tree_;
  uint32_t resolution_;
  double opacity_;
  bool colors_;
  std::vector<uint64_t> cubes_;
  KeptRows kept_;
  tbb::enumerable_thread_specific<Scratch> scratch_;
};

}  // namespace

VoxelFile splat_voxels(const PointCloud& cloud, const voxelize::Grid& grid,
                       const SplatVoxelOptions& options) {
  VoxelFile file = cloud_on_grid(cloud, grid, options.materials);
  const bool colors = file.values == VoxelValues::Rgb;
  const auto cubes =
      std::make_shared<SplatCubes>(splats_on_grid(cloud, grid, options.room), grid, options, colors);
  file.cubes = cubes->cubes();
  file.read = [cubes](size_t cube, VoxelSink& to) { cubes->read(cube, to); };
  return file;
}

}  // namespace vox
