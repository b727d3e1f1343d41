// Scenes as dense cubes of voxels, with which counts of compressed forms are compared: slow, and obviously right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libvox/base/symmetry.h"
#include "tests/dag/dense_dag.h"

namespace vox {

// A cube of voxels, one character each, x fastest.
struct Cube {
  uint32_t side = 0;
  std::string voxels;

  char& at(const Int3& v) { return voxels[index(v)]; }
  char at(const Int3& v) const { return voxels[index(v)]; }
  bool filled() const { return voxels.find('#') != std::string::npos; }
  size_t index(const Int3& v) const {
    return static_cast<size_t>(v.x) + side * (static_cast<size_t>(v.y) + side * static_cast<size_t>(v.z));
  }
};

template <class F>
void for_each_voxel(uint32_t side, const F& f) {
  const auto end = static_cast<int32_t>(side);
  for (int32_t z = 0; z < end; ++z)
    for (int32_t y = 0; y < end; ++y)
      for (int32_t x = 0; x < end; ++x) f(Int3{x, y, z});
}

// Going along an axis of the cube is a step of constant length in the turned one.
inline Cube turned(const Cube& cube, uint32_t symmetry) {
  Cube to = cube;
  const auto side = static_cast<int64_t>(cube.side);
  const int64_t lengths[3] = {1, side, side * side};
  int64_t steps[3] = {}, first = 0;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const uint32_t place = kAxisPermutations[symmetry / 8][axis];
    const bool mirrored = (symmetry >> place & 1) != 0;
    steps[axis] = mirrored ? -lengths[place] : lengths[place];
    if (mirrored) first += (side - 1) * lengths[place];
  }
  const char* from = cube.voxels.data();
  char* const voxels = to.voxels.data();
  for (int64_t z = 0; z < side; ++z)
    for (int64_t y = 0; y < side; ++y)
      for (int64_t x = 0, at = first + y * steps[1] + z * steps[2]; x < side; ++x, at += steps[0])
        voxels[at] = *from++;
  return to;
}

inline Cube part(const Cube& cube, uint32_t octant) {
  const uint32_t half = cube.side / 2;
  Cube to = {half, std::string(size_t{half} * half * half, '.')};
  const Int3 corner = octant_corner(octant, static_cast<int32_t>(half));
  for_each_voxel(half, [&](const Int3& v) { to.at(v) = cube.at(corner + v); });
  return to;
}

// Scenes in which many parts are mirrored or turned images of others, some of them of themselves.

inline DenseGrid ball(uint32_t side) {
  return [side](uint32_t x, uint32_t y, uint32_t z) {
    const auto from_center = [&](uint32_t v) { return 2 * int64_t{v} + 1 - int64_t{side}; };
    const int64_t r2 =
        from_center(x) * from_center(x) + from_center(y) * from_center(y) + from_center(z) * from_center(z);
    return r2 < int64_t{side} * side && r2 > int64_t{side} * side / 2 ? 0 : dag::kEmptyVoxel;
  };
}

// Cubes of `piece` voxels a side, each of which is one of three random pieces, turned at random.
inline DenseGrid turned_pieces(uint32_t piece, uint64_t seed) {
  return [=](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t dice = mix64(seed + x / piece + 100 * (y / piece) + 10000 * (z / piece));
    if (dice % 4 == 3) return dag::kEmptyVoxel;
    const auto symmetry = static_cast<uint32_t>(dice >> 8) % kSymmetries;
    const uint32_t in[3] = {x % piece, y % piece, z % piece};
    uint32_t to[3] = {};
    for (uint32_t axis = 0; axis < 3; ++axis) to[kAxisPermutations[symmetry / 8][axis]] = in[axis];
    for (uint32_t axis = 0; axis < 3; ++axis)
      if ((symmetry >> axis & 1) != 0) to[axis] = piece - 1 - to[axis];
    const uint64_t voxel = mix64(seed + 7 * (dice % 4) + 1000 * to[0] + 100000 * to[1] + 10000000 * to[2]);
    return voxel % 5 == 0 ? 0 : dag::kEmptyVoxel;
  };
}

struct CompressedScene {
  std::string name;
  uint32_t resolution;
  DenseGrid grid;
};

inline std::vector<CompressedScene> scenes() {
  return {{"ball", 32, ball(32)},
          {"shell", 64, shell},
          {"blocks", 32, blocks},
          {"everywhere", 16, everywhere},
          {"nowhere", 16, nowhere},
          {"dust", 32, dust(1)},
          {"one leaf", 4, ball(4)},
          {"pieces of 8", 32, turned_pieces(8, 1)},
          {"pieces of 4", 32, turned_pieces(4, 2)},
          {"pieces of 16", 64, turned_pieces(16, 3)}};
}

inline Cube cube_of(const CompressedScene& scene, uint32_t side) {
  Cube cube = {side, std::string(size_t{side} * side * side, '.')};
  for_each_voxel(scene.resolution, [&](const Int3& v) {
    if (scene.grid(static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z)) !=
        dag::kEmptyVoxel)
      cube.at(v) = '#';
  });
  return cube;
}

}  // namespace vox
