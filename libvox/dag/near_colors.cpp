#include <algorithm>
#include <span>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/walk.h"
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

}  // namespace vox::dag
