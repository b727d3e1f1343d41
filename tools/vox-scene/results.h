// The results of vox-scene, for --json.
#pragma once

#include <filesystem>

#include "formats/results/results.h"
#include "libvox/scene/scene.h"

namespace vox {

// Returns the results. Times are in s.
ResultGroup results_of(const scene::Scene& scene, const std::filesystem::path& path, double generate,
                       double write);

}  // namespace vox
