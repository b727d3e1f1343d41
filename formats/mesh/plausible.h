// Detects meshes with implausible numbers, for example because bytes were interpreted as the wrong type.
#pragma once

#include <filesystem>

#include "libvox/scene/scene.h"

namespace vox {

// Logs a warning if a scene is wider than 1e15, or if all coordinates are below 1e-30. `path` is for the
// message.
void warn_of_implausible(const scene::Scene& scene, const std::filesystem::path& path);

}  // namespace vox
