#include "libvox/voxelize/prepare.h"

#include <algorithm>

namespace vox::voxelize {
namespace {

MaterialRef material_ref(const scene::IndexedMaterial& material) {
  MaterialRef ref = {};
  ref.index = material.index;
  ref.flags = static_cast<uint16_t>((material.vertex_colors ? MaterialRef::kVertexColors : 0) |
                                    (material.invisible ? MaterialRef::kInvisible : 0));
  ref.wraps = static_cast<uint8_t>(static_cast<uint32_t>(material.wrap_u) |
                                   static_cast<uint32_t>(material.wrap_v) << 4);
  return ref;
}

// Appends the texels of a texture. They start at a whole word of both arrays.
void add_texture(const scene::IndexedTexture& texture, PreparedMaterials& out) {
  const uint64_t first = std::max(out.nibbles.size() * 8, (out.opaque.size() * 32 + 31) / 32 * 32);
  out.nibbles.resize(first / 8);
  out.nibbles.insert(out.nibbles.end(), texture.nibbles.begin(), texture.nibbles.end());
  out.nibbles.resize((out.nibbles.size() + 3) / 4 * 4);
  if (!texture.opaque.empty()) {
    out.opaque.resize(first / 32);
    out.opaque.insert(out.opaque.end(), texture.opaque.begin(), texture.opaque.end());
  }
  for (const auto& level : texture.levels)
    out.levels.push_back({level.width, level.height, first + level.first_texel});
}

}  // namespace

PreparedMaterials prepare_materials(const scene::IndexedScene& indexed) {
  PreparedMaterials out;
  std::vector<uint32_t> first_level;
  for (const scene::IndexedTexture& texture : indexed.textures) {
    first_level.push_back(static_cast<uint32_t>(out.levels.size()));
    add_texture(texture, out);
  }
  for (const scene::IndexedMaterial& material : indexed.materials) {
    MaterialRef ref = material_ref(material);
    if (material.texture != scene::kNone) {
      const scene::IndexedTexture& texture = indexed.textures[material.texture];
      ref.first_level = first_level[material.texture];
      ref.level_count = static_cast<uint32_t>(texture.levels.size());
      ref.flags = static_cast<uint16_t>(ref.flags | MaterialRef::kTextured |
                                        (texture.opaque.empty() ? 0 : MaterialRef::kHasHoles));
    }
    out.materials.push_back(ref);
  }
  for (const scene::IndexedMaterial& material : indexed.materials)
    out.materials.push_back(material_ref(material));
  out.color_lut = indexed.color_lut;
  return out;
}

}  // namespace vox::voxelize
