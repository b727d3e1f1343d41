// Reads the part of a glTF file's JSON that describes surfaces: materials, textures, samplers, images.
#pragma once

#include <vector>

#include "formats/mesh/gltf_document.h"
#include "formats/mesh/gltf_json.h"

namespace vox {

GltfMaterial read_gltf_material(const GltfObject& object);
GltfImage read_gltf_image(const GltfObject& object);
std::vector<GltfTexture> read_gltf_textures(const GltfObject& root);  // with their samplers

}  // namespace vox
