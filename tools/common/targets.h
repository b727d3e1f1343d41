// Checks before the work, not after it, whether results can be written where they are to go.
#pragma once

#include <filesystem>
#include <string_view>

#include "formats/io/overwrite.h"

namespace vox {

struct Target {
  std::string_view what;  // "the picture"
  std::filesystem::path file;
  OutputKind kind;
};

// Throws UsageError where the target is `scene`, the file that is read, and Error where nothing can be
// written there, or where a file would be lost that vox did not write.
void check_target(const Target& target, const std::filesystem::path& scene, Overwrite overwrite);

}  // namespace vox
