// A voxel scene, as the toolkit passes it around: the DAG, its palette, where it lies in the world, and where
// it came from.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/scene/coverage.h"
#include "libvox/scene/palette.h"

namespace vox::dag {

enum class UpAxis { X, Y, Z };

struct EditRecord {
  std::string script;  // as far as it had run
  std::string time;    // ISO 8601, UTC
  Digest digest;       // of the scene after it
};

struct VoxelScene {
  FrozenDag dag;
  scene::Palette palette;  // count 0 without materials
  // For each palette entry its share of the meshes' surface when they were voxelized; together 1. Edits do
  // not change the shares.
  std::array<double, scene::kPaletteSize> shares = {};
  Vec3d origin = {0, 0, 0};  // world position of the corner of voxel (0, 0, 0)
  double voxel_size = 1;     // world units a voxel
  UpAxis up = UpAxis::Y;     // of the voxel grid; vox-convert turns meshes so that it is y
  scene::Coverage coverage = scene::Coverage::Conservative;
  bool solid = false;
  std::string source;     // the mesh files
  std::string generator;  // "vox 0.1.0"
  std::string command;    // the command line that made it
  std::string created;    // ISO 8601, UTC; from SOURCE_DATE_EPOCH where that is set, for reproducible files
  std::vector<EditRecord> history;
};

}  // namespace vox::dag
