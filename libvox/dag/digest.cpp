#include "libvox/dag/digest.h"

#include <fmt/format.h>

namespace vox::dag {

Digest scene_digest(uint32_t resolution, uint32_t depth, bool materials, const Digest* root) {
  Digest digest = start_digest(3);
  combine(digest, resolution);
  combine(digest, depth);
  combine(digest, materials ? 4 : 0);
  if (root) {
    combine(digest, root->low);
    combine(digest, root->high);
  }
  return digest;
}

std::string to_string(const Digest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

}  // namespace vox::dag
