// A voxel scene, as the toolkit passes it around: the DAG, its palette, its place in the world, and the
// files and commands from which it was made.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"

namespace vox::dag {

enum class UpAxis { X, Y, Z };

struct EditRecord {
  std::string script;  // the part that was run
  std::string time;    // ISO 8601, UTC
  Digest digest;       // the digest of the scene after this edit
};

struct VoxelScene {
  FrozenDag dag;
  scene::Palette palette;  // count 0 without materials
  // The color of each voxel of a DAG without materials, as 24 bits of sRGB, red lowest (scene::packed_color()).
  std::optional<attributes::PackedValues> colors = {};
  std::vector<scene::NamedColor> named_colors =
      {};  // materials by name, if some of the colors stand for these
  // Each palette entry's share of the meshes' surface when they were voxelized; the sum is 1. Edits do not
  // change the shares.
  std::array<double, scene::kPaletteSize> shares = {};
  Vec3d origin = {0, 0, 0};                             // world position of the corner of voxel (0, 0, 0)
  VoxelSize voxel_size = 1;                             // in world units
  scene::LengthUnit unit = scene::LengthUnit::Unknown;  // the unit of the origin and of voxel_size
  UpAxis up = UpAxis::Y;  // axis of the voxel grid that points up; vox-convert turns meshes so that it is y
  scene::Coverage coverage = scene::Coverage::Conservative;
  bool solid = false;
  std::string source;     // the mesh files
  std::string generator;  // such as "vox 0.1.0"
  std::string command;    // the command line that made it
  std::string created;  // ISO 8601, UTC; taken from SOURCE_DATE_EPOCH if that is set, for reproducible files
  std::vector<EditRecord> history;
};

}  // namespace vox::dag
