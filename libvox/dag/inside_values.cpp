#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/node.h"
#include "libvox/dag/voxel_numbers.h"

namespace vox::dag {
namespace {

// Walks through both scenes in Morton order. Along a row of voxels, x ascends in this order, so that one value for each row
// is the last of the surface on the ray.
class InsideWalk {
 public:
  InsideWalk(const FrozenDag& solid, const FrozenDag& surface, const attributes::PackedValues& values,
             std::optional<uint32_t> interior)
      : solid_(solid),
        surface_(surface),
        numbers_(solid),
        values_(values),
        interior_(interior),
        writer_(values.table.empty() ? values.value_bits : attributes::kMostValueBits) {
    if (!interior) last_.assign(uint64_t{solid.side()} * solid.side(), values.count > 0 ? values[0] : 0);
  }

  attributes::PackedValues run() {
    if (!solid_.empty()) visit(0, 0, surface_.empty() ? kNone : 0, {0, 0, 0});
    return writer_.finish();
  }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;

  // `surface` is the number of the surface's node at the same place.
  void visit(uint32_t level, uint64_t number, uint64_t surface, Int3 corner) {
    if (surface == kNone) return fill(numbers_.voxels(level, number), corner);
    const uint32_t *node = solid_.levels[level].node(number), *other = surface_.levels[level].node(surface);
    if (level == solid_.depth()) return visit_leaf(leaf_mask(node), leaf_mask(other), corner);
    const auto half = static_cast<int32_t>(solid_.level_side(level + 1));
    const uint32_t there = child_mask(*other);
    const uint32_t *child = node + 1, *other_child = other + 1;
    for (uint32_t mask = child_mask(*node); mask != 0; mask &= mask - 1) {
      const auto octant = static_cast<uint32_t>(lowest_bit(mask));
      const uint64_t below = (there >> octant & 1) != 0 ? *other_child++ : kNone;
      visit(level + 1, *child++, below, corner + octant_corner(octant, half));
    }
  }

  void visit_leaf(uint64_t mask, uint64_t surface, Int3 corner) {
    for (; mask != 0; mask &= mask - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(mask));
      const Int3 voxel = corner + cube_place(bit);
      const bool is_surface = (surface >> bit & 1) != 0;
      const uint32_t value = is_surface ? values_[next_++] : value_at(voxel);
      if (is_surface && !interior_) last_[row(voxel)] = value;
      writer_.put(value);
    }
  }

  void fill(uint64_t voxels, Int3 corner) {
    for (const uint32_t value = value_at(corner); voxels > 0; --voxels) writer_.put(value);
  }

  uint32_t value_at(Int3 voxel) const { return interior_ ? *interior_ : last_[row(voxel)]; }
  size_t row(Int3 voxel) const {
    return static_cast<size_t>(voxel.z) * solid_.side() + static_cast<size_t>(voxel.y);
  }

  const FrozenDag& solid_;
  const FrozenDag& surface_;
  const VoxelNumbers numbers_;
  const attributes::PackedValues& values_;
  const std::optional<uint32_t> interior_;
  attributes::ValueWriter writer_;
  std::vector<uint32_t> last_;  // of each row of voxels, without `interior_`
  uint64_t next_ = 0;           // the number of the next voxel of the surface
};

}  // namespace

attributes::PackedValues inside_values(const FrozenDag& solid, const FrozenDag& surface,
                                       const attributes::PackedValues& values,
                                       std::optional<uint32_t> interior, uint64_t memory) {
  const uint64_t side = solid.side();
  const uint64_t bytes = attributes::groups_of(solid.voxels) * sizeof(attributes::ValueGroup) +
                         (interior ? 0 : side * side * sizeof(uint32_t));
  if (bytes > memory) throw OutOfMemory(bytes, memory);
  return InsideWalk(solid, surface, values, interior).run();
}

}  // namespace vox::dag
