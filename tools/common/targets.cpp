#include "tools/common/targets.h"

#include <fmt/format.h>

#include "libvox/base/atomic_file.h"
#include "libvox/base/error.h"

namespace vox {

void check_target(std::string_view what, const std::filesystem::path& target,
                  const std::filesystem::path& scene) {
  std::error_code absent;
  if (std::filesystem::equivalent(target, scene, absent))
    throw UsageError(fmt::format("{} would replace '{}', which is the scene", what, target.string()));
  const AtomicFile output(target);
}

}  // namespace vox
