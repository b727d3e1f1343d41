// Chooses the pictures that vox-render takes: from where, and into which files.
#pragma once

#include <filesystem>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/images/pictures.h"
#include "formats/io/output_file.h"
#include "formats/pages/scene_page.h"
#include "formats/pages/scene_stream.h"
#include "formats/results/results.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/render/render.h"
#include "libvox/render/viewpoints.h"
#include "libvox/render/volume_colors.h"
#include "libvox/render/volume_render.h"
#include "tools/vox-render/options.h"

namespace vox {

struct Frame {
  render::CameraPose pose;
  std::filesystem::path file;
};

// True if the pictures become a film: one was asked for, and it can be written here.
bool writes_film(const RenderToolOptions& options);

// Returns the space in which cameras stand, in units of a voxel's shortest side.
render::VolumeSpace space_of(const dag::VoxelScene& scene);

// Returns boxes around parts of the scene, in units of the space.
std::vector<VoxelBox> outline_in(const render::VolumeSpace& space, const dag::FrozenDag& dag);

// The frames of the voxels in the boxes, in scene units; a cut has one frame without a pose. If a film
// cannot be written here, they are pictures that it can be made of.
std::vector<Frame> frames(std::span<const VoxelBox> boxes, const render::Place& place,
                          const RenderToolOptions& options);

// Checks before the work, not after it, that the pictures can be written. If there are several processes, the one
// that writes them checks.
void check_targets(const std::vector<Frame>& list, const RenderToolOptions& options);

// The texts in a picture's file, with the camera or the cut.
std::vector<PngText> picture_texts(const render::CameraPose& pose, const render::Place& place,
                                   const RenderToolOptions& options);

// "1,2.5,3".
std::string point_text(Vec3d point);

// The results of pictures of a scene or of a volume, or of a page, and what they have of each picture and of the scale.
ResultGroup scene_results(const RenderToolOptions& options, const dag::VoxelScene& scene,
                          const std::string& device);
ResultGroup volume_results(const RenderToolOptions& options);
ResultGroup page_results(const RenderToolOptions& options, const ScenePage& page);
ResultGroup stream_results(const RenderToolOptions& options, const SceneStream& stream);
void set_range(ResultGroup& results, double low, double high);
void set_picture(ResultGroup& results, const Frame& frame, const render::Picture& picture,
                 const render::Place& place, const RenderToolOptions& options);

// Writes the pictures of a run, each into a file of its own or all into a film, which appear together when the last
// one is done. If there are several processes, rank 0 writes.

class PictureOutput {
 public:
  explicit PictureOutput(const RenderToolOptions& options);

  // Adds a picture that took so many seconds.
  void add(const Frame& frame, const render::Picture& picture, const std::vector<PngText>& texts);
  void close();  // finishes the film, or makes the pictures appear

 private:
  const RenderToolOptions& options_;
  std::optional<FilmFile> film_;
  std::list<OutputFile> pictures_;
  uint32_t count_ = 0;
};

// The part of a scene that pictures show.

// The part inside options.clip, or all of the scene. Throws Error if it is empty.
dag::VoxelScene clipped_part(dag::VoxelScene scene, const RenderToolOptions& options);

struct Cutaway {
  dag::VoxelScene scene;
  render::CutPlane plane;
  VoxelBox left;  // all that was not cut off
};

// Returns the layer at which the scene is cut for this first pose: options.cut or, if the scene is a closed room and no
// option says what is seen of it, a layer that opens the room, which the log says.
std::optional<Layer> cut_layer(const dag::VoxelScene& scene, const render::CameraPose& pose,
                               const RenderToolOptions& options);

// Returns the scene without the voxels before this layer, as seen from the eye, which is in voxels; the layer of the
// cut and everything behind it stay. Returns nothing if there is no cut. Throws Error if no voxel is left.
std::optional<Cutaway> cut_open(const dag::VoxelScene& scene, Vec3d eye, const std::optional<Layer>& cut);

// A scene as a page that one can fly through.

// Writes options.page.
void write_page(const RenderToolOptions& options);

// Pictures of files that hold the bricks of a volume alone.

// Shows the volume by rays, or a cut of it. Throws UsageError for options that only scenes take.
void show_volume(const RenderToolOptions& options);

// Draws a legend, which says what the colors of a picture mean, into a corner of it.

struct LegendStep {
  scene::Rgb8 color;
  std::string label;  // empty where there is none
};

struct Legend {
  std::string title;
  std::vector<LegendStep> steps;  // from left to right, equally wide
};

// A mode has a legend where its colors are not those of things.
bool has_legend(render::Shade shade);
Legend legend_of(render::Shade shade, const render::Picture& picture, const dag::VoxelScene& scene);
// For a volume of amounts.
Legend values_legend(const render::Picture& picture, const render::ValueScale& scale);
// For a surface of a volume.
Legend surface_legend(double value, scene::Rgb8 color);
// The legend for a volume of labels, which are shown as numbers from `first` on: the first sixteen labels.
Legend labels_legend(const std::string& title, const std::vector<uint32_t>& labels, uint32_t first,
                     const render::LabelColors& colors);

// Draws it in the lower left corner, in letters that grow with the picture; a picture that is too small for
// it stays as it is.
void draw_legend(scene::Image& image, const Legend& legend);

}  // namespace vox
