// Converts a cloud of points to voxels.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formats/points/points.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/bits.h"
#include "libvox/base/vec.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/grid.h"

namespace vox {

struct PointVoxelOptions {
  double radius = 0;  // world units; voxels with a center this near to a point are filled, too
  bool materials = true;
  uint64_t room = UINT64_MAX;  // the most bytes that points may take at once
};

// Returns the number of bytes that points may take if `memory_limit` limits the process; 0 means 80 % of the
// free memory.
uint64_t room_for_points(uint64_t memory_limit);

// Returns a VoxelFile on the grid, without voxels yet. Its voxels have colors if the cloud has colors and materials are
// asked for.
VoxelFile cloud_on_grid(const PointCloud& cloud, const voxelize::Grid& grid, bool materials);

// A voxel's color is the mean of its points' colors in linear light. The points are sorted by cubes of 64³
// voxels, with 8 bytes each. If they do not all fit into memory, the cloud is read once more for each group
// of cubes that fits. Throws Error.
VoxelFile point_voxels(PointCloud cloud, const voxelize::Grid& grid, const PointVoxelOptions& options);

// PointLattice finds the voxels that a point fills, and makes a record of the point for each cube of 64³
// voxels in which it fills some. Places are rounded to whole 64ths of a voxel here, so that every machine
// decides alike.

// A point in one cube, in 8 bytes:
//
//   bit   0 to 12, 13 to 25, 26 to 38   x, y, z from a corner half a cube below that of the cube, in 64ths of a voxel
//        39 to 62                       color
struct PointRecord {
  static constexpr int32_t kBits = 13;
  static constexpr int32_t kSteps = 64;                                   // steps per voxel
  static constexpr int32_t kMargin = kSteps * dag::VoxelCube::kSide / 2;  // half a cube

  uint64_t bits = 0;

  static PointRecord of(Int3 place, uint32_t rgb) {
    const auto part = [](int32_t v) { return static_cast<uint64_t>(int64_t{v} + kMargin); };
    return {part(place.x) | part(place.y) << kBits | part(place.z) << 2 * kBits | uint64_t{rgb} << 3 * kBits};
  }

  // Returns the place relative to the cube's corner, in 64ths of a voxel.
  Int3 place() const {
    const auto part = [&](int32_t axis) {
      return static_cast<int32_t>(bits >> axis * kBits & ((1 << kBits) - 1)) - kMargin;
    };
    return {part(0), part(1), part(2)};
  }
  uint32_t rgb() const { return static_cast<uint32_t>(bits >> 3 * kBits); }
};
static_assert(sizeof(PointRecord) == 8);

// The largest radius: half a cube less a voxel, so that a point's voxels lie in at most two cubes along each axis.
inline constexpr double kMostRadius = 31;  // in voxels

class PointLattice {
 public:
  // `radius` is in world units. Throws Error if it is more than kMostRadius voxels.
  PointLattice(const voxelize::Grid& grid, double radius);

  // Calls body(key of the cube, record) for each cube in which the point may fill voxels.
  template <class Body>
  void for_each_cube(const Vec3d& place, uint32_t rgb, const Body& body) const {
    const std::optional<Int3> at = step_of(place);
    if (!at) return;
    const Int3 first = cube_of(*at, reach_ * -1), last = cube_of(*at, reach_);
    for (int32_t z = first.z; z <= last.z; ++z)
      for (int32_t y = first.y; y <= last.y; ++y)
        for (int32_t x = first.x; x <= last.x; ++x) {
          const Int3 corner = Int3{x, y, z} * dag::VoxelCube::kSide;
          body(dag::cube_key(corner), PointRecord::of(*at - corner * PointRecord::kSteps, rgb));
        }
  }

  // Calls body(code), see VoxelCube::code(), for each voxel that the record fills in the cube with the lower
  // corner `corner`. These are the voxel that holds the point, and voxels whose center is at most the radius
  // away from the point as rounded: the center of its 64th of a voxel.
  template <class Body>
  void for_each_voxel(PointRecord record, Int3 corner, const Body& body) const {
    const Int3 at = record.place();
    const Int3 own = {at.x >> 6, at.y >> 6, at.z >> 6};
    if (reach_ == Int3{0, 0, 0}) return body(dag::VoxelCube::code(own));
    const Int3 first = voxel_of(at, reach_ * -1, corner), last = voxel_of(at, reach_, corner);
    for (int32_t z = first.z; z <= last.z; ++z)
      for (int32_t y = first.y; y <= last.y; ++y)
        for (int32_t x = first.x; x <= last.x; ++x)
          if (Int3{x, y, z} == own || is_near(at, {x, y, z})) body(dag::VoxelCube::code({x, y, z}));
  }

 private:
  static constexpr int32_t kSteps = PointRecord::kSteps;

  // Returns a place in 64ths of a voxel from the grid's origin, or nothing if the point fills no voxel of the
  // grid. It is defined in the header so that the three numbers can stay in registers.
  std::optional<Int3> step_of(const Vec3d& place) const {
    const auto x = step_along(0, place.x), y = step_along(1, place.y), z = step_along(2, place.z);
    if (!x || !y || !z) return std::nullopt;
    return Int3{*x, *y, *z};
  }
  std::optional<int32_t> step_along(uint32_t axis, double place) const {
    const double high = resolution_ * double{kSteps};
    // A snapped grid is a window of one grid of the world, in which a point lies in exactly one voxel. So if
    // two tiles touch, only one of them has the point; the difference of two such numbers is exact. Other
    // grids end at their last points, which rounding may move beyond the end.
    const double exact = snapped_ ? place / voxel_size_[axis] * kSteps - origin_[axis] * kSteps
                                  : (place - origin_[axis]) / voxel_size_[axis] * kSteps;
    constexpr double kRounding = voxelize::kGridRounding * kSteps;
    if (!snapped_ && exact >= high && exact <= high + kRounding) return resolution_ * kSteps - 1;
    if (!snapped_ && exact < 0 && exact >= -kRounding) return 0;
    // A point outside the grid may still fill voxels within its reach. 2^20 voxels have 2^26 steps.
    if (!(exact >= -reach_[axis] && exact < high + reach_[axis])) return std::nullopt;
    const auto towards_0 = static_cast<int32_t>(exact);
    return towards_0 - (towards_0 > exact ? 1 : 0);
  }

  Int3 cube_of(Int3 at, Int3 by) const {
    const auto along = [&](int32_t v) {
      return std::clamp(v >> 6, 0, resolution_ - 1) / dag::VoxelCube::kSide;
    };
    return {along(at.x + by.x), along(at.y + by.y), along(at.z + by.z)};
  }

  // Returns the voxel of both the cube and the grid that is nearest to a place of the cube moved by `by`.
  Int3 voxel_of(Int3 at, Int3 by, Int3 corner) const {
    const auto along = [&](uint32_t axis) {
      return std::clamp((at[axis] + by[axis]) >> 6, 0,
                        std::min(dag::VoxelCube::kSide, resolution_ - corner[axis]) - 1);
    };
    return {along(0), along(1), along(2)};
  }

  // Distances in 128ths of a voxel are below 2^13, so the sum of their squares fits.
  bool is_near(Int3 at, Int3 voxel) const {
    const auto along = [&](uint32_t axis) { return 128 * voxel[axis] + 64 - (2 * at[axis] + 1); };
    const Int3 apart = {along(0), along(1), along(2)};
    if (voxel_size_.is_cube()) return dot(apart, apart) <= most_squared_;
    const Vec3d stretched = product({double(apart.x), double(apart.y), double(apart.z)}, stretch_);
    return dot(stretched, stretched) <= most_squared_;
  }

  Vec3d origin_;  // in world units, or in voxels if the grid is snapped
  VoxelSize voxel_size_;
  bool snapped_;
  int32_t resolution_;
  Int3 reach_ = {0, 0, 0};     // the radius in 64ths of a voxel, rounded up
  Vec3d stretch_ = {1, 1, 1};  // the sides of a voxel, whose shortest one is 1
  int32_t most_squared_ = 0;   // the square of the radius in 128ths of that side
};

// Returns the sRGB codes of linear light in steps of 1 / 65535.
std::span<const uint8_t> light_codes();

// The sum of some points' colors in linear light. It is of whole numbers, so the order of points does not matter.
struct ColorSum {
  uint64_t points = 0, r = 0, g = 0, b = 0;

  static ColorSum of(uint32_t rgb) {  // the sum of one point
    const auto& linear = scene::ColorTally::kLinear16;
    return {1, linear[rgb >> 16 & 255], linear[rgb >> 8 & 255], linear[rgb & 255]};
  }

  void add(const ColorSum& other) {
    points += other.points;
    r += other.r, g += other.g, b += other.b;
  }

  // Adds, even if several threads add at the same time.
  void add_shared(const ColorSum& other) {
    const auto add = [](uint64_t& to, uint64_t value) {
      std::atomic_ref(to).fetch_add(value, std::memory_order_relaxed);
    };
    add(points, other.points);
    add(r, other.r);
    add(g, other.g);
    add(b, other.b);
  }

  scene::Rgb8 mean() const;  // needs at least one point
};
static_assert(sizeof(ColorSum) == 32);

// Sums for cubes in which most voxels have points. Each voxel has one.
class DenseSums {
 public:
  static constexpr uint64_t kBytes = sizeof(ColorSum) * dag::VoxelCube::kLeaves * 64;  // 8 MiB

  DenseSums() : sums_(dag::VoxelCube::kLeaves * 64) {}

  void add_shared(uint32_t code, const ColorSum& points) { sums_[code].add_shared(points); }

  // Calls body(code, sum) for each voxel that has points.
  template <class Body>
  void for_each(const Body& body) const {
    for (uint32_t code = 0; code < sums_.size(); ++code)
      if (sums_[code].points > 0) body(code, sums_[code]);
  }

 private:
  std::vector<ColorSum> sums_;
};

// Sums for cubes with few points. Only voxels with points have one.
class SparseSums {
 public:
  SparseSums() : places_(dag::VoxelCube::kLeaves * 64) {}

  void add(uint32_t code, const ColorSum& points) {
    uint32_t& place = places_[code];
    if (place == 0) {
      codes_.push_back(code);
      sums_.emplace_back();
      place = static_cast<uint32_t>(sums_.size());
    }
    sums_[place - 1].add(points);
  }

  // Calls body(code, sum) for each voxel that has points, and removes them.
  template <class Body>
  void take(const Body& body) {
    for (size_t i = 0; i < codes_.size(); ++i) {
      body(codes_[i], sums_[i]);
      places_[codes_[i]] = 0;
    }
    codes_.clear();
    sums_.clear();
  }

 private:
  std::vector<uint32_t> places_;  // the index of each voxel's sum, counted from 1; 0 if it has none
  std::vector<uint32_t> codes_;
  std::vector<ColorSum> sums_;
};

// Voxels are kept, because each cube of a VoxelFile is read more than once.

// A voxel by its code in the cube, see dag::VoxelCube::code(), and its color, see rgb_value().
struct ColoredVoxel {
  uint32_t code, rgb;
};

// Several threads may call this, but only one at a time for the same cube.
class KeptVoxels {
 public:
  // `room` is the number of bytes that the voxels may take.
  KeptVoxels(size_t cubes, uint64_t room) : voxels_(cubes), is_kept_(cubes), room_(room) {}

  // Returns the voxels of a cube, or null if they are not kept.
  const std::vector<ColoredVoxel>* find(size_t cube) const {
    return is_kept_[cube] != 0 ? &voxels_[cube] : nullptr;
  }

  // Keeps a cube's voxels if there is room.
  void keep(size_t cube, const std::vector<ColoredVoxel>& voxels) {
    const uint64_t bytes = voxels.size() * sizeof(ColoredVoxel);
    if (bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes > room_) {
      bytes_.fetch_sub(bytes, std::memory_order_relaxed);
      return;
    }
    voxels_[cube] = voxels;
    is_kept_[cube] = 1;
  }

 private:
  std::vector<std::vector<ColoredVoxel>> voxels_;
  std::vector<uint8_t> is_kept_;  // a byte each, because threads write to neighbors
  uint64_t room_;
  std::atomic<uint64_t> bytes_ = 0;
};

// A hash table from cubes, by their Morton keys, to numbers. It uses open addressing with linear probing, and
// grows with the number of cubes.
class CubeTable {
 public:
  // Returns a cube's number, which is 0 at first. The reference is valid until the next call.
  uint64_t& operator[](uint64_t key) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    if (slot.key == kNoKey) {
      slot.key = key;
      ++size_;
    }
    return slot.number;
  }

  // Returns the number of a cube that is in the table.
  uint64_t at(uint64_t key) const { return slots_[place_of(key)].number; }

  // Prefetches the memory that at() reads. The table must not be empty.
  void prefetch(uint64_t key) const { prefetch_line(&slots_[mix64(key) & (slots_.size() - 1)]); }

  size_t size() const { return size_; }

  // Calls body(key, number) for each cube, in no particular order.
  template <class Body>
  void for_each(Body body) const {
    for (const Slot& slot : slots_)
      if (slot.key != kNoKey) body(slot.key, slot.number);
  }

 private:
  static constexpr uint64_t kNoKey = UINT64_MAX;  // Morton keys have 63 bits
  struct Slot {
    uint64_t key = kNoKey, number = 0;
  };

  // Returns the slot with the key, or the empty one where it would be inserted.
  size_t place_of(uint64_t key) const {
    const size_t last = slots_.size() - 1;
    size_t place = mix64(key) & last;
    while (slots_[place].key != key && slots_[place].key != kNoKey) place = (place + 1) & last;
    return place;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 1 << 10 : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.key != kNoKey) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;  // their number is a power of two
  size_t size_ = 0;
};

// Sorts the points of a cloud by the cubes of 64³ voxels in which they fill voxels. A first pass over the cloud
// counts the records of every cube. Each further pass takes as many consecutive
// cubes as fit into memory, and puts their records into one array, cube by cube. If a cube's records would
// take more memory than sums for all its voxels, it gets these sums instead, so no cube is too large.
class PointCubes {
 public:
  // `room` is the number of bytes that the points may take.
  PointCubes(PointCloud cloud, const PointLattice& lattice, uint64_t room);

  const std::vector<uint64_t>& cubes() const { return cubes_; }  // ascending

  size_t load(size_t begin, size_t end);  // see dag::CubeLoading

  void fill(size_t cube, VoxelSink& to) const;   // writes the voxels of a loaded cube, without colors
  void paint(size_t cube, VoxelSink& to) const;  // writes them with their mean colors

 private:
  static constexpr uint64_t kMostRecords = DenseSums::kBytes / sizeof(PointRecord);

  // A cube that is loaded or is being loaded.
  struct Loaded {
    uint64_t key;
    uint64_t next, end;  // in records_: the place of the next record, and the end of the cube's part
    DenseSums* sums;     // null if it has records
  };

  bool is_dense(size_t cube) const { return counts_[cube] > kMostRecords; }
  uint64_t bytes_of(size_t cube) const {
    return is_dense(cube) ? DenseSums::kBytes : counts_[cube] * sizeof(PointRecord);
  }

  // A record on its way to its cube.
  struct Placed {
    uint64_t key;
    PointRecord record;
    size_t place = 0;  // the cube's index in loaded_
  };

  void count_records();
  void choose_cubes(size_t begin);
  void load_records();
  void put_all(std::vector<Placed>& records);
  void put(const Placed& placed);
  Int3 corner_of(size_t cube) const { return dag::cube_corner(cubes_[cube]); }
  template <class Body>
  void for_each_record(size_t cube, const Body& body) const;

  const PointCloud cloud_;
  const PointLattice lattice_;
  const uint64_t room_;
  std::vector<uint64_t> cubes_, counts_;  // counts_ has the number of records of each cube
  CubeTable places_;                      // the index of each cube in cubes_

  size_t first_ = 0;            // the first loaded cube
  std::vector<Loaded> loaded_;  // the cubes from first_ on
  std::unique_ptr<PointRecord[]> records_;
  std::vector<std::unique_ptr<DenseSums>> dense_;

  mutable tbb::enumerable_thread_specific<SparseSums> sparse_;
  mutable std::optional<KeptVoxels> kept_;
};

}  // namespace vox
