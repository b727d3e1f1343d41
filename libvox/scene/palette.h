// The 16 materials of a scene. Every texture is turned into 4-bit indices into them before voxelizing, so
// that the hot loop reads nibbles (docs/architecture.md, "Coverage and material").
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox::scene {

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
// first. A level is half as wide and high as the one before, rounded down, at least 1. Each of its texels is
// the mean of the texels that it covers there (three a side, the outer ones in part, where the side before is
// odd), in linear light, weighted by alpha if the material has a cutoff. The colour of a texel is that mean
// rounded to 8-bit sRGB; its index is the entry nearest to this colour in Oklab, the lower one of equals; it
// is solid if the mean alpha reaches the cutoff. The index of a hole means nothing.
struct IndexedTexture {
  struct Level {
    uint32_t width = 0, height = 0;
    // Index of the level's first texel in this texture, a multiple of 32. Rows follow one another, the top
    // row first.
    uint64_t first_texel = 0;
  };
  std::vector<Level> levels;
  std::vector<uint32_t> nibbles;  // 8 texels a word, low nibble first; texel t is nibble t & 7 of word t >> 3
  std::vector<uint32_t> opaque;   // 1 bit a texel, set where the texel is solid; empty where all are
};

// What the voxelizer needs of a material.
struct IndexedMaterial {
  uint32_t texture = kNone;  // into IndexedScene::textures
  uint8_t index = 0;         // the palette entry where there is no texture (or no texture coordinates)
  // Its alpha is below its cutoff: triangles leave no voxels (where there is no texture).
  bool invisible = false;
  // Vertex colours decide, through `color_lut`, which needs a material without an image. See
  // bake_base_colors().
  bool vertex_colors = false;
  Wrap wrap_u = Wrap::Repeat, wrap_v = Wrap::Repeat;
};

struct SurfacePaint;  // surface_paint.h

struct IndexedScene {
  Palette palette;
  std::vector<IndexedMaterial> materials;  // one per Scene::materials
  std::vector<IndexedTexture> textures;    // materials of equal (image, base colour, cutoff) share one
  // The nearest palette entry for each sRGB colour by the upper 5 bits of its channels, at the index
  //   r >> 3 << 10 | g >> 3 << 5 | b >> 3
  // with nibbles as above. A cell stands for the colour whose channels repeat their upper bits below, so that
  // black and white are exact. Empty unless a material needs it.
  std::vector<uint32_t> color_lut;
  // For each palette entry its share of the scene's visible surface area; together 1, or all 0 without
  // materials or surface.
  std::array<double, kPaletteSize> shares = {};
};

std::string hex_name(Rgb8 color);  // "#rrggbb", the name of an entry that has no better one

// The functions below expect that bake_base_colors(scene) has been called where there are vertex colours.

// Makes one entry for each material of the file, in the order of visible areas, with the mean over its area
// as colour. Where there are more than 16, those of smaller area take the entry nearest in colour (a warning
// says how many).
Palette mesh_palette(const Scene& scene);

// Matches the scene's materials with the palette. With MaterialMode::Mesh, the palette is mesh_palette()'s or
// one whose entries are meant for the same materials in the same order. Mesh and None keep textures for their
// holes alone, with the material's entry in all nibbles; with None it is 0. Shares are of the surface as painted,
// which goes with Texture alone.
IndexedScene index_scene(const Scene& scene, const Palette& palette, MaterialMode mode,
                         const SurfacePaint* paint = nullptr);

}  // namespace vox::scene
