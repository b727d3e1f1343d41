// Takes pictures of a scene: views and slices.
#pragma once

#include <memory>
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

inline constexpr scene::Rgb8 kSky = {148, 182, 219};

struct RenderOptions {
  CameraPose pose;
  ImageSize size;
  Shade shade = Shade::Material;
  uint32_t samples = 1;  // a pixel
  LevelOfDetail lod = LevelOfDetail::On;
  Normals normals = Normals::Faces;
  Shadows shadows = Shadows::On;
  Vec3d to_sun = {0.45, 0.8, 0.6};
  uint32_t ao_rays = 0;  // a sample
  double ao_reach = 0;   // voxels; 0: a sixteenth of the cube's side
  scene::Rgb8 sky = kSky;
};

inline constexpr uint32_t kMaxPictureSide = 32768;  // pixels
void check_image_size(ImageSize size);              // throws Error

struct Picture {
  scene::Image image;
  double low = 0, high = 0;  // what the ends of the ramp stand for, see Shade
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

// All of Shading but its pointers to memory of the device.
Shading make_shading(const RampEnds& ramp, const Camera& camera, const scene::Palette& palette,
                     const RenderOptions& options);

// The courses of rays to the sky from the faces of a cube's voxels (open_courses_of()). Projected onto the face they are
// spread evenly: a direction has as many as light from there counts.
std::vector<Course> open_courses(uint32_t log2_side);

}  // namespace vox::render
