// The figures on a scene that programs show on screen and write into JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/measure/results.h"

namespace vox {

// Names and texts: "resolution", "4096 voxels along the longest side, cube of 4096"; "voxels", …
std::vector<std::pair<std::string, std::string>> scene_facts(const dag::VoxelScene& scene);

// Describes size, palette with shares, and nodes of each level on one screen.
std::string describe_scene(const dag::VoxelScene& scene);

// Sets digest, resolution, voxels, unique_nodes, svo_nodes and similar values.
void set_scene(measure::ResultGroup& results, const dag::VoxelScene& scene);

// "1,234,567 voxels, 45,678 unique nodes of 234,567, digest …"
std::string summary_line(const dag::VoxelScene& scene);

}  // namespace vox
