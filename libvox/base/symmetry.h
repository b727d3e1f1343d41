// The 48 symmetries of a cube: the ways to turn and mirror it so that it covers itself.
//
// A symmetry first permutes the axes and then mirrors some of them. Its number is 8 · permutation + mirrored axes: bit
// a of the mirrored axes is set if axis a is mirrored afterwards. Symmetry 0 changes nothing; 0 to 7 are the mirrors
// alone. All 48 are a group: the product of two symmetries is a symmetry, and each has an inverse.
#pragma once

#include <array>
#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/base/morton.h"

namespace vox {

inline constexpr uint32_t kSymmetries = 48;
inline constexpr uint32_t kMirrors = 8;

// [permutation][axis]: the axis to which the permutation moves an axis.
inline constexpr std::array<std::array<uint32_t, 3>, 6> kAxisPermutations = {
    {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}}};

// Returns the octant to which a symmetry moves an octant (base/morton.h).
constexpr uint32_t moved_octant(uint32_t symmetry, uint32_t octant) {
  uint32_t moved = 0;
  for (uint32_t axis = 0; axis < 3; ++axis)
    moved |= (octant >> axis & 1) << kAxisPermutations[symmetry / kMirrors][axis];
  return moved ^ symmetry % kMirrors;
}

// The group as tables, for kernels. A set of symmetries is a mask with bit s for symmetry s.
struct SymmetryTables {
  // [first][second]: the symmetry that does what `second` does and then what `first` does.
  uint8_t products[kSymmetries][kSymmetries] = {};  // 2304 B
  uint8_t inverses[kSymmetries] = {};               //   48 B
  // The octant that each symmetry moves to octant o: bits 4 · o to 4 · o + 3.
  uint32_t sources[kSymmetries] = {};  //  192 B

  VOX_HD uint32_t source(uint32_t symmetry, uint32_t octant) const {
    return sources[symmetry] >> 4 * octant & 7;
  }
};
static_assert(sizeof(SymmetryTables) == 2544);

// Returns the symmetry that does what `second` does and then what `first` does.
constexpr uint32_t product_of(uint32_t first, uint32_t second) {
  const auto& then = kAxisPermutations[first / kMirrors];
  const auto& before = kAxisPermutations[second / kMirrors];
  uint32_t permutation = 0;
  while (kAxisPermutations[permutation][0] != then[before[0]] ||
         kAxisPermutations[permutation][1] != then[before[1]])
    ++permutation;
  return permutation * kMirrors + moved_octant(first, second % kMirrors);
}

constexpr SymmetryTables make_symmetry_tables() {
  SymmetryTables tables;
  for (uint32_t first = 0; first < kSymmetries; ++first) {
    for (uint32_t octant = 0; octant < 8; ++octant)
      tables.sources[first] |= octant << 4 * moved_octant(first, octant);
    for (uint32_t second = 0; second < kSymmetries; ++second) {
      const uint32_t product = product_of(first, second);
      tables.products[first][second] = static_cast<uint8_t>(product);
      if (product == 0) tables.inverses[first] = static_cast<uint8_t>(second);
    }
  }
  return tables;
}
inline constexpr SymmetryTables kSymmetryTables = make_symmetry_tables();

// The mask of a cube of 4³ voxels after the cube is mirrored along an axis.
VOX_HD constexpr uint64_t mirrored_voxels(uint64_t mask, uint32_t axis) {
  const uint64_t even = even_voxels(axis), lower = lower_voxels(axis);
  const uint32_t one = 1u << axis, two = 8u << axis;
  mask = (mask & even) << one | (mask >> one & even);
  return (mask & lower) << two | (mask >> two & lower);
}

// The mask of a cube of 4³ voxels after axes a and b, a < b, are exchanged.
VOX_HD constexpr uint64_t exchanged_voxels(uint64_t mask, uint32_t a, uint32_t b) {
  // A voxel changes its place if its coordinates on the two axes differ in one of their two bits.
  const uint64_t low = ~even_voxels(a) & even_voxels(b), high = ~lower_voxels(a) & lower_voxels(b);
  const uint32_t one = (1u << b) - (1u << a), two = 8 * one;
  mask = (mask & ~(low | low << one)) | (mask & low) << one | (mask >> one & low);
  return (mask & ~(high | high << two)) | (mask & high) << two | (mask >> two & high);
}

// The mask of a cube of 4³ voxels after its axes are permuted, in the order of kAxisPermutations.
VOX_HD constexpr uint64_t permuted_voxels(uint64_t mask, uint32_t permutation) {
  if (permutation == 1 || permutation == 4) mask = exchanged_voxels(mask, 0, 1);
  if (permutation == 2 || permutation == 4 || permutation == 5) mask = exchanged_voxels(mask, 0, 2);
  if (permutation == 3) mask = exchanged_voxels(mask, 1, 2);
  if (permutation == 5) mask = exchanged_voxels(mask, 0, 1);
  return mask;
}

// The mask of a cube of 4³ voxels after a symmetry.
VOX_HD constexpr uint64_t turned_voxels(uint64_t mask, uint32_t symmetry) {
  mask = permuted_voxels(mask, symmetry / kMirrors);
  for (uint32_t axis = 0; axis < 3; ++axis)
    if ((symmetry >> axis & 1) != 0) mask = mirrored_voxels(mask, axis);
  return mask;
}

// Calls f(symmetry, mask) for each of the first `count` symmetries, in no particular order. `mask` is that of a cube of
// 4³ voxels after the symmetry. `count` is 1, kMirrors or kSymmetries.
template <class F>
VOX_HD void for_each_image(uint64_t mask, uint32_t count, const F& f) {
  const uint32_t permutations = count / kMirrors;
  if (permutations == 0) return f(0u, mask);
  for (uint32_t p = 0; p < permutations; ++p) {
    uint64_t image = permuted_voxels(mask, p);
    uint32_t mirrored = 0;
    for (uint32_t step = 1;; ++step) {  // each step of a Gray code mirrors one axis
      f(p * kMirrors + mirrored, image);
      if (step == kMirrors) break;
      const uint32_t axis = step & 1 ? 0u : step & 2 ? 1u : 2u;
      image = mirrored_voxels(image, axis);
      mirrored ^= 1u << axis;
    }
  }
}

}  // namespace vox
