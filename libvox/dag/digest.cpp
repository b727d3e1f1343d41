#include "libvox/dag/digest.h"

#include <fmt/format.h>

namespace vox {

Digest scene_digest(uint32_t resolution, uint32_t depth, bool materials, const Digest* root) {
  Digest scene = start_digest(3);
  combine(scene, resolution);
  combine(scene, depth);
  combine(scene, materials ? 4 : 0);
  if (root) {
    combine(scene, root->low);
    combine(scene, root->high);
  }
  return scene;
}

std::string to_string(const Digest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

}  // namespace vox
