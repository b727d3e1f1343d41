// How the coordinates of what Assimp has read lie in the world: the axes and the unit that the file names.
#pragma once

#include <assimp/scene.h>

#include "formats/mesh/mesh_options.h"

namespace vox {

using AssimpMatrix = aiMatrix4x4t<double>;

// The transformation of the root node: Assimp's, but of COLLADA (which it scales by a float) and FBX (which
// it takes as it is) one that turns the file's up axis to y, unless the user names another, and makes metres
// of its units, unless they are kept. Throws Error where the file contradicts itself.
AssimpMatrix root_transform(const aiScene& scene, const MeshOptions& options);

}  // namespace vox
