// Puts together the scene that a glTF shows from its instances.
#pragma once

#include <filesystem>
#include <span>

#include "formats/mesh/gltf_document.h"
#include "formats/mesh/mesh_options.h"
#include "libvox/scene/scene.h"

namespace vox {

// `path` is the glTF file, `binary` are the bytes that a GLB carries behind its JSON. Throws Error.
scene::Scene gltf_scene(const GltfDocument& document, const std::filesystem::path& path,
                        const MeshOptions& options, std::span<const std::byte> binary);

}  // namespace vox
