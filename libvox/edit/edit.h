// Edits as plain structs. A line of an edit script becomes one of them, and EditSession::apply()
// (edit_session.h) runs it.
//
// Places and lengths are in 1/256 voxel. Voxel (i, j, k) belongs to a shape if its center, at
// (i + ½, j + ½, k + ½), lies in it, borders included. This is decided in integers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"

namespace vox::edit {

inline constexpr int64_t kEditUnits = 256;                   // per voxel
inline constexpr int64_t kMaxEditRadius = int64_t{1} << 20;  // in voxels
inline constexpr int64_t kMaxEditPlace = int64_t{1} << 21;   // in voxels, in both directions from 0

using EditPlace = Vec3<int64_t>;

enum class ShapeKind : uint8_t { Everything, Sphere, Box, Capsule, Cylinder, Ellipsoid };

// For a Sphere, `a` is the center. For a Box, `a` and `b` are the minimum and maximum, for a Capsule or
// Cylinder the two ends (which differ in a Cylinder), and for an Ellipsoid the center and the radii.
struct Shape {
  ShapeKind kind = ShapeKind::Everything;
  EditPlace a = {0, 0, 0};  // center, minimum or first end
  EditPlace b = {0, 0, 0};  // maximum, second end or radii
  int64_t radius = 0;

  // For spheres and boxes only: noise moves the surface in and out by up to `roughness`. The noise varies
  // over `grain` voxels.
  int64_t roughness = 0;
  uint32_t grain = 1;
  uint32_t seed = 0;

  friend bool operator==(const Shape&, const Shape&) = default;
};

enum class PaintMode : uint8_t {
  Add,      // fills voxels, whether empty or not
  Remove,   // empties voxels
  Paint,    // changes the material of filled voxels
  Replace,  // changes the material of voxels of material `replaced`
};

struct PaintEdit {
  Shape shape = {};
  PaintMode mode = PaintMode::Add;
  uint8_t material = 0;
  uint8_t replaced = 0;
  friend bool operator==(const PaintEdit&, const PaintEdit&) = default;
};

// A turn by 90° or a mirror image: component k of a turned offset is component axis[k], with the opposite
// sign if flip[k] is set.
struct Turn {
  std::array<uint8_t, 3> axis = {0, 1, 2};
  std::array<bool, 3> flip = {false, false, false};
  friend bool operator==(const Turn&, const Turn&) = default;
};

inline constexpr uint32_t kThisScene = 0;  // other scenes have the numbers that EditSession::add_scene()
                                           // returned

// Copies the voxels of the box `source`, turned, so that the lowest corner of the turned box comes to `to`. An
// empty box means the whole of another scene, see with_source(). For this scene, an empty box copies nothing.
struct CopyEdit {
  uint32_t scene = kThisScene;
  VoxelBox source = {{0, 0, 0}, {0, 0, 0}};
  Turn turn = {};
  Int3 to = {0, 0, 0};
  bool skip_empty = false;   // empty voxels of the source leave the target unchanged
  bool keep_filled = false;  // filled voxels of the target stay as they are (HashDAG's copies)
  Shape within = {};         // only voxels in this shape change
  friend bool operator==(const CopyEdit&, const CopyEdit&) = default;
};

enum class CombineMode : uint8_t {
  Union,      // fills voxels that are empty here and filled in the other scene
  Subtract,   // empties voxels that are filled in the other scene
  Intersect,  // empties voxels that are empty in the other scene
};

// Combines this scene with another one. The other scene's voxel (0, 0, 0) comes to `at`.
struct CombineEdit {
  uint32_t scene = kThisScene;
  CombineMode mode = CombineMode::Union;
  Int3 at = {0, 0, 0};
  friend bool operator==(const CombineEdit&, const CombineEdit&) = default;
};

enum class MorphMode : uint8_t {
  Erode,   // empties a voxel if one of its 6 neighbors is empty; outside of the grid all is empty
  Dilate,  // fills an empty voxel with the material of its first filled neighbor at -x, +x, -y, +y, -z, +z
  Smooth,  // fills a voxel with the commonest material if most of the 27 voxels around and at it are
           // filled, else empties it
};

// Erodes, dilates or smooths `steps` times, only inside the shape.
struct MorphEdit {
  Shape shape = {};
  MorphMode mode = MorphMode::Erode;
  uint32_t steps = 1;
  friend bool operator==(const MorphEdit&, const MorphEdit&) = default;
};

// Fills the voxels that are 6-connected with the seed, are empty or of one material like the seed, and lie in
// the shape. The seed must lie in the shape. More than `limit` voxels are an error, and nothing changes.
struct FillEdit {
  Int3 seed = {0, 0, 0};
  uint8_t material = 0;
  Shape shape = {};
  uint64_t limit = UINT64_MAX;
  friend bool operator==(const FillEdit&, const FillEdit&) = default;
};

using Edit = std::variant<PaintEdit, CopyEdit, CombineEdit, MorphEdit, FillEdit>;

// These functions make turns by 90° and mirror images, and combine them. Turns are right-handed: a
// quarter turn about z takes x to y.

// Returns a turn by 90° about axis 0, 1 or 2.
inline Turn quarter_turn(uint8_t axis) {
  auto next = static_cast<uint8_t>((axis + 1) % 3), last = static_cast<uint8_t>((axis + 2) % 3);
  Turn turn;
  turn.axis[next] = last;
  turn.flip[next] = true;
  turn.axis[last] = next;
  return turn;
}

inline Turn mirror_image(uint8_t axis) {
  Turn turn;
  turn.flip[axis] = true;
  return turn;
}

// Returns the turn that does `first` and then `second`.
inline Turn followed_by(const Turn& first, const Turn& second) {
  Turn both;
  for (size_t k = 0; k < 3; ++k) {
    both.axis[k] = first.axis[second.axis[k]];
    both.flip[k] = first.flip[second.axis[k]] != second.flip[k];
  }
  return both;
}

// Returns the size of a turned box. `size` is its size before.
inline Int3 turned_size(const Turn& turn, Int3 size) {
  return {size[turn.axis[0]], size[turn.axis[1]], size[turn.axis[2]]};
}

// Boxes around the voxels that an edit may change, and around the others that it reads. They tell which
// edits can run in one pass, and which lie outside of the grid.

// Returns a box in [0, resolution)³ that holds all voxels that the edit may change. The box is empty if the
// edit lies outside of the grid. If an edit takes all of another scene and with_source() has not set its
// source box yet, the box reaches from the edit's lowest corner to the end of the grid.
VoxelBox written_box(const Edit& edit, uint32_t resolution);

// Returns a box in [0, resolution)³ that holds all other voxels of this scene on which the result depends.
// The box is empty if there are none, or if the edit writes nothing.
VoxelBox read_box(const Edit& edit, uint32_t resolution);

// Returns the copy with its source box set: an empty box becomes that of a whole scene, which has
// this resolution.
CopyEdit with_source(CopyEdit copy, uint32_t resolution);

// Returns the copy with its source clipped to [0, resolution)³, the grid of the source's scene. The source
// may become empty.
CopyEdit clipped(const CopyEdit& copy, uint32_t resolution);

// Returns a box that holds all voxels whose centers lie in the shape, clamped to ±2^22.
VoxelBox bounds_of(const Shape& shape);

// Edits of a volume's values as plain structs. A line of a script for a volume becomes one of them, and
// VolumeSession::apply() (edit_session.h) runs it.

enum class VolumeOp : uint8_t {
  Set,        // gives each voxel the value `amount`
  Add,        // adds `amount`
  Scale,      // multiplies by `amount`
  Smooth,     // takes the mean of the values around it
  Threshold,  // empties voxels whose value is less than `amount`
};

inline constexpr uint32_t kMaxSmoothReach = 8;

// Changes the values of the voxels that lie in the shape and, if there is a mask, are filled in the mask. Values are
// computed as doubles and stored as the volume's type: whole numbers are rounded to the nearest, halves away from zero,
// and a value beyond the type's range becomes the nearest one in it.
struct VolumeEdit {
  VolumeOp op = VolumeOp::Set;
  Shape shape = {};
  double amount = 0;
  uint32_t reach = 1;  // Smooth takes the cube of 2 reach + 1 voxels a side, as far as it lies in the volume
  uint32_t mask = 0;   // 1 + the index of the mask's file in the script, or 0 if there is none
  Int3 mask_at = {0, 0, 0};  // where the mask's voxel (0, 0, 0) lies
  friend bool operator==(const VolumeEdit&, const VolumeEdit&) = default;
};

// Returns the name of an edit in reports, such as "smooth".
std::string tool_name(const VolumeEdit& edit);

// Returns a box inside a volume of this size that holds all voxels that the edit may change. `mask_size` is the size of its
// mask, if it has one.
VoxelBox written_box(const VolumeEdit& edit, Int3 size, Int3 mask_size);

}  // namespace vox::edit
