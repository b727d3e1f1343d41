// Takes pictures of a scene: views and slices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/device/handle.h"
#include "libvox/render/camera.h"
#include "libvox/render/ray.h"
#include "libvox/render/ray_dag.h"
#include "libvox/render/shade.h"
#include "libvox/scene/palette.h"

namespace vox::render {

// The picture of a cut through a scene: of the voxels of one plane of the grid.
struct SliceOptions {
  VoxelSize voxel_size = 1;          // in any unit
  uint32_t axis = 2;                 // 0, 1, 2 for x, y, z: the axis perpendicular to the plane
  uint32_t at = 0;                   // the index of the plane's voxels along that axis
  ImageSize most;                    // the picture is as large as possible within this size, with whole cells
  scene::Rgb8 empty = {24, 26, 32};  // the color where there is no voxel
};

// Maps voxels to the places of a picture. The plane is seen from the front along z, from the right along x,
// and from the top along y, as in the views of those names.
struct SliceFrame {
  uint32_t axis, at;       // as in SliceOptions
  uint32_t across, along;  // the axes to the right and down
  int32_t first[2];        // the voxel in the upper left corner, along `across` and `along`
  int32_t step[2];         // the step to the next voxel: 1 or −1
  uint32_t width, height;  // in cells
  uint32_t log2_cell;      // log2 of a cell's side in voxels; a cell has the color of its first voxel
  ImageSize size;          // the picture's size; pixel x shows the cell x · width / size.width

  // Returns the first pixel of a cell along an axis of the picture that has this many cells and pixels. The cell ends
  // where the next one begins.
  static uint32_t first_pixel(uint32_t cell, uint32_t cells, uint32_t pixels) {
    return static_cast<uint32_t>((uint64_t{cell} * pixels + cells - 1) / cells);
  }
};

// Returns the frame of the part of the plane that lies inside `filled`, the box around all voxels, or inside
// the whole grid if `filled` is empty. Throws Error if the plane lies outside of the grid or the picture has
// no pixels.
SliceFrame slice_frame(const SliceOptions& options, const VoxelBox& filled, const VoxelBox& grid);

enum class LevelOfDetail { On, Off };
enum class Shadows { On, Off };

// The color of a node at which a ray stops.
enum class LevelColors {
  Voxel,  // the color of the voxel in the node at the place where the ray hits
  Mean,   // the mean of all voxels in the node, in linear light
};

// The pixels that get the full number of samples.
enum class Sampling {
  All,
  Edges,  // pixels whose first sample differs from a neighbor's; the others keep one sample
};

// The sky behind lit scenes. Pictures of measured values always use kSky.
enum class Sky { Flat, Gradient };

// With On, lit scenes stand on a plane that shows their shadow, see shade.h.
enum class Ground { Off, On };

inline constexpr scene::Rgb8 kSky = {148, 182, 219};  // the flat sky
// The gradient is a calm sky: paler at the horizon, and gray below it.
inline constexpr scene::Rgb8 kHorizon = {206, 218, 230}, kZenith = {96, 138, 196}, kNadir = {150, 156, 164};

// The plane of a cutaway. Cut faces are hatched in the colors of their materials, without light and shadow.
struct CutPlane {
  uint32_t axis = 0;  // 0, 1, 2 for x, y, z
  int32_t at = 0;     // the plane lies between the voxels at - 1 and at
};

// A band of rows of a picture that several renderers share: row `begin` and all rows before `end`. It begins
// at a multiple of kBandRows, and ends at such a multiple or at the picture's end.
struct RowBand {
  uint32_t begin = 0, end = 0;
};
inline constexpr uint32_t kBandRows = 32;  // so that beams and groups of pixels are not divided

struct RenderOptions {
  CameraPose pose;
  ImageSize size;
  Shade shade = Shade::Material;
  uint32_t samples = 1;  // per pixel
  Sampling sampling = Sampling::All;
  LevelOfDetail lod = LevelOfDetail::On;
  LevelColors colors = LevelColors::Voxel;
  Normals normals = Normals::Faces;
  Shadows shadows = Shadows::On;
  Vec3d to_sun = {0.45, 0.8, 0.6};
  uint32_t ao_rays = 0;    // per sample
  double ao_reach = 0;     // in voxels; 0: a sixteenth of the cube's side
  scene::Rgb8 sky = kSky;  // the flat sky
  Sky skies = Sky::Flat;
  Ground ground = Ground::Off;
  double exposure = 1;  // light is multiplied by this
  std::optional<CutPlane> cut = {};
  std::optional<RowBand> band = {};  // only these rows of the whole picture
};

inline constexpr uint32_t kMaxPictureSide = 32768;  // pixels
void check_image_size(ImageSize size);              // throws Error
// Returns the band's rows, or all rows. Throws Error if the picture has no such band.
RowBand band_of(const std::optional<RowBand>& band, ImageSize size);
// Returns an image with as many rows as the band.
scene::Image band_image(ImageSize size, const RowBand& band);

struct Picture {
  scene::Image image;        // with a band, only its rows
  double low = 0, high = 0;  // the values at the ends of the ramp, see Shade
  uint64_t refined = 0;      // the number of pixels on edges, see Sampling
  uint64_t rays = 0;         // rays through pixels, not counting rays to the sun and the sky
  double seconds = 0;        // on the device
};

// Holds a scene on a device while pictures of it are taken. Both functions throw Error if the options make no
// picture, see make_camera() and slice_frame().
class Renderer {
 public:
  virtual ~Renderer() = default;

  virtual Picture render(const RenderOptions& options) = 0;
  virtual Picture slice(const SliceOptions& options) = 0;
};

struct RendererOptions {
  VoxelSize voxel_size = 1;             // in any unit. Cameras stand in units of the shortest side.
  uint64_t far_words = kFarWords;       // see RayDag
  uint64_t detail_memory = UINT64_MAX;  // the most bytes for levels of detail
  // The voxels' own colors, which replace the palette's; nullptr if there are none. A GPU gets a copy; the CPU reads
  // them in place. With colors, the DAG must not be paged.
  const attributes::PackedValues* colors = nullptr;
  // The numbers of the voxels' normals (attributes/octahedral.h), by which Normals::Auto shades; nullptr: there are
  // none. They are copied or read in place like the colors, and the DAG must not be paged.
  const attributes::PackedValues* normals = nullptr;
  // The symmetric form of the DAG, through which rays are cast in its place; nullptr: there is none. The pictures are the same,
  // except that Shade::Sharing is refused. It is copied to the device.
  const dag::SymmetricDag* symmetric = nullptr;
};

// Copies the scene to the device, to take pictures of it. The DAG, the palette, the values and the device must outlive
// the renderer. check_structure() must accept the DAG.
//
// On the CPU, a paged DAG is read in place, and only the nodes that rays meet are read. So a node at which a ray stops
// has an estimated box (RayDagRef::estimated_box()), and LevelColors::Mean is the same as LevelColors::Voxel. Only
// Shade::Sharing reads all nodes, one level after the other.
template <class Device>
std::unique_ptr<Renderer> make_renderer(Device& device, const dag::FrozenDag& dag,
                                        const scene::Palette& palette, const RendererOptions& options = {});
std::unique_ptr<Renderer> make_renderer(device::DeviceHandle device, const dag::FrozenDag& dag,
                                        const scene::Palette& palette, const RendererOptions& options = {});

// Returns one of the kRampColors colors of measured values, numbered from low to high. A legend shows them too.
scene::Rgb8 ramp_color(uint32_t index);

// Returns the color of a palette's material in pictures: gray if the palette has no such material.
scene::Rgb8 material_color(const scene::Palette& palette, uint32_t material);

// The values at the ends of the ramp, as far as the view decides them. `filled` is the box around all voxels.
struct RampEnds {
  double low = 0, high = 0;
};
RampEnds ramp_ends(const VoxelBox& filled, const Camera& camera, Shade shade);

// Returns the ground below these voxels. It is shown only if the options ask for it and the picture shows light.
GroundPlane ground_plane(const VoxelBox& filled, const RenderOptions& options);

// Fills in all of Shading except the ground and the pointers to the device's memory.
Shading make_shading(const RampEnds& ramp, const Camera& camera, const scene::Palette& palette,
                     const RenderOptions& options);

// Returns the courses of rays to the sky from voxels' faces (open_courses_of()). Projected onto the face
// they are spread evenly, so that the number of rays in a direction is proportional to the weight of the
// light from there.
std::vector<Course> open_courses(uint32_t log2_side, Vec3d voxels_per_unit = {1, 1, 1});

// Single rays through a scene, for programs that ask what a ray hits. They are traced like those of pictures (trace.h).

// A ray on the grid.
struct GridRay {
  FinePoint from;           // 24 B
  FineDirection direction;  // 24 B
};
static_assert(sizeof(GridRay) == 48);

// The first voxel that a ray hits.
struct GridHit {
  static constexpr uint32_t kInside = 3, kNothing = UINT32_MAX;

  int64_t ticks;  //  8 B, from the ray's origin to the voxel; see log2_ticks()
  Int3 voxel;     // 12 B
  uint32_t
      value;  //  4 B, the voxel's own color (scene::unpacked_color()) if the scene has colors, else its material
  uint32_t face;    //  4 B, the axis of the face at which the ray enters it, 0 to 2, kInside or kNothing
  uint32_t unused;  //  4 B

  VOX_HD bool found() const { return face != kNothing; }
};
static_assert(sizeof(GridHit) == 32);

// Holds a scene on a device while rays are cast.
class RayCaster {
 public:
  virtual ~RayCaster() = default;

  // Finds the hit of each ray. There must be as many hits as rays.
  virtual void cast(std::span<const GridRay> rays, std::span<GridHit> hits) = 0;
};

// Copies the scene to the device. check_structure() must accept the DAG, which must not be paged if there are colors.
// The DAG, the colors (nullptr: there are none) and the device must outlive the result.
template <class Device>
std::unique_ptr<RayCaster> make_ray_caster(Device& device, const dag::FrozenDag& dag,
                                           const attributes::PackedValues* colors);
std::unique_ptr<RayCaster> make_ray_caster(device::DeviceHandle device, const dag::FrozenDag& dag,
                                           const attributes::PackedValues* colors);

// A ray of the world on the grid.
struct PlacedRay {
  GridRay ray;
  double before;    // the distance from the ray's origin in the world to that of `ray`
  double per_tick;  // the distance of a tick in the world

  double distance(const GridHit& hit) const { return before + static_cast<double>(hit.ticks) * per_tick; }
};

// Puts rays of the world on the grid of a scene.
class RayPlacer {
 public:
  static constexpr double kFarthest = 0x1p32;  // voxels

  // The grid lies in a cube of 2^log2_side voxels a side.
  RayPlacer(uint32_t log2_side, Vec3d origin, VoxelSize voxel_size)
      : log2_side_(log2_side), origin_(origin), voxel_size_(voxel_size) {}

  // True if a ray can be placed: all its numbers are finite, its direction is not 0, and along each axis it begins less
  // than kFarthest voxels from the grid's corner.
  bool accepts(Vec3d from, Vec3d direction) const;
  PlacedRay placed(Vec3d from, Vec3d direction) const;

 private:
  uint32_t log2_side_;
  Vec3d origin_;
  VoxelSize voxel_size_;
};

}  // namespace vox::render
