// The command line of vox-render.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/scene/any_scene.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/render/camera.h"
#include "libvox/render/volume_render.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/command_line.h"

namespace vox {

// The look of a volume in a picture. The options of the topic "volume" set it.

// The values at the ends of the scale: the lowest and the highest of all (All), or window_of_most() (Most).
enum class ScaleEnds { All, Most };

struct VolumeLook {
  double opacity = render::kVolumeOpacity;
  render::OpacityCurve curve = {};  // used instead of the opacity if it has points
  std::optional<double> iso = {};   // the isosurface of this share of the range
  render::ValuesAs values = render::ValuesAs::Auto;
  ScaleEnds ends = ScaleEnds::All;
  render::ValueScale scale = {};              // for amounts; empty if the command line names none
  std::vector<scene::Rgb8> file_colors = {};  // a file's colors: stops of a scale, or colors of labels
  bool types = false;                         // show the type of each voxel's brick, not its value
};

// Reads these options. Throws UsageError, also for options that exclude each other, and Error for a bad color file.
VolumeLook read_volume_look(const CommandLine& arguments);

// Returns the colors of these bricks; `palette` is the palette of a scene whose materials they are. Throws Error
// if the colors do not fit the values.
render::ShownValues colored_values(const bricks::FrozenBricks& bricks,
                                   const std::optional<scene::Palette>& palette, const VolumeLook& look);

// A layer of voxels across an axis, counted from 0.
struct Layer {
  uint32_t axis = 0;  // 0, 1, 2 for x, y, z
  uint32_t at = 0;
};

enum class Legends { On, Off };

// The way to show a room that is closed on all sides if no option says from where: cut open, or whole.
enum class ClosedRooms { CutOpen, Whole };

struct RenderToolOptions {
  std::filesystem::path scene, output;
  std::filesystem::path camera_file;  // the file of --path
  SceneForm form = SceneForm::Any;    // the form from which the scene is read
  render::Viewpoints from;
  render::RenderOptions render;  // all options except the pose and the reach below
  double ao_reach = 0;           // in scene units; 0: the default
  VolumeLook volume;
  Legends legends = Legends::On;
  std::optional<render::SliceOptions> slice;  // a cut, instead of a view
  std::optional<std::filesystem::path> page;  // a page that one can fly through, instead of a picture
  uint64_t page_limit = 0;                    // bytes
  bool streams = false;                       // true: the page is a folder, and loads the scene as needed
  uint64_t page_memory = 0;                   // the most bytes of the scene that such a page keeps
  std::optional<voxelize::Box> clip;          // the part of the scene that is shown, in scene units
  std::optional<Layer> cut;                   // things before it are not shown
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

// Reads the options. Throws UsageError, and Error if the scene is missing.
RenderToolOptions read_render_options(const CommandLine& arguments);

// The description of vox-render: its options with the pictures for which they have an effect, and examples. The
// command line is read by it.

// The traits of a run, for the rules of options. They say what it shows.
enum RenderTrait : uint32_t {
  kLit = 1,       // a scene in the light
  kMeasured = 2,  // depth, normal or level as colors
  kSharing = 4,
  kSceneCut = 8,
  kVolume = 16,
  kVolumeCut = 32,
  kOccluded = 64,     // ambient occlusion by --ao
  kPage = 128,        // a page for flying through; its reader chooses all but the first view
  kIso = 256,         // a surface of a volume
  kMany = 512,        // a film, or a path with times
  kFacing = 1024,     // --shade material or normal
  kSampled = 2048,    // several samples a pixel
  kLevels = 4096,     // a scene in the light, with level of detail
  kShadowed = 8192,   // a lit scene with something that makes its ground darker
  kOneFile = 16384,   // a page that is one file
  kStreamed = 32768,  // a page that loads the scene as it is needed
  kTyped = 65536      // the types of a volume's bricks
};

ToolDescription render_description();

// Checks that the options of vox-render match its picture.

enum class Shown { Scene, Volume };

// Throws UsageError for an option that would have no effect.
void check_given(const RenderToolOptions& options, Shown shown);

}  // namespace vox
