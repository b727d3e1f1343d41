// What this build of the formats can do and another one may lack, for --version.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vox {

struct OptionalPart {
  std::string_view key;   // "webp", for JSON
  std::string_view name;  // "WebP images"
  bool built = false;
};

// The libraries that a build may do without (cmake/dependencies.cmake).
std::vector<OptionalPart> optional_parts();

std::string hdf5_version();  // "1.10.8", of the library that is loaded

}  // namespace vox
