// Before the work, not after it: can results be written where they are to go?
#pragma once

#include <filesystem>
#include <string_view>

namespace vox {

// Throws UsageError where `target` is `scene`, the file that is read, and Error where nothing can be written
// there. `what` is what goes there: "the picture".
void check_target(std::string_view what, const std::filesystem::path& target,
                  const std::filesystem::path& scene);

}  // namespace vox
