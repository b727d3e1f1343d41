// Edits as plain structs: what a line of an edit script asks for, and EditSession::apply() (edit_session.h)
// does.
//
// Places and lengths are in 1/256 voxel. Voxel (i, j, k) belongs to a shape when its centre
// (i + ½, j + ½, k + ½) does, borders included, decided in integers.
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

// What the places `a` and `b` are: center of a Sphere; min, max of a Box; from, to of a Capsule or Cylinder
// (which differ in a cylinder); center, radii of an Ellipsoid.
struct Shape {
  ShapeKind kind = ShapeKind::Everything;
  EditPlace a = {0, 0, 0};  // center, min, from
  EditPlace b = {0, 0, 0};  // max, to, radii
  int64_t radius = 0;

  // For spheres and boxes alone: the surface moves in and out by up to `roughness`, by noise that varies over
  // `grain` voxels.
  int64_t roughness = 0;
  uint32_t grain = 1;
  uint32_t seed = 0;

  friend bool operator==(const Shape&, const Shape&) = default;
};

enum class PaintMode : uint8_t {
  Add,      // fills voxels, whatever they held
  Remove,   // empties
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

// Turns by 90° and mirror images: component k of a turned offset is component axis[k], with the other sign
// where flip[k].
struct Turn {
  std::array<uint8_t, 3> axis = {0, 1, 2};
  std::array<bool, 3> flip = {false, false, false};
  friend bool operator==(const Turn&, const Turn&) = default;
};

inline constexpr uint32_t kThisScene = 0;  // others have the numbers that EditSession::add_scene() gave them

// Copies the voxels of the box `source`, turned, so that the lowest corner of the box around them comes to
// `to`. An empty box means all of another scene, see with_source(), and nothing of this scene.
struct CopyEdit {
  uint32_t scene = kThisScene;
  VoxelBox source = {{0, 0, 0}, {0, 0, 0}};
  Turn turn = {};
  Int3 to = {0, 0, 0};
  bool skip_empty = false;   // empty voxels of the source leave what is there
  bool keep_filled = false;  // filled voxels of the target stay as they are (HashDAG's copies)
  Shape within = {};         // only voxels in this shape too change
  friend bool operator==(const CopyEdit&, const CopyEdit&) = default;
};

enum class CombineMode : uint8_t {
  Union,      // fills voxels that are empty here and filled there
  Subtract,   // empties voxels that are filled there
  Intersect,  // empties voxels that are empty there
};

// Combines this scene with another one, whose voxel (0, 0, 0) comes to `at`.
struct CombineEdit {
  uint32_t scene = kThisScene;
  CombineMode mode = CombineMode::Union;
  Int3 at = {0, 0, 0};
  friend bool operator==(const CombineEdit&, const CombineEdit&) = default;
};

enum class MorphMode : uint8_t {
  Erode,   // a voxel with an empty neighbour of 6 is emptied; outside of the grid all is empty
  Dilate,  // an empty voxel with a filled neighbour of 6 gets the material of the first at -x, +x, -y, +y,
           // -z, +z
  Smooth,  // a voxel is filled where most of the 27 around it (itself one) are, and then gets their most
           // frequent material
};

// Erodes, dilates or smooths `steps` times, inside the shape alone.
struct MorphEdit {
  Shape shape = {};
  MorphMode mode = MorphMode::Erode;
  uint32_t steps = 1;
  friend bool operator==(const MorphEdit&, const MorphEdit&) = default;
};

// Fills the voxels that are 6-connected with the seed, are like it, empty or of its material, and lie in the
// shape, in which the seed has to lie. Where there are more than `limit`, nothing changes: that is an error.
struct FillEdit {
  Int3 seed = {0, 0, 0};
  uint8_t material = 0;
  Shape shape = {};
  uint64_t limit = UINT64_MAX;
  friend bool operator==(const FillEdit&, const FillEdit&) = default;
};

using Edit = std::variant<PaintEdit, CopyEdit, CombineEdit, MorphEdit, FillEdit>;

}  // namespace vox::edit
