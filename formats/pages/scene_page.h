// Writes a scene as a page to fly through: one HTML file that needs nothing outside of it. It holds the
// deflated words of the DAG, and a program that casts rays through them on the reader's GPU
// (formats/pages/viewer).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

struct ScenePageOptions {
  std::string title;      // the name of the scene
  std::string part = {};  // what the scene is of a larger one, where it is: "the box … of …"
  std::string command;    // that made the page
  std::string start;      // what it shows at first, as viewer/settings.js reads it
  std::optional<VoxelBox> first_box =
      {};  // the box of the scene that it shows at first, in voxels; none: all
  uint64_t most_bytes = uint64_t{64} << 20;  // of the page
  uint64_t memory_limit = 0;                 // of coarser(); 0: none
};

struct ScenePage {
  std::string text;
  uint32_t resolution = 0;  // resolution of the scene as shown
  uint32_t halvings = 0;    // how often the scene's resolution was halved
};

// Makes a page of the scene. If that would be larger than most_bytes, the finest coarser level that fits is
// shown. Throws Error if none fits. The DAG must be one that check_structure() accepts.
ScenePage make_scene_page(dag::VoxelScene scene, const ScenePageOptions& options);

// Replaces the file at `path` when everything is written. Throws an Error that names the file.
void write_scene_page(const ScenePage& page, const std::filesystem::path& path);

}  // namespace vox
