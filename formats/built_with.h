// The optional parts of this build of the formats, for --version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vox {

struct OptionalPart {
  std::string_view key;   // for JSON, e.g. "webp"
  std::string_view name;  // e.g. "WebP images"
  bool built = false;
};

// Returns the optional libraries (cmake/dependencies.cmake). Each part tells if this build has
// it.
std::vector<OptionalPart> optional_parts();

std::string hdf5_version();  // version of the loaded library, e.g. "1.10.8"

}  // namespace vox
