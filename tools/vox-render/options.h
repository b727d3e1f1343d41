// The command line of vox-render.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/overwrite.h"
#include "formats/scene/any_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/render/viewpoints.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/command_line.h"
#include "tools/vox-render/volume_look.h"

namespace vox {

// A layer of voxels across an axis, counted from 0.
struct Layer {
  uint32_t axis = 0;  // 0, 1, 2 for x, y, z
  uint32_t at = 0;
};

enum class Legends { On, Off };

// How a room that is closed on all sides is shown if no option says from where: cut open, or as it is.
enum class ClosedRooms { CutOpen, Whole };

struct RenderToolOptions {
  std::filesystem::path scene, output;
  std::filesystem::path camera_file;  // that of --path
  SceneForm form = SceneForm::Any;    // that the scene is read from
  render::Viewpoints from;
  render::RenderOptions render;  // all of it but the pose and the reach below
  double ao_reach = 0;           // in scene units; 0 for the default
  VolumeLook volume;
  Legends legends = Legends::On;
  std::optional<render::SliceOptions> slice;  // a cut, instead of a view
  std::optional<std::filesystem::path> page;  // a page that one can fly through, instead of a picture
  uint64_t page_limit = 0;                    // bytes
  std::optional<voxelize::Box> clip;          // the part of the scene that is shown, in scene units
  std::optional<Layer> cut;                   // what lies before it is not shown
  ClosedRooms rooms = ClosedRooms::CutOpen;
  EngineOptions engine;
  ranks::Ranks* ranks = nullptr;  // processes that take the pictures together; rank 0 writes them
  bool json = false;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::vector<Option> given;  // options on the command line, which check_given() checks
  std::string command;
};

inline bool writes_pictures(const RenderToolOptions& options) {
  return options.ranks == nullptr || options.ranks->rank() == 0;
}

// Throws UsageError, and Error if the scene is missing.
RenderToolOptions read_render_options(const CommandLine& arguments);

}  // namespace vox
