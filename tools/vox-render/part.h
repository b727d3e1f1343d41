// The part of a scene that pictures show.
#pragma once

#include <optional>

#include "libvox/dag/voxel_scene.h"
#include "tools/vox-render/options.h"

namespace vox {

// The part inside options.clip, or all of the scene. Throws Error if it is empty.
dag::VoxelScene clipped_part(dag::VoxelScene scene, const RenderToolOptions& options);

struct Cutaway {
  dag::VoxelScene scene;
  render::CutPlane plane;
  VoxelBox left;  // all that was not cut off
};

// Returns the layer at which the scene is cut for this first pose: options.cut or, if the scene is a closed room and no
// option says what is seen of it, a layer that opens the room, which the log says.
std::optional<Layer> cut_layer(const dag::VoxelScene& scene, const render::CameraPose& pose,
                               const RenderToolOptions& options);

// Returns the scene without the voxels before this layer, as seen from the eye, which is in voxels; the layer of the
// cut and everything behind it stay. Returns nothing if there is no cut. Throws Error if no voxel is left.
std::optional<Cutaway> cut_open(const dag::VoxelScene& scene, Vec3d eye, const std::optional<Layer>& cut);

}  // namespace vox
