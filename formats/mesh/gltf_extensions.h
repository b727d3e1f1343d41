// The supported extensions of glTF. A file that requires another one is refused, because the meaning of its
// content is unknown.
#pragma once

#include <string>
#include <vector>

namespace vox {

// True if this build has the library for the extension.
bool can_read_meshopt();
bool can_read_draco();

// Throws an Error that names the first extension in `required` (the file's extensionsRequired) that is not
// supported.
void check_gltf_extensions(const std::vector<std::string>& required);

}  // namespace vox
