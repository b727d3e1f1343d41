// The 16 materials of a scene, and every texture turned into 4-bit indices into them before voxelizing, so
// that the hot loop reads nibbles (DESIGN §5).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

inline constexpr uint32_t kPaletteSize = 16;

struct Rgb8 {
  uint8_t r, g, b;
  friend bool operator==(const Rgb8&, const Rgb8&) = default;
};

struct Palette {
  uint32_t count = 0;                          // entries in use, at most kPaletteSize
  std::array<Rgb8, kPaletteSize> colors = {};  // sRGB
  std::array<std::string, kPaletteSize> names = {};
};

enum class MaterialMode { Texture, Mesh, None };

// One texture (times its material's base colour) as palette indices, all mip levels down to 1x1, largest
// first. Colours are averaged in linear light, weighted by alpha, and matched in Oklab.
struct IndexedTexture {
  struct Level {
    uint32_t width = 0, height = 0;
    uint64_t first_texel = 0;  // into the texels of this texture, row by row, top row first
  };
  std::vector<Level> levels;
  std::vector<uint32_t> nibbles;  // 8 texels a word, low nibble first; texel t is nibble t & 7 of word t >> 3
  std::vector<uint32_t> opaque;   // 1 bit a texel, set where the texel is solid; empty: all are
};

// What the voxelizer needs of a material.
struct IndexedMaterial {
  uint32_t texture = kNone;  // into IndexedScene::textures
  uint8_t index = 0;         // the palette entry where there is no texture (or no texture coordinates)
  bool invisible =
      false;  // its alpha is below its cutoff: triangles leave no voxels (where there is no texture)
  bool vertex_colors =
      false;  // base colour × vertex colour decides, through `color_lut`; only without a texture
  Wrap wrap_u = Wrap::Repeat, wrap_v = Wrap::Repeat;
};

struct IndexedScene {
  Palette palette;
  std::vector<IndexedMaterial> materials;  // one per Scene::materials
  std::vector<IndexedTexture> textures;    // equal (image, base colour, cutoff) share one
  // Nearest entry for each sRGB colour at 5 bits a channel: entry r << 10 | g << 5 | b, nibbles as above.
  // Empty unless a material needs it.
  std::vector<uint32_t> color_lut;
  std::array<double, kPaletteSize> shares = {};  // of the scene's surface area, per palette entry
};

// Clusters the area-weighted texel colours of the scene (base colours and vertex colours too) into at most 16
// in Oklab. The same scene gives the same palette, whatever the number of threads. Equal colours are merged.
Palette auto_palette(const Scene& scene);

// One entry per material of the file in order of its area; when there are more than 16, those of smaller area
// take the entry nearest in colour (a warning names how many).
Palette mesh_palette(const Scene& scene);

// Matches the scene's materials with the palette. With MaterialMode::None every index is 0, but alpha is
// kept.
IndexedScene index_scene(const Scene& scene, const Palette& palette, MaterialMode mode);

}  // namespace vox
