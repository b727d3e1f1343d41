// The axes and the unit that a file read by Assimp names, and how its coordinates lie in the world.
#pragma once

#include <assimp/scene.h>

#include "formats/mesh/mesh_options.h"

namespace vox {

using AssimpMatrix = aiMatrix4x4t<double>;

// The transformation of the root node. It is Assimp's, except for COLLADA (which Assimp scales by a float)
// and FBX (which Assimp takes as it is): there it turns the file's up axis to y, unless the user names
// another, and makes metres of the file's units, unless they are kept. Throws Error where the file
// contradicts itself.
AssimpMatrix root_transform(const aiScene& scene, const MeshOptions& options);

}  // namespace vox
