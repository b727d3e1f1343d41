// Writes a scene as glTF 2.0 in one binary file (.glb).
#pragma once

#include <filesystem>

#include "libvox/scene/scene.h"

namespace vox {

// Writes one mesh with one primitive for each material, with PNG images embedded. Positions become 32-bit
// floats. If only some triangles of a material have texture coordinates, the others get (0, 0). Vertex
// colours are left out. Throws Error, for example if the file would exceed the 4 GiB that the format allows.
void write_glb(const scene::Scene& scene, const std::filesystem::path& path);

}  // namespace vox
