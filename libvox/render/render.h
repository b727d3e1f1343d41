// Takes pictures of a scene: views and slices.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libvox/base/voxel_box.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/render/camera.h"
#include "libvox/render/shade.h"
#include "libvox/render/slice.h"
#include "libvox/scene/palette.h"

namespace vox::render {

enum class LevelOfDetail { On, Off };
enum class Shadows { On, Off };

// The colour of a node that a ray goes no deeper into.
enum class LevelColors {
  Voxel,  // that of the voxel in it where the ray hits
  Mean,   // the mean of all voxels in it, in linear light
};

// Which pixels have as many samples as are asked for.
enum class Sampling {
  All,
  Edges,  // those that look otherwise than one beside them by their first sample, which is all that others have
};

// Of things in the light; what is measured has kSky behind it.
enum class Sky { Flat, Gradient };

// Whether things in the light stand on a plane that shows their shadow, see ground.h.
enum class Ground { Off, On };

inline constexpr scene::Rgb8 kSky = {148, 182, 219};  // where it is flat
// The gradient is a quiet sky: paler at the horizon, and grey below it.
inline constexpr scene::Rgb8 kHorizon = {206, 218, 230}, kZenith = {96, 138, 196}, kNadir = {150, 156, 164};

// The plane in which a cutaway was cut: its faces are hatched in the colours of their materials, without light.
struct CutPlane {
  uint32_t axis = 0;  // 0, 1, 2 for x, y, z
  int32_t at = 0;     // between the voxels below it and this one
};

// A band of a picture, where several renderers share out its rows: from one to before another. It begins at a multiple
// of kBandRows, and ends at one or with the picture.
struct RowBand {
  uint32_t begin = 0, end = 0;
};
inline constexpr uint32_t kBandRows = 32;  // so that beams and groups of pixels are not divided

struct RenderOptions {
  CameraPose pose;
  ImageSize size;
  Shade shade = Shade::Material;
  uint32_t samples = 1;  // a pixel
  Sampling sampling = Sampling::All;
  LevelOfDetail lod = LevelOfDetail::On;
  LevelColors colors = LevelColors::Voxel;
  Normals normals = Normals::Faces;
  Shadows shadows = Shadows::On;
  Vec3d to_sun = {0.45, 0.8, 0.6};
  uint32_t ao_rays = 0;    // a sample
  double ao_reach = 0;     // voxels; 0: a sixteenth of the cube's side
  scene::Rgb8 sky = kSky;  // where it is flat
  Sky skies = Sky::Flat;
  Ground ground = Ground::Off;
  double exposure = 1;  // what light is multiplied by
  std::optional<CutPlane> cut = {};
  std::optional<RowBand> band = {};  // only these rows, which are the whole picture's
};

inline constexpr uint32_t kMaxPictureSide = 32768;  // pixels
void check_image_size(ImageSize size);              // throws Error
// The rows of the band, or all. Throws Error where the picture has no such band.
RowBand band_of(const std::optional<RowBand>& band, ImageSize size);
// An image of as many rows.
scene::Image band_image(ImageSize size, const RowBand& band);

struct Picture {
  scene::Image image;        // of a band, its rows alone
  double low = 0, high = 0;  // what the ends of the ramp stand for, see Shade
  uint64_t refined = 0;      // pixels on edges, see Sampling
  uint64_t rays = 0;         // through pixels, without those to the sun and the sky
  double seconds = 0;        // on the device
};

// Holds a scene on a device while pictures of it are taken. Throws Error where options make no picture, see
// make_camera() and slice_frame().
class Renderer {
 public:
  virtual ~Renderer() = default;

  virtual Picture render(const RenderOptions& options) = 0;
  virtual Picture slice(const SliceOptions& options) = 0;
};

// The DAG is one that check_structure() accepts. Compiled for each device in render_cpu.cpp and
// render_cuda.cu.
template <class Device>
std::unique_ptr<Renderer> make_renderer(Device& device, const dag::FrozenDag& dag,
                                        const scene::Palette& palette);

// The kRampColors colours of measured values, from low to high; a legend shows them too.
scene::Rgb8 ramp_color(uint32_t index);

// The colours that a palette's materials have in pictures: grey where it has none.
scene::Rgb8 material_color(const scene::Palette& palette, uint32_t material);

// What the ends of the ramp stand for, where that follows from the view. `filled` is the box around all voxels.
struct RampEnds {
  double low = 0, high = 0;
};
RampEnds ramp_ends(const VoxelBox& filled, const Camera& camera, Shade shade);

// The ground below these voxels, where options ask for it and show light.
GroundPlane ground_plane(const VoxelBox& filled, const RenderOptions& options);

// All of Shading but its pointers to memory of the device, and the ground.
Shading make_shading(const RampEnds& ramp, const Camera& camera, const scene::Palette& palette,
                     const RenderOptions& options);

// The courses of rays to the sky from the faces of a cube's voxels (open_courses_of()). Projected onto the face they are
// spread evenly: a direction has as many as light from there counts.
std::vector<Course> open_courses(uint32_t log2_side);

}  // namespace vox::render
