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

// The layer at which a scene is cut for this first pose: options.cut or, if the scene is a closed room and no option says
// what is seen of it, one that opens the room, which the log says.
std::optional<Layer> cut_layer(const dag::VoxelScene& scene, const render::CameraPose& pose,
                               const RenderToolOptions& options);

// What is left of the scene without all that lies before the cut for an eye in voxels: a layer of voxels, which
// stays, as does all behind it. Nothing where there is no cut. Throws Error where nothing is left.
std::optional<Cutaway> cut_open(const dag::VoxelScene& scene, Vec3d eye, const std::optional<Layer>& cut);

}  // namespace vox
