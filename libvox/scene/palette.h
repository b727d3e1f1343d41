// The palette: the 16 materials of a scene. Every texture is turned into 4-bit palette indices before
// voxelizing, so that the inner loop reads nibbles (docs/architecture.md, "Coverage and material").
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/scene/scene.h"

namespace vox::scene {

inline constexpr uint32_t kPaletteSize = 16;

struct Rgb8 {
  uint8_t r, g, b;
  friend bool operator==(const Rgb8&, const Rgb8&) = default;
};

// The color as 24 bits, red lowest, as voxels of scenes with colors hold it.
constexpr uint32_t packed_color(Rgb8 color) {
  return color.r | uint32_t{color.g} << 8 | uint32_t{color.b} << 16;
}
constexpr Rgb8 unpacked_color(uint32_t color) {
  return {static_cast<uint8_t>(color), static_cast<uint8_t>(color >> 8), static_cast<uint8_t>(color >> 16)};
}

// A name that the mesh has, and the palette entry that stands for it.
struct NamedEntry {
  std::string name;
  uint8_t entry = 0;
  friend bool operator==(const NamedEntry&, const NamedEntry&) = default;
};

struct Palette {
  uint32_t count = 0;                          // entries in use, at most kPaletteSize
  std::array<Rgb8, kPaletteSize> colors = {};  // sRGB
  std::array<std::string, kPaletteSize> names = {};
  // The names of the mesh's materials or objects, in the order of the mesh, if the entries stand for these. Several
  // names may share an entry.
  std::vector<NamedEntry> members = {};
};

// A material by name of a scene whose voxels have colors. Its number is its place in a list. Its voxels are those of its
// color, which no other material of the list has.
struct NamedColor {
  std::string name;
  Rgb8 color;
  std::vector<std::string> members = {};  // the names of the mesh that it stands for
};

inline constexpr uint32_t kMostNamedColors = (1 << 16) - 1;

// Returns the palette of at most kPaletteSize named materials.
Palette named_palette(const std::vector<NamedColor>& list);

// Adds a material for a color that the list lacks, if there is room.
void add_named_color(std::vector<NamedColor>& list, const std::string& name, Rgb8 color);

enum class MaterialMode {
  Texture,  // colors become entries of a palette
  Mesh,     // so do the mesh's own materials
  Object,   // so do the mesh's objects (Material::object)
  Colors,   // colors stay as they are
  None,
};

// True if names of the mesh become entries, whatever their colors are.
constexpr bool has_named_entries(MaterialMode mode) {
  return mode == MaterialMode::Mesh || mode == MaterialMode::Object;
}

// One texture (times its material's base color) as palette indices, with all mip levels down to 1x1, largest first. A
// level is half as wide and high as the previous one, rounded down, at least 1. Each texel is the mean of the texels
// that it covers in the previous level (three per axis, the outer ones in part, if that level's side is odd), in linear
// light, weighted by alpha if the material has a cutoff. The color of a texel is that mean rounded to 8-bit sRGB. Its
// index is the entry nearest to this color in Oklab; ties go to the lower index. A texel is solid if its mean alpha
// reaches the cutoff; otherwise it is a hole, whose index has no meaning. A texture with neither indices nor colors has
// holes alone, and its materials' index or color counts.
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
      colors;  // with MaterialMode::Colors, the packed color of each texel in place of `nibbles`
};

// The data of a material that the voxelizer needs.
struct IndexedMaterial {
  uint32_t texture = kNone;  // index into IndexedScene::textures
  uint8_t index = 0;         // the palette entry if there is no texture, or no texture coordinates
  uint32_t color = 0;        // with MaterialMode::Colors, the packed color in place of `index`
  // The material's alpha is below its cutoff, so triangles without a texture leave no voxels.
  bool invisible = false;
  // Vertex colors decide, through `color_lut`. The material must have no image. See bake_base_colors().
  bool vertex_colors = false;
  Wrap wrap_u = Wrap::Repeat, wrap_v = Wrap::Repeat;
};

struct SurfacePaint;  // surface.h

struct IndexedScene {
  Palette palette;
  std::vector<IndexedMaterial> materials;  // one for each of Scene::materials
  std::vector<IndexedTexture> textures;    // materials with equal (image, base color, cutoff) share one
  // The nearest palette entry for each sRGB color by the upper 5 bits of its channels, at the index
  //   r >> 3 << 10 | g >> 3 << 5 | b >> 3
  // in nibbles as above. A cell stands for the color whose lower bits repeat the upper bits of each channel,
  // so that black and white are exact. Empty unless a material needs it.
  std::vector<uint32_t> color_lut;
  // Each palette entry's share of the scene's visible surface area. The sum is 1, or all are 0 without
  // materials or surface.
  std::array<double, kPaletteSize> shares = {};
  std::vector<NamedColor> named_colors = {};  // if colors stand for the mesh's materials or objects
};

std::string hex_name(Rgb8 color);  // "#rrggbb", the name of an entry without a better one

// All functions below take the scene as bake_base_colors(scene) leaves it, if there are vertex colors.

// A rule that gives a palette entry to names of the mesh.
struct AssignRule {
  std::string pattern;  // a name; * stands for any text, ? for one character
  uint32_t number = 1;  // the entry, from 1 on; entry 0 is for names without a rule
  std::string name;     // the entry's name; if empty, its only member's name or, with several, the pattern
};

bool matches(std::string_view name, std::string_view pattern);

struct NameOptions {
  MaterialMode mode = MaterialMode::Mesh;  // or Object
  std::span<const AssignRule> rules = {};  // the last one that matches a name decides
  uint32_t most = kPaletteSize;            // entries, at least 2; the numbers of rules are below it
};

// Makes an entry for each of the file's materials or objects, the one with the largest visible area first. Its color is
// the mean over the area. If there are more than `most`, the last entry, "rest", stands for those with the smallest
// areas. If there are rules, they decide about the entries instead.
Palette mesh_palette(const Scene& scene, const NameOptions& options = {});

// The mesh's materials or objects with colors in the place of entries, so that there may be more of them.
struct MeshMaterials {
  std::vector<NamedColor> list;       // in the order in which mesh_palette() has them
  std::vector<uint32_t> of_material;  // the place in the list of each of Scene::materials
};

// Does what mesh_palette() does for up to kMostNamedColors names. Among equal colors, all but the first change in the
// lowest bits.
MeshMaterials mesh_materials(const Scene& scene, const NameOptions& options = {});

// Returns the entry of each of the scene's materials, as index_scene() finds it for the modes Mesh and Object.
std::vector<uint8_t> named_entries(const Scene& scene, const Palette& palette, MaterialMode mode);

// Matches the scene's materials with the palette. With Mesh or Object, the palette is the one that mesh_palette() made
// for the scene. If it has no members instead, its entries stand for the materials or objects with the largest visible
// areas, in descending order, and the others take the entry nearest in color. Mesh, Object and None use textures only
// for their holes, and give all texels the material's entry; with None it is 0. Shares are those of the painted
// surface; paint is only possible with Texture. Colors uses no palette. None and Colors count no shares.
IndexedScene index_scene(const Scene& scene, const Palette& palette, MaterialMode mode,
                         const SurfacePaint* paint = nullptr);

// Gives each of the scene's materials its color in the list, as MaterialMode::Colors does, and takes holes alone from
// textures.
IndexedScene index_scene(const Scene& scene, const MeshMaterials& materials);

// Mixes colors from the few of a palette, such as a printer's materials: each voxel gets one entry, and the voxels
// around a place together have the light of the color that is wanted there.
//
// A color is a mix of kMixParts entries, chosen one after the other: each makes up best for the error that the ones
// before have left, in linear light. The entries of a mix are ordered from dark to light. A voxel takes the entry at
// its place in an even sequence in three dimensions (Roberts 2018, "The unreasonable effectiveness of quasirandom
// sequences"). So a mix's entries have nearly their shares everywhere, whatever the number of threads.

inline constexpr uint32_t kLog2MixParts = 7, kMixParts = 1u << kLog2MixParts;
using ColorMix = std::array<uint8_t, kMixParts>;  // entries, from dark to light

// Returns the mix for a color. The palette must have entries.
ColorMix mix_of(const Palette& palette, Rgb8 color);

// Returns the part of its mix that a voxel takes.
inline uint32_t part_of_mix(Int3 voxel) {
  // The reciprocals of the real root of x⁴ = x + 1, of its square and of its cube, in 2^-32.
  const uint32_t place = static_cast<uint32_t>(voxel.x) * 3518319155u +
                         static_cast<uint32_t>(voxel.y) * 2882110345u +
                         static_cast<uint32_t>(voxel.z) * 2360945575u;
  return place >> (32 - kLog2MixParts);
}

// Makes the mixes of a palette. A scene may have millions of colors, so each thread keeps only those mixes that it has
// needed lately, in at most 12 MiB.
class Dither {
 public:
  explicit Dither(const Palette& palette) : palette_(palette) {}

  uint8_t operator()(Rgb8 color, Int3 voxel) const {
    const uint32_t packed = packed_color(color);
    auto& known = known_.local();
    if (known.size() >= kMostKnown) known.clear();
    const auto [mix, is_new] = known.try_emplace(packed);
    if (is_new) mix->second = mix_of(palette_, color);
    return mix->second[part_of_mix(voxel)];
  }

 private:
  static constexpr size_t kMostKnown = 1 << 16;

  const Palette palette_;
  mutable tbb::enumerable_thread_specific<std::unordered_map<uint32_t, ColorMix>> known_;
};

}  // namespace vox::scene
