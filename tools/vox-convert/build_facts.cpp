#include "tools/vox-convert/build_facts.h"

#include <fmt/format.h>

#include <span>

#include "formats/io/check_sum.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

template <class T>
std::span<const T> all_of(const std::vector<T>& values) {
  return values;
}

std::string sum_text(const CheckSum& sum) {
  return fmt::format("{:016x}", sum.value());
}

std::string text_of(const Vec3d& v) {
  return fmt::format("{},{},{}", v.x, v.y, v.z);
}

std::string mesh_sum(const scene::Scene& scene) {
  CheckSum sum;
  sum.add_values(all_of(scene.positions))
      .add_values(all_of(scene.colors))
      .add_values(all_of(scene.texcoords));
  return sum_text(sum.add_values(all_of(scene.triangles)));
}

std::string texture_sum(const scene::IndexedScene& indexed) {
  CheckSum sum;
  for (const scene::IndexedMaterial& material : indexed.materials) {
    const std::vector<uint32_t> words = {material.texture,
                                         material.index,
                                         material.invisible ? 1u : 0u,
                                         material.vertex_colors ? 1u : 0u,
                                         static_cast<uint32_t>(material.wrap_u),
                                         static_cast<uint32_t>(material.wrap_v)};
    sum.add_values(all_of(words));
  }
  for (const scene::IndexedTexture& texture : indexed.textures) {
    sum.add_values(all_of(texture.levels));
    sum.add_values(all_of(texture.nibbles)).add_values(all_of(texture.opaque));
  }
  return sum_text(sum.add_values(all_of(indexed.color_lut)));
}

std::string paint_sum(const painting::FrozenAtlas* atlas) {
  if (atlas == nullptr) return "none";
  CheckSum sum;
  sum.add_values(std::span<const uint64_t>(atlas->cells)).add_values(all_of(atlas->layers));
  const std::vector<uint64_t> numbers = {atlas->keys.size, atlas->texels};
  return sum_text(sum.add_values(all_of(numbers)));
}

std::string palette_text(const scene::Palette& palette) {
  std::string text;
  for (uint32_t i = 0; i < palette.count; ++i) text += (i > 0 ? "," : "") + hex_name(palette.colors[i]);
  return text.empty() ? "none" : text;
}

std::string materials_text(scene::MaterialMode mode) {
  return mode == scene::MaterialMode::Texture ? "texture"
         : mode == scene::MaterialMode::Mesh  ? "mesh"
                                              : "none";
}

}  // namespace

BuildFacts build_facts(const MeshWork& work, const ConvertOptions& options) {
  const voxelize::Grid& grid = work.grid;
  const bool snapped = grid.first_voxel.has_value();
  return {{"program", generator_text()},
          {"resolution", std::to_string(grid.resolution)},
          {"origin", text_of(grid.origin)},
          {"voxel-size", fmt::format("{}", grid.voxel_size)},
          {"first-voxel", snapped ? text_of(*grid.first_voxel) : "none"},
          {"coverage", work.build.coverage == scene::Coverage::Thin ? "thin" : "conservative"},
          {"solid", work.build.solid ? "yes" : "no"},
          {"materials", materials_text(options.materials)},
          {"palette", palette_text(work.indexed.palette)},
          {"mesh", mesh_sum(work.scene)},
          {"textures", texture_sum(work.indexed)},
          {"paint", paint_sum(work.build.atlas)}};
}

}  // namespace vox
