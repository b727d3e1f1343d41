// The palette: the 16 materials of a scene. Every texture is turned into 4-bit palette indices before
// voxelizing, so that the inner loop reads nibbles (docs/architecture.md, "Coverage and material").
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

// The colour as 24 bits, red lowest, as voxels of scenes with colours hold it.
constexpr uint32_t packed_color(Rgb8 color) {
  return color.r | uint32_t{color.g} << 8 | uint32_t{color.b} << 16;
}
constexpr Rgb8 unpacked_color(uint32_t color) {
  return {static_cast<uint8_t>(color), static_cast<uint8_t>(color >> 8), static_cast<uint8_t>(color >> 16)};
}

struct Palette {
  uint32_t count = 0;                          // entries in use, at most kPaletteSize
  std::array<Rgb8, kPaletteSize> colors = {};  // sRGB
  std::array<std::string, kPaletteSize> names = {};
};

enum class MaterialMode {
  Texture,  // colours become entries of a palette
  Mesh,     // so do the mesh's own materials
  Colors,   // colours stay as they are
  None,
};

// One texture (times its material's base colour) as palette indices, with all mip levels down to 1x1, largest
// first. A level is half as wide and high as the previous one, rounded down, at least 1. Each texel is the
// mean of the texels that it covers in the previous level (if that level's side is odd, three per axis, the
// outer ones in part), in linear light, weighted by alpha if the material has a cutoff. The colour of a texel
// is that mean rounded to 8-bit sRGB. Its index is the entry nearest to this colour in Oklab, the lower one
// of equals. It is solid if the mean alpha reaches the cutoff. The index of a hole has no meaning.
struct IndexedTexture {
  struct Level {
    uint32_t width = 0, height = 0;
    // The index of the level's first texel in this texture, a multiple of 32. Rows follow one another, from
    // the top row down.
    uint64_t first_texel = 0;
  };
  std::vector<Level> levels;
  std::vector<uint32_t> nibbles;  // 8 texels per word; texel t is nibble t & 7, counted from the lowest, of
                                  // word t / 8
  std::vector<uint32_t> opaque;   // 1 bit per texel, set if the texel is solid; empty if all are
  std::vector<uint32_t>
      colors;  // with MaterialMode::Colors, the packed colour of each texel in place of `nibbles`
};

// The data of a material that the voxelizer needs.
struct IndexedMaterial {
  uint32_t texture = kNone;  // index into IndexedScene::textures
  uint8_t index = 0;         // the palette entry if there is no texture, or no texture coordinates
  uint32_t color = 0;        // with MaterialMode::Colors, the packed colour in its place
  // The material's alpha is below its cutoff, so triangles without a texture leave no voxels.
  bool invisible = false;
  // Vertex colours decide, through `color_lut`. The material must have no image. See bake_base_colors().
  bool vertex_colors = false;
  Wrap wrap_u = Wrap::Repeat, wrap_v = Wrap::Repeat;
};

struct SurfacePaint;  // surface.h

struct IndexedScene {
  Palette palette;
  std::vector<IndexedMaterial> materials;  // one for each of Scene::materials
  std::vector<IndexedTexture> textures;    // materials with equal (image, base colour, cutoff) share one
  // The nearest palette entry for each sRGB colour by the upper 5 bits of its channels, at the index
  //   r >> 3 << 10 | g >> 3 << 5 | b >> 3
  // in nibbles as above. A cell stands for the colour whose lower bits repeat the upper bits of each channel,
  // so that black and white are exact. Empty unless a material needs it.
  std::vector<uint32_t> color_lut;
  // Each palette entry's share of the scene's visible surface area. The sum is 1, or all are 0 without
  // materials or surface.
  std::array<double, kPaletteSize> shares = {};
};

std::string hex_name(Rgb8 color);  // "#rrggbb", the name of an entry without a better one

// If there are vertex colours, bake_base_colors(scene) must have been called before the functions below.

// Makes one entry for each material of the file, in the order of visible areas. Its colour is the mean over
// the material's area. If there are more than 16 materials, those with smaller areas take the entry nearest
// in colour, and a warning says how many they are.
Palette mesh_palette(const Scene& scene);

// Matches the scene's materials with the palette. With MaterialMode::Mesh, the palette must be from
// mesh_palette(), or have entries for the same materials in the same order. Mesh and None keep textures only
// for their holes, with the material's entry in all nibbles; with None the entry is 0. Shares are those of
// the painted surface; paint is only possible with Texture. Colors uses no palette and counts no shares.
IndexedScene index_scene(const Scene& scene, const Palette& palette, MaterialMode mode,
                         const SurfacePaint* paint = nullptr);

}  // namespace vox::scene
