// Finds meshes whose numbers nobody can mean, as where bytes were read as another type than they are.
#pragma once

#include <filesystem>

#include "libvox/scene/scene.h"

namespace vox {

// Warns of a scene that is wider than 1e15 or where all coordinates are below 1e-30. `path` is for the
// message.
void warn_of_implausible(const scene::Scene& scene, const std::filesystem::path& path);

}  // namespace vox
