// The part of a scene that pictures show.
#pragma once

#include <optional>

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-render/options.h"

namespace vox {

// The part inside options.clip, or all of the scene. Throws Error where nothing is.
dag::VoxelScene clipped_part(dag::VoxelScene scene, const RenderToolOptions& options);

struct Cutaway {
  dag::VoxelScene scene;
  render::CutPlane plane;
  VoxelBox left;  // all that was not cut off
};

// What is left of the scene without all that lies before options.cut for an eye in voxels: a layer of voxels, which
// stays, as does all behind it. Nothing where there is no such option. Throws Error where nothing is left.
std::optional<Cutaway> cut_open(const dag::VoxelScene& scene, Vec3d eye, const RenderToolOptions& options);

}  // namespace vox
