// Cuts a box into pieces that follow one another in the box's order, x fastest. Each piece consists of
// several layers, of several rows of one layer, or of a part of one row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libvox/base/voxel_box.h"

namespace vox::volume {

class Pieces {
 public:
  // Pieces have at most `most` voxels, and at least 1.
  Pieces(const VoxelBox& region, uint64_t most) : region_(region) {
    const Int3 size = region.size();
    const auto fits = [&](uint64_t unit, int32_t side) {
      return static_cast<int32_t>(std::clamp<uint64_t>(most / unit, 1, uint64_t(side)));
    };
    const auto row = static_cast<uint64_t>(size.x);
    piece_ = {fits(1, size.x), fits(row, size.y), fits(row * uint64_t(size.y), size.z)};
    const auto count = [](int32_t side, int32_t each) { return (side + each - 1) / each; };
    counts_ = {count(size.x, piece_.x), count(size.y, piece_.y), count(size.z, piece_.z)};
  }

  uint64_t count() const { return VoxelBox{{0, 0, 0}, counts_}.voxels(); }

  VoxelBox operator[](uint64_t i) const {
    const auto columns = static_cast<uint64_t>(counts_.x), rows = static_cast<uint64_t>(counts_.y);
    const Int3 at = {static_cast<int32_t>(i % columns), static_cast<int32_t>(i / columns % rows),
                     static_cast<int32_t>(i / columns / rows)};
    const Int3 corner = region_.min + Int3{at.x * piece_.x, at.y * piece_.y, at.z * piece_.z};
    return intersection({corner, corner + piece_}, region_);
  }

 private:
  VoxelBox region_;
  Int3 piece_, counts_;
};

}  // namespace vox::volume
