#include <algorithm>
#include <span>
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
#include "libvox/dag/walk.h"
#include "libvox/device/cpu_device.h"
#include "libvox/scene/oklab.h"

namespace vox::dag {
namespace {

using attributes::kBlockValues;
using attributes::kGroupValues;

// The places of colors in Oklab, scaled so that their distance is ΔE.
class ColorPlaces {
 public:
  explicit ColorPlaces(const std::vector<uint32_t>& table) : is_tabled_(!table.empty()) {
    for (const uint32_t color : table) of_table_.push_back(place_of(color));
  }
  // Returns the place of a color, or of a number in the table.
  Vec3d operator()(uint32_t stored) const { return is_tabled_ ? of_table_[stored] : place_of(stored); }

 private:
  static Vec3d place_of(uint32_t color) {
    return scene::linear_to_oklab(scene::srgb_to_linear(scene::unpacked_color(color))) * scene::kDeltaE;
  }

  bool is_tabled_;
  std::vector<Vec3d> of_table_;
};

double square_distance(const Vec3d& a, const Vec3d& b) {
  return dot(a - b, a - b);
}

// Replaces the colors of one block after the other of a group.
class GroupOfColors {
 public:
  GroupOfColors(const ColorPlaces& place, double most) : place_(place), square_(most * most) {}

  // Replaces each value by one of the block's, or by that of the block before if this has one that is near to all. Returns
  // the sum of the distances.
  double replace(std::span<uint32_t> block) {
    find_different(block);
    if (is_one_ && is_near_all(place_(before_)))
      replaced_.assign(values_.size(), before_);
    else
      choose();
    double sum = 0;
    for (size_t i = 0; i < values_.size(); ++i)
      sum += popcount(voxels_[i]) * square_root(square_distance(places_[i], place_(replaced_[i])));
    before_ = replaced_[0];
    is_one_ = std::ranges::all_of(replaced_, [&](uint32_t value) { return value == before_; });
    for (size_t i = 0; i < values_.size(); ++i)
      visit_bits(voxels_[i], [&](uint32_t voxel) { block[voxel] = replaced_[i]; });
    return sum;
  }

 private:
  void find_different(std::span<const uint32_t> block) {
    values_.clear(), places_.clear(), voxels_.clear();
    for (size_t voxel = 0; voxel < block.size(); ++voxel) {
      const auto known = std::ranges::find(values_, block[voxel]);
      const auto number = static_cast<size_t>(known - values_.begin());
      if (known == values_.end()) {
        values_.push_back(block[voxel]);
        places_.push_back(place_(block[voxel]));
        voxels_.push_back(0);
      }
      voxels_[number] |= uint64_t{1} << voxel;
    }
  }

  bool is_near_all(const Vec3d& place) const {
    return std::ranges::all_of(places_,
                               [&](const Vec3d& other) { return square_distance(place, other) <= square_; });
  }

  // Chooses, again and again, the color that is near to most of the voxels that have none yet.
  void choose() {
    const size_t count = values_.size();
    near_ = voxels_;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < i; ++j)
        if (square_distance(places_[i], places_[j]) <= square_)
          near_[i] |= voxels_[j], near_[j] |= voxels_[i];
    chosen_.clear();
    uint64_t left = 0;
    for (const uint64_t voxels : voxels_) left |= voxels;
    while (left != 0) {
      const auto best =
          std::ranges::max_element(near_, {}, [&](uint64_t voxels) { return popcount(voxels & left); });
      chosen_.push_back(static_cast<size_t>(best - near_.begin()));
      left &= ~*best;
    }
    replaced_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const auto distance = [&](size_t chosen) { return square_distance(places_[i], places_[chosen]); };
      replaced_[i] = values_[*std::ranges::min_element(chosen_, {}, distance)];
    }
  }

  const ColorPlaces& place_;
  const double square_;
  bool is_one_ = false;           // true if the block before has a single color,
  uint32_t before_ = 0;           // which is this one
  std::vector<uint32_t> values_;  // the different ones of this block
  std::vector<Vec3d> places_;
  std::vector<uint64_t> voxels_;  // for each value, the voxels of the block that have it
  std::vector<uint64_t> near_;    // for each value, the voxels to which it is near
  std::vector<size_t> chosen_;    // indices of values
  std::vector<uint32_t> replaced_;
};

}  // namespace

NearColors near_colors(const attributes::PackedValues& colors, double most) {
  constexpr uint64_t kAtOnce = uint64_t{kGroupValues} << 12;
  const ColorPlaces place(colors.table);
  attributes::ValueWriter writer(colors.value_bits, colors.table);
  std::vector<uint32_t> values;
  std::vector<double> distances(kAtOnce / kGroupValues);  // the sums of groups
  double sum = 0;
  for (uint64_t first = 0; first < colors.count; first += kAtOnce) {
    throw_if_cancelled();
    values.resize(std::min(kAtOnce, colors.count - first));
    const uint64_t groups = attributes::groups_of(values.size());
    parallel_for(uint64_t{0}, groups, [&](uint64_t g) {
      const uint64_t begin = g * kGroupValues;
      const std::span<uint32_t> group =
          std::span(values).subspan(begin, std::min<uint64_t>(kGroupValues, values.size() - begin));
      for (uint64_t i = 0; i < group.size(); ++i) group[i] = colors.ref().stored(first + begin + i);
      GroupOfColors replacing(place, most);
      distances[g] = 0;
      for (uint64_t i = 0; i < group.size(); i += kBlockValues)
        distances[g] +=
            replacing.replace(group.subspan(i, std::min<uint64_t>(kBlockValues, group.size() - i)));
    });
    for (uint64_t g = 0; g < groups; ++g) sum += distances[g];
    writer.put(values);
  }
  return {attributes::with_table(writer.finish()),
          sum / static_cast<double>(std::max<uint64_t>(colors.count, 1))};
}

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
