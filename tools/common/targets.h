// Checks before the work, not after it, that inputs are there and that results can be written to their files.
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

// Throws Error if there is no such file; a file beside it with a similar name is in the hint.
void check_input(const std::filesystem::path& file);

// Throws UsageError if the target is `scene`, the file that is read, and Error if nothing can be written
// there, or if a file would be lost that vox did not write.
void check_target(const Target& target, const std::filesystem::path& scene, Overwrite overwrite);

}  // namespace vox
