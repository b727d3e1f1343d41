#include "formats/points/point_voxels.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/scene/oklab.h"

namespace vox {

// Returns a third of the memory that the process may still take, because the palette and the DAG are made
// while the points are in memory.
uint64_t room_for_points(uint64_t memory_limit) {
  constexpr uint64_t kLeast = uint64_t{8} << 20;
  const uint64_t held = resident_bytes();
  const uint64_t left = memory_limit == 0     ? available_bytes() / 5 * 4
                        : memory_limit > held ? memory_limit - held
                                              : 0;
  return std::max(left / 3, kLeast);
}

VoxelFile cloud_on_grid(const PointCloud& cloud, const voxelize::Grid& grid, bool materials) {
  VoxelFile file;
  file.resolution = grid.resolution;
  file.origin = grid.origin;
  file.voxel_size = grid.voxel_size;
  file.up = cloud.up;
  if (cloud.has_colors && materials) file.values = VoxelValues::Rgb;
  return file;
}

VoxelFile point_voxels(PointCloud cloud, const voxelize::Grid& grid, const PointVoxelOptions& options) {
  VoxelFile file = cloud_on_grid(cloud, grid, options.materials);
  const bool colors = file.values == VoxelValues::Rgb;
  const auto cubes =
      std::make_shared<PointCubes>(std::move(cloud), PointLattice(grid, options.radius), options.room);
  file.cubes = cubes->cubes();
  file.load = [cubes](size_t begin, size_t end) { return cubes->load(begin, end); };
  file.read = [cubes, colors](size_t cube, VoxelSink& to) {
    if (colors) {
      cubes->paint(cube, to);
    } else {
      cubes->fill(cube, to);
    }
  };
  return file;
}

PointLattice::PointLattice(const voxelize::Grid& grid, double radius)
    : origin_(grid.first_voxel.value_or(grid.origin)),
      voxel_size_(grid.voxel_size),
      snapped_(grid.first_voxel.has_value()),
      resolution_(static_cast<int32_t>(grid.resolution)) {
  const double voxels = radius / voxel_size_.shortest();
  if (!(voxels <= kMostRadius))
    throw Error(
        fmt::format("a radius of {} is {:.4g} voxels, but the limit is {}", radius, voxels, kMostRadius))
        .hint("take a smaller radius or larger voxels");
  for (uint32_t axis = 0; axis < 3; ++axis)
    reach_[axis] = static_cast<int32_t>(std::ceil(radius / voxel_size_[axis] * kSteps));
  stretch_ = voxel_size_.shape();
  most_squared_ = static_cast<int32_t>(std::floor(voxels * voxels * (4.0 * kSteps * kSteps)));
}

std::span<const uint8_t> light_codes() {
  static const std::vector<uint8_t> codes = [] {
    std::vector<uint8_t> all(1 << 16);
    for (size_t i = 0; i < all.size(); ++i) all[i] = scene::linear_to_srgb(static_cast<double>(i) / 65535);
    return all;
  }();
  return codes;
}

scene::Rgb8 ColorSum::mean() const {
  static const std::span<const uint8_t> codes = light_codes();
  const auto of = [&](uint64_t sum) { return codes[(sum + points / 2) / points]; };
  return {of(r), of(g), of(b)};
}

namespace {

// Calls body(key of the cube, record) for every record of a piece of a cloud.
template <class Body>
void for_each_point_record(const PointCloud& cloud, size_t piece, const PointLattice& lattice,
                           const Body& body) {
  throw_if_cancelled();
  const CloudPiece part = cloud.read(piece);
  for (const CloudPoint& point : part.points) lattice.for_each_cube(point.place, point.rgb, body);
}

}  // namespace

PointCubes::PointCubes(PointCloud cloud, const PointLattice& lattice, uint64_t room)
    : cloud_(std::move(cloud)), lattice_(lattice), room_(room) {
  count_records();
}

void PointCubes::count_records() {
  tbb::enumerable_thread_specific<CubeTable> parts;
  parallel_for(size_t{0}, cloud_.pieces, [&](size_t piece) {
    CubeTable& counts = parts.local();
    for_each_point_record(cloud_, piece, lattice_, [&](uint64_t key, PointRecord) { ++counts[key]; });
  });
  for (CubeTable& part : parts) {
    part.for_each([&](uint64_t key, uint64_t count) { places_[key] += count; });
    part = {};
  }
  cubes_.reserve(places_.size());
  places_.for_each([&](uint64_t key, uint64_t) { cubes_.push_back(key); });
  std::ranges::sort(cubes_);
  counts_.reserve(cubes_.size());
  for (size_t i = 0; i < cubes_.size(); ++i) counts_.push_back(std::exchange(places_[cubes_[i]], i));
  uint64_t bytes = 0;
  for (size_t i = 0; i < cubes_.size(); ++i) bytes += bytes_of(i);
  kept_.emplace(cubes_.size(), room_ - std::min(room_, bytes));
}

size_t PointCubes::load(size_t begin, size_t end) {
  if (begin < first_ || begin >= first_ + loaded_.size()) {
    choose_cubes(begin);
    load_records();
  }
  return std::min(end, first_ + loaded_.size());
}

// Chooses as many cubes from `begin` on as fit into memory, and allocates it.
void PointCubes::choose_cubes(size_t begin) {
  records_.reset();
  dense_.clear();
  loaded_.clear();
  first_ = begin;
  uint64_t bytes = 0, records = 0;
  for (size_t cube = begin; cube < cubes_.size(); ++cube) {
    bytes += bytes_of(cube);
    if (cube > begin && bytes > room_) break;
    const bool dense = is_dense(cube);
    if (dense) dense_.push_back(std::make_unique<DenseSums>());
    const uint64_t end = records + (dense ? 0 : counts_[cube]);
    loaded_.push_back({cubes_[cube], records, end, dense ? dense_.back().get() : nullptr});
    records = end;
  }
  records_ = std::make_unique_for_overwrite<PointRecord[]>(records);
}

void PointCubes::load_records() {
  const uint64_t first_key = loaded_.front().key, last_key = loaded_.back().key;
  parallel_for(size_t{0}, cloud_.pieces, [&](size_t piece) {
    std::vector<Placed> records;
    records.reserve(kPieceRecords);
    for_each_point_record(cloud_, piece, lattice_, [&](uint64_t key, PointRecord record) {
      if (key >= first_key && key <= last_key) records.push_back({key, record});
    });
    put_all(records);
  });
}

// Points may come in any order, so all memory that a record needs is prefetched a few records ahead.
void PointCubes::put_all(std::vector<Placed>& records) {
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < records.size() + 3 * kAhead; ++i) {
    if (i < records.size()) places_.prefetch(records[i].key);
    if (i >= kAhead && i - kAhead < records.size()) {
      Placed& placed = records[i - kAhead];
      placed.place = places_.at(placed.key) - first_;
      if (placed.place < loaded_.size()) prefetch_line(&loaded_[placed.place]);
    }
    if (i >= 2 * kAhead && i - 2 * kAhead < records.size())
      if (const size_t place = records[i - 2 * kAhead].place; place < loaded_.size())
        prefetch_line(records_.get() + std::atomic_ref(loaded_[place].next).load(std::memory_order_relaxed));
    if (i >= 3 * kAhead) put(records[i - 3 * kAhead]);
  }
}

// Throws Error if another program has changed the file, so that its points differ from those that were
// counted.
void PointCubes::put(const Placed& placed) {
  if (placed.place >= loaded_.size() || loaded_[placed.place].key != placed.key)
    throw Error("the points have changed while they were read");
  Loaded& cube = loaded_[placed.place];
  if (cube.sums != nullptr) {
    const ColorSum point = ColorSum::of(placed.record.rgb());
    lattice_.for_each_voxel(placed.record, dag::cube_corner(placed.key),
                            [&](uint32_t code) { cube.sums->add_shared(code, point); });
    return;
  }
  const uint64_t at = std::atomic_ref(cube.next).fetch_add(1, std::memory_order_relaxed);
  if (at >= cube.end) throw Error("the points have changed while they were read");
  records_[at] = placed.record;
}

// Calls body(record) for each record of a cube.
template <class Body>
void PointCubes::for_each_record(size_t cube, const Body& body) const {
  const Loaded& loaded = loaded_[cube - first_];
  for (uint64_t at = loaded.end - counts_[cube]; at < loaded.next; ++at) body(records_[at]);
}

void PointCubes::fill(size_t cube, VoxelSink& to) const {
  if (const DenseSums* sums = loaded_[cube - first_].sums) {
    sums->for_each([&](uint32_t code, const ColorSum&) { to.put(code, 0); });
  } else {
    for_each_record(cube, [&](PointRecord record) {
      lattice_.for_each_voxel(record, corner_of(cube), [&](uint32_t code) { to.put(code, 0); });
    });
  }
}

void PointCubes::paint(size_t cube, VoxelSink& to) const {
  if (const DenseSums* dense = loaded_[cube - first_].sums)
    return dense->for_each([&](uint32_t code, const ColorSum& sum) { to.put(code, rgb_value(sum.mean())); });
  if (const std::vector<ColoredVoxel>* voxels = kept_->find(cube)) {
    for (const auto& [code, rgb] : *voxels) to.put(code, rgb);
    return;
  }
  SparseSums& sums = sparse_.local();
  for_each_record(cube, [&](PointRecord record) {
    const ColorSum point = ColorSum::of(record.rgb());
    lattice_.for_each_voxel(record, corner_of(cube), [&](uint32_t code) { sums.add(code, point); });
  });
  std::vector<ColoredVoxel> voxels;
  sums.take([&](uint32_t code, const ColorSum& sum) {
    voxels.push_back({code, rgb_value(sum.mean())});
    to.put(code, voxels.back().rgb);
  });
  kept_->keep(cube, voxels);
}

}  // namespace vox
