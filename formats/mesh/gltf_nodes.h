// The node tree of a glTF, which says where each mesh stands and how skins bend it.
#pragma once

#include <memory>
#include <vector>

#include "formats/mesh/gltf_accessors.h"
#include "formats/mesh/gltf_affine.h"
#include "formats/mesh/gltf_document.h"

namespace vox {

// A mesh that a node shows. EXT_mesh_gpu_instancing makes several instances of one node.
struct GltfInstance {
  uint32_t node = scene::kNone, mesh = scene::kNone;
  Affine transform;
  // The skin's map for each joint, from the mesh's space in its rest pose to the scene. With a skin,
  // `transform` counts for nothing (glTF 2.0, §3.7.3.3). Null without a skin.
  std::shared_ptr<const std::vector<Affine>> joints;
};

// All instances of the scene to show, in depth-first order; of all nodes where the file has no scenes. Throws
// Error where the nodes are no forest.
std::vector<GltfInstance> find_gltf_instances(const GltfDocument& document, GltfAccessors& accessors);

}  // namespace vox
