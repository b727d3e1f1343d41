// What tools say about a scene: on screen and as JSON.
#pragma once

#include <string>

#include "libvox/base/json.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Size, palette with shares, nodes per level; one screen.
std::string describe_scene(const VoxelScene& scene);

// Sets digest, resolution, voxels, unique_nodes, svo_nodes and more of the same.
void set_scene(Json& json, const VoxelScene& scene);

// "1,234,567 voxels, 45,678 unique nodes of 234,567, digest …"
std::string summary_line(const VoxelScene& scene);

}  // namespace vox
