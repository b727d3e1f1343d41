// Builds the scene that a glTF file shows from its instances.
#pragma once

#include <filesystem>
#include <span>

#include "formats/mesh/gltf_document.h"
#include "formats/mesh/mesh_options.h"
#include "libvox/scene/scene.h"

namespace vox {

// `path` is the glTF file, and `binary` the data that follows a GLB's JSON. Throws Error.
scene::Scene gltf_scene(const GltfDocument& document, const std::filesystem::path& path,
                        const MeshOptions& options, std::span<const std::byte> binary);

}  // namespace vox
