// A picture of a scene.
#pragma once

#include "libvox/dag/frozen_dag.h"
#include "libvox/render/camera.h"
#include "libvox/render/shade.h"
#include "libvox/scene/palette.h"

namespace vox {

enum class LevelOfDetail { On, Off };
enum class Shadows { On, Off };

struct RenderOptions {
  CameraPose pose;
  ImageSize size;
  Shade shade = Shade::Material;
  uint32_t samples = 1;  // a pixel
  LevelOfDetail lod = LevelOfDetail::On;
  Shadows shadows = Shadows::On;
  Vec3d to_sun = {0.45, 0.8, 0.6};
  uint32_t ao_rays = 0;  // a sample
  double ao_reach = 0;   // voxels; 0: a sixteenth of the cube's side
  Rgb8 sky = {148, 182, 219};
};

inline constexpr uint32_t kMaxPictureSide = 32768;  // pixels

struct Picture {
  Image image;
  double near = 0, far = 0;  // of Shade::Depth: what the ends of the ramp mean, in voxels
  double seconds = 0;        // on the device, without bringing the scene there
};

// Throws Error where the options make no picture; see make_camera(). The DAG is one that check_structure()
// accepts. Compiled for each device in render_*.
template <class Device>
Picture render(Device& device, const FrozenDag& dag, const Palette& palette, const RenderOptions& options);

// Colours of what is measured, kRampColors of them, from low to high: the legend's.
Rgb8 ramp_color(uint32_t index);

// All but the hemisphere, which is the device's.
Shading make_shading(const FrozenDag& dag, const Palette& palette, const RenderOptions& options);

// Unit vectors around z, spread evenly over the disk below them: as many as light from there counts.
std::vector<Vec3<float>> hemisphere_directions();

}  // namespace vox
