// Writes a scene as a page that one can fly through: one HTML file that needs nothing outside of it. It holds the words
// of the DAG, deflated, and a program that casts rays through them on the reader's graphics (formats/pages/viewer).
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
  uint32_t resolution = 0;  // of what it shows
  uint32_t halvings = 0;    // how often that of the scene was halved
};

// Makes a page of the scene, or where it would have more bytes than it may, of the finest of its coarser levels that
// fits. Throws Error where none does. The DAG is one that check_structure() accepts.
ScenePage make_scene_page(dag::VoxelScene scene, const ScenePageOptions& options);

// Replaces what is at `path` once all is written. Throws Error that names the file.
void write_scene_page(const ScenePage& page, const std::filesystem::path& path);

}  // namespace vox
