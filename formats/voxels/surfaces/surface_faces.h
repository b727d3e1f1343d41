// Finds the faces in a cube of 64³ voxels and merges them into rectangles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/voxels/bordered_cube.h"

namespace vox {

// A rectangle of faces of one material, in the coordinates of its cube, 0 to 64.
struct FaceRectangle {
  enum class Looks : uint8_t { Down, Up };  // along the axis
  std::array<uint8_t, 3> corner;            // 3 B, the lowest
  uint8_t axis;                             // 1 B, perpendicular to the rectangle
  Looks looks;                              // 1 B
  uint8_t width, height;                    // 2 B, along the other two axes in order
};
static_assert(sizeof(FaceRectangle) == 7);

// Returns a voxel, or a corner of one, given its layer along an axis and its place u, v in the layer, along
// the other two axes in order.
constexpr Int3 in_layer(uint32_t axis, int32_t layer, int32_t u, int32_t v) {
  Int3 at = {};
  at[axis] = layer;
  at[axis == 0 ? 1 : 0] = u;
  at[axis == 2 ? 1 : 2] = v;
  return at;
}

class FaceFinder {
 public:
  static constexpr uint8_t kValues = 17;  // as in dag/dense_values.h

  // Finds the faces of the cube at `corner`. Voxels outside the region count as empty.
  void read(const dag::FrozenDag& dag, const VoxelBox& region, Int3 corner);

  // Returns the rectangles of a value in the cube that was read last.
  std::span<const FaceRectangle> rectangles(uint8_t value) const { return rectangles_[value]; }

 private:
  static constexpr int32_t kSide = BorderedCube::kSide;
  using Slice = std::array<uint64_t, kSide>;  // faces in one layer: bit u of row v

  void find_along_x();
  void find_along_y();
  void find_along_z();
  void merge(Slice& faces, uint32_t axis, int32_t layer, FaceRectangle::Looks looks);

  BorderedCube cube_;
  std::array<std::vector<FaceRectangle>, kValues> rectangles_;
};

}  // namespace vox
