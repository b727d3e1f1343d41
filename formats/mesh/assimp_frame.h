// The axes and the unit of a file read by Assimp, and the resulting place of its coordinates in the world.
#pragma once

#include <assimp/scene.h>

#include "formats/mesh/mesh_options.h"

namespace vox {

using AssimpMatrix = aiMatrix4x4t<double>;

// Returns the transformation of the root node. It is Assimp's except for COLLADA, which Assimp scales by a
// float, and FBX, which Assimp does not transform. For these two it rotates the file's up axis to y, unless
// the user names another axis, and converts the file's units to metres, unless they are kept. Throws Error if
// the file contradicts itself.
AssimpMatrix root_transform(const aiScene& scene, const MeshOptions& options);

}  // namespace vox
