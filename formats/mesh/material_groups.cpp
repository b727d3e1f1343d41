#include "formats/mesh/material_groups.h"

#include <numeric>

#include "libvox/base/error.h"

namespace vox {

MaterialGroups::MaterialGroups(const scene::Scene& scene) : first_(scene.materials.size() + 1, 0) {
  if (scene.triangles.size() >= scene::kNone) throw Error("more triangles than 32-bit indices can address");
  for (const scene::Triangle& triangle : scene.triangles) ++first_[triangle.material + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  order_.resize(scene.triangles.size());
  std::vector<uint64_t> next = first_;
  for (uint32_t i = 0; i < order_.size(); ++i) order_[next[scene.triangles[i].material]++] = i;
}

}  // namespace vox
