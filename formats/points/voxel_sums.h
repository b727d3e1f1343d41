// Sums of the points' colours in each voxel of a cube of 64³, in linear light. They are whole numbers, so
// their order does not matter.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "libvox/dag/voxel_cube.h"
#include "libvox/scene/color_tally.h"
#include "libvox/scene/palette.h"

namespace vox {

// The sum of some points' colours.
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

  // The same, if several threads add at once.
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

// Sums for cubes in which most voxels have points, with one for each voxel.
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

// Sums for cubes with few points, only for voxels that have some.
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

}  // namespace vox
