#include "formats/mesh/gltf_extensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "formats/images/webp.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr std::string_view kRead[] = {"KHR_draco_mesh_compression",
                                      "EXT_meshopt_compression",
                                      "KHR_mesh_quantization",
                                      "EXT_mesh_gpu_instancing",
                                      "KHR_texture_transform",
                                      "EXT_texture_webp",
                                      "KHR_materials_emissive_strength",
                                      "KHR_materials_pbrSpecularGlossiness",
                                      "KHR_materials_unlit"};

// Extensions that change neither the surface nor its base colour and emission. They describe reflection,
// light sources, movement, and alternative materials.
constexpr std::string_view kWithoutEffect[] = {
    "KHR_materials_anisotropy", "KHR_materials_clearcoat", "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion", "KHR_materials_ior",       "KHR_materials_iridescence",
    "KHR_materials_sheen",      "KHR_materials_specular",  "KHR_materials_transmission",
    "KHR_materials_variants",   "KHR_materials_volume",    "KHR_lights_punctual",
    "EXT_lights_image_based",   "KHR_animation_pointer",   "KHR_xmp_json_ld"};

struct OptionalLibrary {
  std::string_view name, extension;  // the extension that needs the library
  bool there;
};

std::optional<std::string_view> missing_library(std::string_view extension) {
  for (const OptionalLibrary& library :
       {OptionalLibrary{"Draco", "KHR_draco_mesh_compression", can_read_draco()},
        OptionalLibrary{"meshoptimizer", "EXT_meshopt_compression", can_read_meshopt()},
        OptionalLibrary{"libwebp", "EXT_texture_webp", can_read_webp()}})
    if (library.extension == extension && !library.there) return library.name;
  return std::nullopt;
}

bool holds(const auto& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

}  // namespace

void check_gltf_extensions(const std::vector<std::string>& required) {
  for (const std::string& name : required) {
    if (auto library = missing_library(name))
      throw Error(fmt::format("the file needs {}, but this build was made without {}", name, *library))
          .hint("build vox where that library is installed, or export without the extension");
    if (holds(kRead, name) || holds(kWithoutEffect, name)) continue;
    Error error(fmt::format("the file needs the extension {}, which is not supported", name));
    error.hint(name == "KHR_texture_basisu" ? "convert its KTX2 textures to PNG, JPEG or WebP"
                                            : "export it without that extension");
    throw error;
  }
}

}  // namespace vox
