// The node tree of a glTF file, which places the meshes and bends them by skins.
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
  // The skin's map for each joint, from the mesh's space in its rest pose to the scene; null without a skin.
  // With a skin, `transform` is ignored (glTF 2.0, §3.7.3.3).
  std::shared_ptr<const std::vector<Affine>> joints;
};

// Returns all instances of the scene to show, in depth-first order, or of all nodes if the file has no
// scenes. Throws Error unless the nodes form a forest.
std::vector<GltfInstance> find_gltf_instances(const GltfDocument& document, GltfAccessors& accessors);

}  // namespace vox
