// One bit for each 64³ cube of a dense grid, set if the cube contains a filled voxel. Several threads may set
// bits.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/dag/from_cubes.h"

namespace vox {

class CubeMarks {
 public:
  // The grid's voxels lie in [0, size) on each axis.
  explicit CubeMarks(Vec3<uint64_t> size)
      : cubes_{(size.x + 63) / 64, (size.y + 63) / 64, (size.z + 63) / 64},
        words_((cubes_.x * cubes_.y * cubes_.z + 63) / 64) {}

  void mark(Vec3<uint64_t> voxel) {
    const uint64_t bit = ((voxel.z / 64) * cubes_.y + voxel.y / 64) * cubes_.x + voxel.x / 64;
    const std::atomic_ref<uint64_t> word(words_[bit / 64]);
    const uint64_t mask = uint64_t{1} << (bit & 63);
    if ((word.load(std::memory_order_relaxed) & mask) == 0) word.fetch_or(mask, std::memory_order_relaxed);
  }

  // Returns the keys of the marked cubes, ascending.
  std::vector<uint64_t> keys() const {
    std::vector<uint64_t> keys;
    for (uint64_t i = 0; i < words_.size(); ++i)
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        const uint64_t bit = i * 64 + static_cast<uint64_t>(lowest_bit(word));
        keys.push_back(morton_encode(static_cast<uint32_t>(bit % cubes_.x),
                                     static_cast<uint32_t>(bit / cubes_.x % cubes_.y),
                                     static_cast<uint32_t>(bit / cubes_.x / cubes_.y)));
      }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

 private:
  Vec3<uint64_t> cubes_;
  std::vector<uint64_t> words_;
};

}  // namespace vox
