#include "libvox/dag/digest.h"

#include <fmt/format.h>

namespace vox {

std::string to_string(const Digest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

}  // namespace vox
