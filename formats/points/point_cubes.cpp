#include "formats/points/point_cubes.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

// Calls body(key of the cube, record) for every record of a cloud, from several threads.
template <class Body>
void for_each_point_record(const PointCloud& cloud, const PointLattice& lattice, const Body& body) {
  tbb::parallel_for(size_t{0}, cloud.pieces, [&](size_t piece) {
    throw_if_cancelled();
    const CloudPiece part = cloud.read(piece);
    for (const CloudPoint& point : part.points) lattice.for_each_cube(point.place, point.rgb, body);
  });
}

}  // namespace

PointCubes::PointCubes(PointCloud cloud, const PointLattice& lattice, uint64_t room)
    : cloud_(std::move(cloud)), lattice_(lattice), room_(room) {
  count_records();
}

void PointCubes::count_records() {
  tbb::enumerable_thread_specific<CubeTable> parts;
  for_each_point_record(cloud_, lattice_, [&](uint64_t key, PointRecord) { ++parts.local()[key]; });
  for (CubeTable& part : parts) {
    part.for_each([&](uint64_t key, uint64_t count) { places_[key] += count; });
    part = {};
  }
  cubes_.reserve(places_.size());
  places_.for_each([&](uint64_t key, uint64_t) { cubes_.push_back(key); });
  std::ranges::sort(cubes_);
  counts_.reserve(cubes_.size());
  for (size_t i = 0; i < cubes_.size(); ++i) counts_.push_back(std::exchange(places_[cubes_[i]], i));
}

size_t PointCubes::load(size_t begin, size_t end) {
  if (begin < first_ || begin >= last_) {
    choose_cubes(begin);
    load_records();
  }
  return std::min(end, last_);
}

// Chooses as many cubes from `begin` on as there is room for, and takes memory for them.
void PointCubes::choose_cubes(size_t begin) {
  records_.reset();
  dense_.clear();
  first_ = last_ = begin;
  uint64_t bytes = 0, records = 0;
  starts_.clear();
  for (; last_ < cubes_.size() && (last_ == begin || bytes + bytes_of(last_) <= room_); ++last_) {
    bytes += bytes_of(last_);
    starts_.push_back(records);
    records += is_dense(last_) ? 0 : counts_[last_];
    dense_.push_back(is_dense(last_) ? std::make_unique<VoxelSums>() : nullptr);
  }
  ends_ = starts_;
  records_ = std::make_unique_for_overwrite<PointRecord[]>(records);
}

void PointCubes::load_records() {
  if (first_ == last_) return;
  const uint64_t first_key = cubes_[first_], last_key = cubes_[last_ - 1];
  for_each_point_record(cloud_, lattice_, [&](uint64_t key, PointRecord record) {
    if (key >= first_key && key <= last_key) put(key, record);
  });
}

// A file that another program writes to meanwhile may tell other points than when they were counted.
void PointCubes::put(uint64_t key, PointRecord record) {
  const size_t cube = places_.at(key), i = cube - first_;
  if (cubes_[cube] != key) throw Error("the points have changed while they were read");
  if (VoxelSums* sums = dense_[i].get()) {
    lattice_.for_each_voxel(record, corner_of(cube),
                            [&](uint32_t code) { sums->add_shared(code, record.rgb()); });
    return;
  }
  const uint64_t at = std::atomic_ref(ends_[i]).fetch_add(1, std::memory_order_relaxed);
  if (at - starts_[i] >= counts_[cube]) throw Error("the points have changed while they were read");
  records_[at] = record;
}

template <class Body>
void PointCubes::for_each_record(size_t cube, const Body& body) const {
  const size_t i = cube - first_;
  for (uint64_t at = starts_[i]; at < ends_[i]; ++at) body(records_[at]);
}

void PointCubes::fill(size_t cube, VoxelSink& to) const {
  if (const VoxelSums* sums = dense_[cube - first_].get()) {
    for (uint32_t code = 0; code < sums->voxels(); ++code)
      if (sums->has_points(code)) to.put(code, 0);
    return;
  }
  for_each_record(cube, [&](PointRecord record) {
    lattice_.for_each_voxel(record, corner_of(cube), [&](uint32_t code) { to.put(code, 0); });
  });
}

void PointCubes::paint(size_t cube, VoxelSink& to) const {
  if (const VoxelSums* sums = dense_[cube - first_].get()) {
    for (uint32_t code = 0; code < sums->voxels(); ++code)
      if (sums->has_points(code)) to.put(code, rgb_value(sums->mean(code)));
    return;
  }
  auto& [sums, codes] = rooms_.local();
  for_each_record(cube, [&](PointRecord record) {
    lattice_.for_each_voxel(record, corner_of(cube), [&](uint32_t code) {
      if (sums.add(code, record.rgb()) == 0) codes.push_back(code);
    });
  });
  for (const uint32_t code : codes) {
    to.put(code, rgb_value(sums.mean(code)));
    sums.clear(code);
  }
  codes.clear();
}

}  // namespace vox
