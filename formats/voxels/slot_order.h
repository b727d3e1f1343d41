// Converts between our order of octants and voxels, z << 2 | y << 1 | x, and the order in files whose slot is
// x << 2 | y << 1 | z (HashDAG, SymVox). In those files y points up; a scene with another axis up is rotated,
// not mirrored.
#pragma once

#include <array>
#include <cstdint>

#include "libvox/base/cube_order.h"
#include "libvox/base/vec.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Converts a place in a grid in which `up` points up to the same grid with y up, by a cyclic exchange of the
// axes.
template <class T>
constexpr Vec3<T> turned_y_up(const Vec3<T>& place, dag::UpAxis up) {
  switch (up) {
    case dag::UpAxis::X:
      return {place.z, place.x, place.y};
    case dag::UpAxis::Y:
      break;
    case dag::UpAxis::Z:
      return {place.y, place.z, place.x};
  }
  return place;
}

// Maps our octants to a file's slots. If y points up, the map is its own inverse.
class SlotOrder {
 public:
  explicit SlotOrder(dag::UpAxis up) {
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const Int3 place = turned_y_up(octant_place(octant), up);
      const auto slot = static_cast<uint8_t>(place.x << 2 | place.y << 1 | place.z);
      slots_[octant] = slot;
      octants_[slot] = static_cast<uint8_t>(octant);
    }
    for (uint32_t mask = 0; mask < masks_.size(); ++mask)
      for (uint32_t octant = 0; octant < 8; ++octant)
        masks_[mask] = static_cast<uint8_t>(masks_[mask] | (mask >> octant & 1) << slots_[octant]);
  }

  uint32_t slot(uint32_t octant) const { return slots_[octant]; }
  uint32_t octant(uint32_t slot) const { return octants_[slot]; }

  // Converts a mask of octants to a mask of slots.
  uint32_t mask_of_slots(uint32_t octants) const { return masks_[octants]; }

  // Converts a mask of 4³ voxels: byte s has the voxels of slot s, in the order of slots.
  uint64_t leaf_mask(uint64_t mask) const {
    uint64_t turned = 0;
    for (uint32_t octant = 0; octant < 8; ++octant)
      turned |= uint64_t{masks_[mask >> 8 * octant & 0xff]} << 8 * slots_[octant];
    return turned;
  }

  // Returns our bit for the voxel that has this bit in a file's mask of 4³ voxels.
  uint32_t voxel(uint32_t bit) const { return uint32_t{octants_[bit >> 3]} << 3 | octants_[bit & 7]; }

 private:
  std::array<uint8_t, 8> slots_ = {}, octants_ = {};
  std::array<uint8_t, 256> masks_ = {};
};

}  // namespace vox
