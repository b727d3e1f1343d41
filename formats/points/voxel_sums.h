// The colours of the points in each voxel of a cube of 64³, added up in linear light: in whole numbers, which come
// to the same in every order.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "libvox/dag/voxel_cube.h"
#include "libvox/scene/color_tally.h"
#include "libvox/scene/palette.h"

namespace vox {

class VoxelSums {
 public:
  static constexpr uint64_t kBytes = uint64_t{32} * dag::VoxelCube::kLeaves * 64;  // 8 MiB

  VoxelSums() : sums_(dag::VoxelCube::kLeaves * 64) {}

  // Adds a point of this colour to a voxel. Returns how many it has had before.
  uint64_t add(uint32_t code, uint32_t rgb) {
    Sum& sum = sums_[code];
    sum.r += kLinear[rgb >> 16 & 255], sum.g += kLinear[rgb >> 8 & 255], sum.b += kLinear[rgb & 255];
    return sum.points++;
  }

  // Does the same where several threads do.
  void add_shared(uint32_t code, uint32_t rgb) {
    const auto add = [](uint64_t& to, uint64_t value) {
      std::atomic_ref(to).fetch_add(value, std::memory_order_relaxed);
    };
    Sum& sum = sums_[code];
    add(sum.r, kLinear[rgb >> 16 & 255]);
    add(sum.g, kLinear[rgb >> 8 & 255]);
    add(sum.b, kLinear[rgb & 255]);
    add(sum.points, 1);
  }

  bool has_points(uint32_t code) const { return sums_[code].points > 0; }
  uint32_t voxels() const { return static_cast<uint32_t>(sums_.size()); }

  // The mean colour of a voxel that has points.
  scene::Rgb8 mean(uint32_t code) const;

  void clear(uint32_t code) { sums_[code] = {}; }

 private:
  struct Sum {
    uint64_t points = 0, r = 0, g = 0, b = 0;
  };
  static_assert(sizeof(Sum) == 32);
  static inline const std::array<uint16_t, 256>& kLinear = scene::ColorTally::kLinear16;

  std::vector<Sum> sums_;
};

}  // namespace vox
