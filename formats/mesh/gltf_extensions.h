// Which extensions of glTF are read. A file that needs another one is refused: what it would show is not
// known.
#pragma once

#include <string>
#include <vector>

namespace vox {

// Of the libraries that a build may lack.
bool can_read_meshopt();
bool can_read_draco();

// Throws Error that names the first of `required` (the file's extensionsRequired) that is not read here.
void check_gltf_extensions(const std::vector<std::string>& required);

}  // namespace vox
