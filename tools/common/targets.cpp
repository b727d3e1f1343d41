#include "tools/common/targets.h"

#include <fmt/format.h>

#include "libvox/base/error.h"

namespace vox {

void check_target(const Target& target, const std::filesystem::path& scene, Overwrite overwrite) {
  std::error_code absent;
  if (std::filesystem::equivalent(target.file, scene, absent))
    throw UsageError(
        fmt::format("{} would replace '{}', which is the scene", target.what, target.file.string()));
  check_writable(target.file, target.kind, overwrite);
}

}  // namespace vox
