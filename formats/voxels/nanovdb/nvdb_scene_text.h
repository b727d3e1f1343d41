// The scene's properties that vox stores beside the tree of a .nvdb file, so that they can be restored. They
// are lines of text:
//
//   vox scene 1
//   resolution 1024
//   origin -0.5 0 2.25        of the lower corner of voxel (0, 0, 0)
//   voxel_size 0.001
//   up y
//   materials 2               the lines that follow: red, green, blue and the name of each
//   200 30 30 brick
//   90 90 90 slate
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libvox/dag/voxel_scene.h"

namespace vox::nvdb {

struct SceneText {
  uint32_t resolution = 0;
  Vec3d origin = {0, 0, 0};
  double voxel_size = 1;
  dag::UpAxis up = dag::UpAxis::Y;
  scene::Palette palette = {};  // count is 0 if the scene has no materials
};

std::string scene_text(const dag::VoxelScene& scene);

// Throws Error if the text is damaged.
SceneText parse_scene_text(std::string_view text);

}  // namespace vox::nvdb
