// The extensions of glTF that are read. A file that needs another one is refused: nobody knows what it would
// show.
#pragma once

#include <string>
#include <vector>

namespace vox {

// Whether this build has the library for these extensions.
bool can_read_meshopt();
bool can_read_draco();

// Throws Error that names the first of `required` (the file's extensionsRequired) that is not read here.
void check_gltf_extensions(const std::vector<std::string>& required);

}  // namespace vox
