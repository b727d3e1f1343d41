// The scene that a mesh file becomes: triangles with materials and images, in the file's own coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "libvox/base/vec.h"

namespace vox::scene {

struct Rgba8 {
  uint8_t r, g, b, a;
  friend bool operator==(const Rgba8&, const Rgba8&) = default;
};
static_assert(sizeof(Rgba8) == 4);

// The unit of lengths, if the file says it.
enum class LengthUnit : uint8_t { Unknown, Meter };

inline const char* unit_name(LengthUnit unit) {
  return unit == LengthUnit::Meter ? "m" : "units";
}

// sRGB pixels with straight alpha, top row first.
struct Image {
  std::string name;  // the name of the file or of the embedded image
  uint32_t width = 0, height = 0;
  std::vector<Rgba8> pixels;  // width * height
};

enum class Wrap : uint8_t { Repeat, Clamp, Mirror };

inline constexpr uint32_t kNone = UINT32_MAX;

struct Material {
  std::string name;
  std::string object = {};  // the mesh's object whose triangles have it, if readers keep objects apart
  std::array<float, 4> base_color = {0.8f, 0.8f, 0.8f, 1};  // linear RGB and alpha; multiplies the image
  uint32_t image = kNone;                                   // index into Scene::images
  Wrap wrap_u = Wrap::Repeat, wrap_v = Wrap::Repeat;
  // Texels (or a whole material) whose alpha is below the cutoff are holes. With 0 everything is opaque,
  // whatever the alpha is (glTF OPAQUE). glTF MASK has its own cutoff; BLEND and OBJ d / map_d have 0.5.
  float alpha_cutoff = 0;
};

struct Triangle {
  std::array<uint32_t, 3> position;  // indices into Scene::positions (and Scene::colors)
  std::array<uint32_t, 3> texcoord;  // indices into Scene::texcoords; all kNone if the triangle has none
  uint32_t material;                 // index into Scene::materials
};
static_assert(sizeof(Triangle) == 28);

// Texture coordinates are as sampled: u to the right, v DOWN from the top row (readers of formats whose v
// points up store 1 - v). Offsets, scales and rotations of the material are already applied.
struct Scene {
  std::vector<Vec3d> positions;
  std::vector<Rgba8> colors;  // vertex colors (sRGB): empty, or one for each position
  std::vector<Vec2f> texcoords;
  std::vector<Triangle> triangles;
  std::vector<Material> materials;  // at least one if there are triangles
  std::vector<Image> images;
  LengthUnit unit = LengthUnit::Unknown;  // the unit of the positions
};

// Appends `other` and shifts its indices. If only one side has vertex colors, the vertices of the other
// become white. The unit is unknown unless all parts have the same.
void append_scene(Scene& scene, Scene&& other);

struct DroppedTriangles {
  uint64_t not_finite = 0;  // a coordinate is NaN or infinite
  uint64_t degenerate = 0;  // two corners in the same place, or all on a line
};

// Removes triangles that cover nothing. Texture coordinates that are not finite become (0, 0).
DroppedTriangles drop_bad_triangles(Scene& scene);

// Multiplies the vertex colors of triangles without an image by their material's base color, which becomes
// white (its alpha stays), so that the vertex color alone decides. Vertices that are shared by materials
// with different base colors are duplicated. Does nothing without vertex colors. Call it once, after all
// scenes are appended.
void bake_base_colors(Scene& scene);

// The rule that decides which voxels a triangle fills. Conservative fills every voxel whose cube the triangle touches
// (26-separating). Thin fills fewer voxels,
// but still no path from face to face crosses a closed surface (6-separating).
enum class Coverage { Conservative, Thin };

}  // namespace vox::scene
