#include <algorithm>
#include <utility>
#include <vector>

#include "libvox/attributes/pack.h"
#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/node.h"
#include "libvox/dag/voxel_numbers.h"
#include "libvox/dag/walk.h"
#include "libvox/device/cpu_device.h"

namespace vox::dag {
namespace {

// The values of these are found at once.
constexpr uint64_t kValuesAtOnce = uint64_t{1} << 22;
constexpr size_t kPartsAtOnce = size_t{1} << 16;

// Goes through both scenes in Morton order, many parts at once. Along a row of voxels, x ascends in this order, so that one
// value for each row is the last of the surface on the ray. Parts in different rows do not need each other.
class InsideWalk {
 public:
  InsideWalk(const FrozenDag& solid, const FrozenDag& surface, const attributes::PackedValues& values,
             std::optional<uint32_t> interior)
      : solid_(solid),
        surface_(surface),
        numbers_(solid),
        surface_numbers_(surface),
        values_(values),
        interior_(interior),
        packer_(device_, values.table.empty() ? values.value_bits : attributes::kMostValueBits) {
    if (!interior) last_.assign(uint64_t{solid.side()} * solid.side(), values.count > 0 ? values[0] : 0);
  }

  attributes::PackedValues run() {
    if (!solid_.empty()) add_parts(0, 0, {surface_.empty() ? kNone : 0, 0}, {0, 0, 0});
    find_values();
    return packer_.finish();
  }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  static constexpr int32_t kPartSide = 32;

  // The surface's node at a place, or kNone, and the number of its first voxel.
  struct SurfaceNode {
    uint64_t number, first;
  };
  // A node of the solid of at most kPartSide voxels a side, or voxels of any cube without surface.
  struct Part {
    Int3 corner;
    uint32_t level = 0;
    uint64_t number = 0;
    SurfaceNode surface = {};
    uint64_t voxels = 0;
    uint64_t to = 0;  // the place of its first value among those that are found at once
  };

  void add_parts(uint32_t level, uint64_t number, SurfaceNode surface, Int3 corner) {
    uint64_t voxels = numbers_.voxels(level, number);
    if (surface.number == kNone) {
      for (uint64_t some; voxels > 0; voxels -= some) {
        some = std::min(voxels, kValuesAtOnce - values_at_once_);
        add({corner, level, number, surface, some});
      }
    } else if (solid_.level_side(level) <= kPartSide) {
      if (values_at_once_ + voxels > kValuesAtOnce) find_values();
      add({corner, level, number, surface, voxels});
    } else {
      for_each_child(level, number, surface, corner, [&](auto... child) { add_parts(level + 1, child...); });
    }
  }

  void add(Part part) {
    part.to = values_at_once_;
    parts_.push_back(part);
    values_at_once_ += part.voxels;
    if (values_at_once_ == kValuesAtOnce || parts_.size() == kPartsAtOnce) find_values();
  }

  // Calls on_child(number, surface, corner) for each child of a node.
  template <class OnChild>
  void for_each_child(uint32_t level, uint64_t number, SurfaceNode surface, Int3 corner,
                      const OnChild& on_child) const {
    const uint32_t *node = solid_.levels[level].node(number),
                   *other = surface_.levels[level].node(surface.number);
    const auto half = static_cast<int32_t>(solid_.level_side(level + 1));
    uint32_t word = 1, other_word = 1;
    for (uint32_t mask = child_mask(*node); mask != 0; mask &= mask - 1, ++word) {
      const auto octant = static_cast<uint32_t>(lowest_bit(mask));
      SurfaceNode below = {kNone, 0};
      if ((child_mask(*other) >> octant & 1) != 0) {
        below = {other[other_word],
                 surface.first + surface_numbers_.before(level, surface.number, other_word)};
        ++other_word;
      }
      on_child(uint64_t{node[word]}, below, corner + octant_corner(octant, half));
    }
  }

  // Finds the values of all parts that have been added, row of parts by row of parts.
  void find_values() {
    throw_if_cancelled();
    if (parts_.empty()) return;
    const auto row_of = [](const Part& part) {
      return std::pair(part.corner.z / kPartSide, part.corner.y / kPartSide);
    };
    std::ranges::stable_sort(parts_, {}, row_of);
    std::vector<size_t> begins;
    for (size_t i = 0; i < parts_.size(); ++i)
      if (i == 0 || row_of(parts_[i]) != row_of(parts_[i - 1])) begins.push_back(i);
    begins.push_back(parts_.size());
    auto chunk = packer_.chunk(values_at_once_);
    parallel_for(size_t{0}, begins.size() - 1, [&](size_t row) {
      for (size_t i = begins[row]; i < begins[row + 1]; ++i) {
        uint32_t* const to = chunk.begin() + parts_[i].to;
        if (parts_[i].surface.number == kNone)
          std::fill_n(to, parts_[i].voxels, value_at(parts_[i].corner));
        else
          visit(parts_[i].level, parts_[i].number, parts_[i].surface, parts_[i].corner, to);
      }
    });
    found_ += values_at_once_;
    packer_.add(packer_.packed(chunk), static_cast<double>(found_) / static_cast<double>(solid_.voxels));
    parts_.clear();
    values_at_once_ = 0;
  }

  // Returns the end of the values that it writes.
  uint32_t* visit(uint32_t level, uint64_t number, SurfaceNode surface, Int3 corner, uint32_t* to) {
    if (surface.number == kNone) return std::fill_n(to, numbers_.voxels(level, number), value_at(corner));
    if (level == solid_.depth()) return visit_leaf(number, surface, corner, to);
    for_each_child(level, number, surface, corner,
                   [&](auto... child) { to = visit(level + 1, child..., to); });
    return to;
  }

  uint32_t* visit_leaf(uint64_t number, SurfaceNode surface, Int3 corner, uint32_t* to) {
    const uint64_t shown = leaf_mask(surface_.levels.back().node(surface.number));
    uint64_t next = surface.first;
    visit_bits(leaf_mask(solid_.levels.back().node(number)), [&](uint32_t bit) {
      const Int3 voxel = corner + cube_place(bit);
      const bool is_surface = (shown >> bit & 1) != 0;
      const uint32_t value = is_surface ? values_[next++] : value_at(voxel);
      if (is_surface && !interior_) last_[row(voxel)] = value;
      *to++ = value;
    });
    return to;
  }

  uint32_t value_at(Int3 voxel) const { return interior_ ? *interior_ : last_[row(voxel)]; }
  size_t row(Int3 voxel) const {
    return static_cast<size_t>(voxel.z) * solid_.side() + static_cast<size_t>(voxel.y);
  }

  const FrozenDag& solid_;
  const FrozenDag& surface_;
  const VoxelNumbers numbers_, surface_numbers_;
  const attributes::PackedValues& values_;
  const std::optional<uint32_t> interior_;
  device::CpuDevice device_{UINT64_MAX, false};
  attributes::StreamPacker<device::CpuDevice> packer_;
  std::vector<uint32_t> last_;               // of each row of voxels, without `interior_`
  std::vector<Part> parts_;                  // of which the values have not been found yet,
  uint64_t values_at_once_ = 0, found_ = 0;  // their number, and that of those before
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
