// The command line of vox-render, and the pictures that it takes: their cameras, files and legend.
#pragma once

#include <filesystem>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "formats/pages/scene_page.h"
#include "formats/results/results.h"
#include "formats/scene/any_scene.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/render/camera.h"
#include "libvox/render/render.h"
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

// The traits of a run, for the rules of options. They name what it shows.
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

enum class Shown { Scene, Volume };

// Throws UsageError for an option that would have no effect.
void check_given(const RenderToolOptions& options, Shown shown);

struct Frame {
  render::CameraPose pose;
  std::filesystem::path file;
};

// True if the pictures become a film: one is asked for, and this machine can write it.
bool writes_film(const RenderToolOptions& options);

// Returns the space in which cameras stand, in units of a voxel's shortest side.
render::VolumeSpace space_of(const dag::VoxelScene& scene);

// Returns boxes around parts of the scene, in units of the space.
std::vector<VoxelBox> outline_in(const render::VolumeSpace& space, const dag::FrozenDag& dag);

// Returns the frames for the voxels in the boxes, in scene units. A cut has one frame without a pose.
// If this machine cannot write a film, the frames are pictures from which it can be made.
std::vector<Frame> frames(std::span<const VoxelBox> boxes, const render::Place& place,
                          const RenderToolOptions& options);

// Checks, before the work, that the pictures can be written. If there are several processes, the one that writes
// them checks.
void check_targets(const std::vector<Frame>& list, const RenderToolOptions& options);

// Returns the texts in a picture's file, with the camera or the cut.
std::vector<PngText> picture_texts(const render::CameraPose& pose, const render::Place& place,
                                   const RenderToolOptions& options);

// Returns a text such as "1,2.5,3".
std::string point_text(Vec3d point);

// These return the results of pictures of a scene or a volume, of a page, of each picture, and of the scale.
ResultGroup scene_results(const RenderToolOptions& options, const dag::VoxelScene& scene,
                          const std::string& device);
ResultGroup volume_results(const RenderToolOptions& options);
ResultGroup page_results(const RenderToolOptions& options, const ScenePage& page);
ResultGroup stream_results(const RenderToolOptions& options, const SceneStream& stream);
void set_range(ResultGroup& results, double low, double high);
void set_picture(ResultGroup& results, const Frame& frame, const render::Picture& picture,
                 const render::Place& place, const RenderToolOptions& options);

// Writes the pictures of a run, each to a file of its own or all to a film. The files appear together when the last
// picture is done. If there are several processes, rank 0 writes.
class PictureOutput {
 public:
  explicit PictureOutput(const RenderToolOptions& options);

  // Adds a picture.
  void add(const Frame& frame, const render::Picture& picture, const std::vector<PngText>& texts);
  void close();  // finishes the film, or moves the pictures to their names

 private:
  const RenderToolOptions& options_;
  std::optional<FilmFile> film_;
  std::list<OutputFile> pictures_;
  uint32_t count_ = 0;
};

// Returns the part inside options.clip, or all of the scene. Throws Error if it is empty.
dag::VoxelScene clipped_part(dag::VoxelScene scene, const RenderToolOptions& options);

struct Cutaway {
  dag::VoxelScene scene;
  render::CutPlane plane;
  VoxelBox left;  // the box of what was not cut off
};

// Returns the layer at which the scene is cut for this first pose: options.cut or, if the scene is a closed room and no
// option chooses what is seen of it, a layer that opens the room. The log says so.
std::optional<Layer> cut_layer(const dag::VoxelScene& scene, const render::CameraPose& pose,
                               const RenderToolOptions& options);

// Returns the scene without the voxels before this layer, as seen from the eye, which is in voxels; the layer of the
// cut and everything behind it stay. Returns nothing if there is no cut. Throws Error if no voxel is left.
std::optional<Cutaway> cut_open(const dag::VoxelScene& scene, Vec3d eye, const std::optional<Layer>& cut);

// Writes the scene as a page for flying through, to options.page.
void write_page(const RenderToolOptions& options);

// Takes pictures of a file that holds only a volume's bricks: with rays, or a cut. Throws UsageError for options that
// are only for scenes.
void show_volume(const RenderToolOptions& options);

// A legend in a corner of a picture explains its colors.

struct LegendStep {
  scene::Rgb8 color;
  std::string label;  // empty if there is none
};

struct Legend {
  std::string title;
  std::vector<LegendStep> steps;  // from left to right, equally wide
};

// True if pictures of this mode have a legend: their colors are not the colors of things.
bool has_legend(render::Shade shade);
Legend legend_of(render::Shade shade, const render::Picture& picture, const dag::VoxelScene& scene);
// Returns the legend for a volume of amounts.
Legend values_legend(const render::Picture& picture, const render::ValueScale& scale);
// Returns the legend for a surface of a volume.
Legend surface_legend(double value, scene::Rgb8 color);
// Returns the legend for a volume of labels: the first sixteen labels, shown as numbers from `first` on.
Legend labels_legend(const std::string& title, const std::vector<uint32_t>& labels, uint32_t first,
                     const render::LabelColors& colors);

// Draws the legend in the lower left corner. Its letters grow with the picture. A picture that is too small
// for it stays as it is.
void draw_legend(scene::Image& image, const Legend& legend);

}  // namespace vox
