// Edits on a plain array, voxel by voxel: slow and obviously right; tests compare sessions with them. And the number of
// items that a store of several scenes needs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/shape.h"
#include "tests/voxelize/brute_force.h"

namespace vox {

// Natural numbers below 2^256, with multiplication as done by hand.

class Natural {
 public:
  Natural() = default;
  explicit Natural(uint64_t value)
      : digits_{static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)} {}

  friend Natural operator+(const Natural& a, const Natural& b) {
    Natural sum;
    uint64_t carry = 0;
    for (size_t i = 0; i < kDigits; ++i) {
      carry += uint64_t{a.digits_[i]} + b.digits_[i];
      sum.digits_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }

  friend Natural operator*(const Natural& a, uint64_t b) {
    return a.times(static_cast<uint32_t>(b)) + a.times(static_cast<uint32_t>(b >> 32)).shifted();
  }

  friend bool operator<=(const Natural& a, const Natural& b) {
    for (size_t i = kDigits; i-- > 0;)
      if (a.digits_[i] != b.digits_[i]) return a.digits_[i] < b.digits_[i];
    return true;
  }

 private:
  static constexpr size_t kDigits = 8;

  Natural times(uint32_t digit) const {
    Natural result;
    uint64_t carry = 0;
    for (size_t i = 0; i < kDigits; ++i) {
      carry += uint64_t{digits_[i]} * digit;
      result.digits_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    return result;
  }
  Natural shifted() const {
    Natural result;
    for (size_t i = 1; i < kDigits; ++i) result.digits_[i] = digits_[i - 1];
    return result;
  }

  std::array<uint32_t, kDigits> digits_{};  // 32 bits each, the lowest first
};

using Triple = std::array<int64_t, 3>;

inline Triple triple(const edit::EditPlace& p) {
  return {p.x, p.y, p.z};
}
inline Triple triple(const Int3& p) {
  return {p.x, p.y, p.z};
}
inline Int3 int3(const Triple& t) {
  return {static_cast<int32_t>(t[0]), static_cast<int32_t>(t[1]), static_cast<int32_t>(t[2])};
}

// ---- shapes ---------------------------------------------------------------------------------------------

__extension__ using BigInt = __int128;

inline BigInt square(BigInt v) {
  return v * v;
}

inline bool dense_in_sphere(const Triple& center, int64_t radius, const Triple& p) {
  BigInt sum = 0;
  for (size_t k = 0; k < 3; ++k) sum += square(p[k] - center[k]);
  return radius >= 0 && sum <= square(radius);
}

inline bool dense_in_box(const Triple& low, const Triple& high, int64_t grown, const Triple& p) {
  for (size_t k = 0; k < 3; ++k)
    if (p[k] < low[k] - grown || p[k] > high[k] + grown) return false;
  return true;
}

// Returns −1 for a place before the line's start, +1 for one behind its end, otherwise 0.
inline int side_of_line(const Triple& a, const Triple& b, const Triple& p) {
  BigInt from_a = 0, from_b = 0;
  for (size_t k = 0; k < 3; ++k) {
    from_a += BigInt{p[k] - a[k]} * (b[k] - a[k]);
    from_b += BigInt{p[k] - b[k]} * (b[k] - a[k]);
  }
  return from_a < 0 ? -1 : from_b > 0 ? 1 : 0;
}

// True if p is near the infinite line. The test is the area of a parallelogram: |(p − a) × (b − a)| ≤ radius
// · |b − a|.
inline bool near_endless_line(const Triple& a, const Triple& b, int64_t radius, const Triple& p) {
  BigInt area2 = 0, length2 = 0;
  for (size_t k = 0; k < 3; ++k) {
    const size_t l = (k + 1) % 3, m = (k + 2) % 3;
    area2 += square(BigInt{p[l] - a[l]} * (b[m] - a[m]) - BigInt{p[m] - a[m]} * (b[l] - a[l]));
    length2 += square(b[k] - a[k]);
  }
  return area2 <= square(radius) * length2;
}

inline bool dense_in_capsule(const Triple& a, const Triple& b, int64_t radius, const Triple& p) {
  if (dense_in_sphere(a, radius, p) || dense_in_sphere(b, radius, p)) return true;
  return a != b && side_of_line(a, b, p) == 0 && near_endless_line(a, b, radius, p);
}

inline bool dense_in_ellipsoid(const Triple& center, const Triple& radii, const Triple& p) {
  long double sum = 0;
  std::array<uint64_t, 3> d{}, r{};
  for (size_t k = 0; k < 3; ++k) {
    const int64_t offset = p[k] - center[k];
    if (radii[k] == 0 && offset != 0) return false;
    d[k] = static_cast<uint64_t>(square(offset));
    r[k] = radii[k] == 0 ? 1 : static_cast<uint64_t>(square(radii[k]));
    sum += static_cast<long double>(d[k]) / static_cast<long double>(r[k]);
  }
  if (std::abs(sum - 1) > 1e-9L) return sum < 1;  // far more than the rounding error
  Natural left;
  for (size_t k = 0; k < 3; ++k) left = left + Natural(d[k]) * r[(k + 1) % 3] * r[(k + 2) % 3];
  return left <= Natural(r[0]) * r[1] * r[2];
}

// True if the shape contains a place, which is given in 1/256 voxel.
inline bool dense_contains(const edit::Shape& shape, const Triple& p) {
  const Triple a = triple(shape.a), b = triple(shape.b);
  int64_t grown = 0;  // shape_test.cpp tests the noise itself
  if (shape.roughness > 0)
    grown = static_cast<int64_t>(
        std::floor(static_cast<double>(edit::noise_at({p[0], p[1], p[2]}, shape.seed, shape.grain)) *
                   static_cast<double>(shape.roughness) / 32768));
  switch (shape.kind) {
    case edit::ShapeKind::Everything:
      return true;
    case edit::ShapeKind::Sphere:
      return dense_in_sphere(a, shape.radius + grown, p);
    case edit::ShapeKind::Box:
      return dense_in_box(a, b, grown, p);
    case edit::ShapeKind::Capsule:
      return dense_in_capsule(a, b, shape.radius, p);
    case edit::ShapeKind::Cylinder:
      return side_of_line(a, b, p) == 0 && near_endless_line(a, b, shape.radius, p);
    case edit::ShapeKind::Ellipsoid:
      return dense_in_ellipsoid(a, b, p);
  }
  return false;
}

inline bool dense_contains(const edit::Shape& shape, const Int3& voxel) {
  return dense_contains(shape, Triple{voxel.x * int64_t{256} + 128, voxel.y * int64_t{256} + 128,
                                      voxel.z * int64_t{256} + 128});
}

// ---- edits ----------------------------------------------------------------------------------------------

template <class F>
void for_each_voxel(const Dense& grid, const F& f) {
  const auto n = static_cast<int32_t>(grid.side);
  for (int32_t z = 0; z < n; ++z)
    for (int32_t y = 0; y < n; ++y)
      for (int32_t x = 0; x < n; ++x) f(Int3{x, y, z});
}

inline int voxel_or_empty(const Dense& grid, const Int3& p) {
  return grid.contains(p) ? grid.at(p) : dag::kEmptyVoxel;
}

class DenseEditor {
 public:
  // `scenes[0]` is the one being edited.
  explicit DenseEditor(std::vector<Dense>& scenes) : scenes_(scenes), grid_(scenes[0]), old_(scenes[0]) {}

  void operator()(const edit::PaintEdit& edit) {
    for_each_voxel(grid_, [&](const Int3& p) {
      int8_t& voxel = grid_.at(p);
      const auto material = static_cast<int8_t>(edit.material);
      const bool changes = edit.mode == edit::PaintMode::Add || edit.mode == edit::PaintMode::Remove ||
                           (edit.mode == edit::PaintMode::Paint && voxel != dag::kEmptyVoxel) ||
                           (edit.mode == edit::PaintMode::Replace && voxel == edit.replaced);
      if (changes && dense_contains(edit.shape, p))
        voxel = edit.mode == edit::PaintMode::Remove ? dag::kEmptyVoxel : material;
    });
  }

  // Copies voxel by voxel from the source to the target.
  void operator()(edit::CopyEdit edit) {
    const Dense source = edit.scene == edit::kThisScene ? old_ : scenes_[edit.scene];
    if (edit.scene != edit::kThisScene && edit.source.empty()) edit.source = cube_at({0, 0, 0}, source.side);
    const Triple min = triple(edit.source.min), max = triple(edit.source.max), to = triple(edit.to);
    for (int32_t z = edit.source.min.z; z < edit.source.max.z; ++z)
      for (int32_t y = edit.source.min.y; y < edit.source.max.y; ++y)
        for (int32_t x = edit.source.min.x; x < edit.source.max.x; ++x) {
          const Triple from = {x, y, z};
          if (!source.contains({x, y, z})) continue;
          Triple target;
          for (size_t k = 0; k < 3; ++k) {
            const size_t axis = edit.turn.axis[k];
            target[k] = to[k] + (edit.turn.flip[k] ? max[axis] - 1 - from[axis] : from[axis] - min[axis]);
          }
          const int8_t voxel = source.at({x, y, z});
          if (!grid_.contains(int3(target)) || (edit.skip_empty && voxel == dag::kEmptyVoxel)) continue;
          if (edit.keep_filled && old_.at(int3(target)) != dag::kEmptyVoxel) continue;
          if (dense_contains(edit.within, int3(target))) grid_.at(int3(target)) = voxel;
        }
  }

  void operator()(const edit::CombineEdit& edit) {
    const Dense other = edit.scene == edit::kThisScene ? old_ : scenes_[edit.scene];
    for_each_voxel(grid_, [&](const Int3& p) {
      const int there = voxel_or_empty(other, p - edit.at);
      int8_t& here = grid_.at(p);
      if (edit.mode == edit::CombineMode::Union && here == dag::kEmptyVoxel)
        here = static_cast<int8_t>(there);
      if (edit.mode == edit::CombineMode::Subtract && there != dag::kEmptyVoxel) here = dag::kEmptyVoxel;
      if (edit.mode == edit::CombineMode::Intersect && there == dag::kEmptyVoxel) here = dag::kEmptyVoxel;
    });
  }

  void operator()(const edit::MorphEdit& edit) {
    for (uint32_t step = 0; step < edit.steps; ++step) {
      old_ = grid_;
      for_each_voxel(grid_, [&](const Int3& p) {
        if (dense_contains(edit.shape, p)) grid_.at(p) = static_cast<int8_t>(morphed(edit.mode, p));
      });
    }
  }

  // Fills. If more than `limit` voxels are reached, nothing changes.
  void operator()(const edit::FillEdit& edit) {
    const std::vector<Int3> voxels = flooded(edit);
    if (voxels.size() > edit.limit) return;
    for (const Int3& p : voxels) grid_.at(p) = static_cast<int8_t>(edit.material);
  }

  // Returns the voxels that a fill reaches. Its seed lies in the grid and in the shape.
  std::vector<Int3> flooded(const edit::FillEdit& edit) const {
    const int like = grid_.at(edit.seed);
    std::vector<char> seen(grid_.voxels.size());
    std::vector<Int3> found = {edit.seed};
    seen[grid_.index(edit.seed)] = 1;
    for (size_t i = 0; i < found.size(); ++i)
      for (const Int3& step : kFaces) {
        const Int3 p = found[i] + step;
        if (!grid_.contains(p) || seen[grid_.index(p)] || grid_.at(p) != like) continue;
        if (!dense_contains(edit.shape, p)) continue;
        seen[grid_.index(p)] = 1;
        found.push_back(p);
      }
    return found;
  }

 private:
  static constexpr Int3 kFaces[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

  int morphed(edit::MorphMode mode, const Int3& p) const {
    const int old = old_.at(p);
    if (mode == edit::MorphMode::Smooth) return smoothed(p);
    for (const Int3& step : kFaces) {
      const int there = voxel_or_empty(old_, p + step);
      if (mode == edit::MorphMode::Erode && there == dag::kEmptyVoxel) return dag::kEmptyVoxel;
      if (mode == edit::MorphMode::Dilate && old == dag::kEmptyVoxel && there != dag::kEmptyVoxel)
        return there;
    }
    return old;
  }

  int smoothed(const Int3& p) const {
    std::array<int, 17> counts{};  // the last one counts empty voxels
    for (int32_t x = p.x - 1; x <= p.x + 1; ++x)
      for (int32_t y = p.y - 1; y <= p.y + 1; ++y)
        for (int32_t z = p.z - 1; z <= p.z + 1; ++z) {
          const int there = voxel_or_empty(old_, {x, y, z});
          ++counts[there == dag::kEmptyVoxel ? 16 : static_cast<size_t>(there)];
        }
    if (2 * counts[16] > 27) return dag::kEmptyVoxel;
    return static_cast<int>(std::max_element(counts.begin(), counts.begin() + 16) - counts.begin());
  }

  std::vector<Dense>& scenes_;
  Dense& grid_;
  Dense old_;
};

inline void apply(const edit::Edit& edit, std::vector<Dense>& scenes, bool materials) {
  std::visit(DenseEditor(scenes), edit);
  if (materials) return;
  for (int8_t& voxel : scenes[0].voxels)
    if (voxel != dag::kEmptyVoxel) voxel = 0;
}

// Counts the items that a store of several scenes needs, by comparing nodes as word sequences. In a store, a
// leaf and a node are one item if they happen to have equal words, when a part of the mask equals a pointer.
// The number of such pairs cannot be known here, only the number of leaves that may be among them.

class StateItems {
 public:
  // Adds a scene. All scenes must have the same depth, and all or none of them have materials.
  void add(const dag::FrozenDag& dag) {
    if (!dag.empty()) add(dag, 0, 0);
  }
  struct Count {
    uint64_t least = 0, most = 0;  // equal unless there are such leaves
  };
  Count count() const {
    Count count;
    for (const auto& numbers : numbers_) count.most += numbers.size();
    const uint64_t levels = numbers_.size(),
                   fewer = like_nodes_ * levels;  // nodes above them may become one item, too
    count.least = count.most - std::min(count.most, fewer);
    return count;
  }

 private:
  using Words = std::vector<uint32_t>;

  // Returns the number of a node among those of its level in all scenes.
  uint32_t add(const dag::FrozenDag& dag, uint32_t level, uint32_t number) {
    const uint32_t* node = dag.levels[level].node(number);
    Words words;
    if (level == dag.depth()) {
      words.assign(node, node + dag::leaf_words(dag::leaf_mask(node), dag.materials));
    } else {
      words.push_back(node[0]);
      for (uint32_t child = 0; child < 8; ++child)
        if (node[0] >> child & 1) words.push_back(add(dag, level + 1, node[dag::child_word(node[0], child)]));
    }
    numbers_.resize(dag.depth() + 1);
    auto& numbers = numbers_[level];
    const auto [entry, added] = numbers.try_emplace(words, static_cast<uint32_t>(numbers.size()));
    if (added && level == dag.depth() && words[0] <= dag::kHeaderBits &&
        words.size() == dag::node_words(words[0]))
      ++like_nodes_;
    return entry->second;
  }

  std::vector<std::map<Words, uint32_t>> numbers_;  // for each level
  uint64_t like_nodes_ = 0;
};

}  // namespace vox
