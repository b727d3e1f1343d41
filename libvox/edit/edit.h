// What a line of an edit script asks for, as plain structs: what EditSession::apply() (edit_session.h) does.
//
// Places and lengths are in 1/256 voxel; voxel (i, j, k) belongs to a shape when its centre (i + ½, j + ½, k
// + ½) does, borders included, decided in integers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "libvox/base/vec.h"
#include "libvox/base/voxel_box.h"

namespace vox::edit {

inline constexpr int64_t kEditUnits = 256;                   // per voxel
inline constexpr int64_t kMaxEditRadius = int64_t{1} << 20;  // voxels
inline constexpr int64_t kMaxEditPlace = int64_t{1} << 21;   // voxels, either side of 0

using EditPlace = Vec3<int64_t>;

enum class ShapeKind : uint8_t { Everything, Sphere, Box, Capsule, Cylinder, Ellipsoid };

// What is used of the places: Sphere center; Box min, max; Capsule and Cylinder from, to (a cylinder's
// differ); Ellipsoid center, radii.
struct Shape {
  ShapeKind kind = ShapeKind::Everything;
  EditPlace a = {0, 0, 0};  // center, min, from
  EditPlace b = {0, 0, 0};  // max, to, radii
  int64_t radius = 0;

  // Spheres and boxes alone: their surface moves in and out by up to `roughness`, which varies over `grain`
  // voxels.
  int64_t roughness = 0;
  uint32_t grain = 1;
  uint32_t seed = 0;

  friend bool operator==(const Shape&, const Shape&) = default;
};

enum class PaintMode : uint8_t {
  Add,      // fills, whatever was there
  Remove,   // empties
  Paint,    // changes the material of what is filled
  Replace,  // changes the material of what has material `replaced`
};

struct PaintEdit {
  Shape shape = {};
  PaintMode mode = PaintMode::Add;
  uint8_t material = 0;
  uint8_t replaced = 0;
  friend bool operator==(const PaintEdit&, const PaintEdit&) = default;
};

// Turns by 90° and mirror images: component k of a turned offset is component axis[k], with the other sign
// where flip[k].
struct Turn {
  std::array<uint8_t, 3> axis = {0, 1, 2};
  std::array<bool, 3> flip = {false, false, false};
  friend bool operator==(const Turn&, const Turn&) = default;
};

inline constexpr uint32_t kThisScene = 0;  // others have the numbers that EditSession::add_scene() gave them

// The voxels of the box `source`, turned, so that the lowest corner of the box around them comes to `to`. An
// empty box of another scene means all of that scene, see with_source(); of this scene it holds nothing.
struct CopyEdit {
  uint32_t scene = kThisScene;
  VoxelBox source = {{0, 0, 0}, {0, 0, 0}};
  Turn turn = {};
  Int3 to = {0, 0, 0};
  bool skip_empty = false;   // empty voxels of the source leave what is there
  bool keep_filled = false;  // filled voxels of the target stay as they are (HashDAG's copies)
  Shape within = {};         // what changes lies in this shape too
  friend bool operator==(const CopyEdit&, const CopyEdit&) = default;
};

enum class CombineMode : uint8_t {
  Union,      // fills what is empty here with what is filled there
  Subtract,   // empties what is filled there
  Intersect,  // empties what is empty there
};

// With another scene, whose voxel (0, 0, 0) comes to `at`.
struct CombineEdit {
  uint32_t scene = kThisScene;
  CombineMode mode = CombineMode::Union;
  Int3 at = {0, 0, 0};
  friend bool operator==(const CombineEdit&, const CombineEdit&) = default;
};

enum class MorphMode : uint8_t {
  Erode,   // a voxel with an empty neighbour of 6 is emptied; outside of the grid is empty
  Dilate,  // an empty voxel with a filled neighbour of 6 gets its material: of the first at -x, +x, -y, +y,
           // -z, +z
  Smooth,  // filled as most of the 27 voxels around it (itself one) are; what is filled gets the most
           // frequent material
};

// `steps` times, inside the shape alone.
struct MorphEdit {
  Shape shape = {};
  MorphMode mode = MorphMode::Erode;
  uint32_t steps = 1;
  friend bool operator==(const MorphEdit&, const MorphEdit&) = default;
};

// The 6-connected voxels that are like the seed, empty or of one material, and lie in the shape, as the seed
// has to. Nothing changes when there are more than `limit`: that is an error.
struct FillEdit {
  Int3 seed = {0, 0, 0};
  uint8_t material = 0;
  Shape shape = {};
  uint64_t limit = UINT64_MAX;
  friend bool operator==(const FillEdit&, const FillEdit&) = default;
};

using Edit = std::variant<PaintEdit, CopyEdit, CombineEdit, MorphEdit, FillEdit>;

}  // namespace vox::edit
