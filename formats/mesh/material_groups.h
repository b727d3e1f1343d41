// Groups the triangles of a scene by material, as in mesh files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/scene/scene.h"

namespace vox {

class MaterialGroups {
 public:
  explicit MaterialGroups(const scene::Scene& scene);

  // Returns the triangles of one material, in the scene's order, as indices into Scene::triangles.
  std::span<const uint32_t> of(uint32_t material) const {
    return {order_.data() + first_[material], order_.data() + first_[material + 1]};
  }

 private:
  std::vector<uint32_t> order_;
  std::vector<uint64_t> first_;
};

}  // namespace vox
