// Positions and colours of a glTF primitive's vertices, as a node shows them: morphed, skinned, and
// transformed.
#pragma once

#include <array>
#include <compare>
#include <utility>
#include <vector>

#include "formats/mesh/gltf_accessors.h"
#include "formats/mesh/gltf_nodes.h"
#include "libvox/scene/scene.h"

namespace vox {

// The accessors of vertices. Primitives of a mesh that have the same ones share their vertices.
struct GltfVertices {
  struct Bones {
    const GltfElements *joints, *weights;
    bool operator==(const Bones&) const = default;
  };
  struct Morph {
    double weight;
    const GltfElements* offsets;
    bool operator==(const Morph&) const = default;
  };

  const GltfElements* positions = nullptr;
  const GltfElements* colors = nullptr;  // null if there are none
  std::vector<Morph> morphs;
  std::vector<Bones> bones;  // four to a set
  // A colour c is shown as base · c + emission, but stored as the factor by which base + emission is
  // multiplied.
  std::array<double, 3> base = {1, 1, 1}, emission = {0, 0, 0};

  bool operator==(const GltfVertices&) const = default;
};

// Writes the vertices [first, end) to `to`, in parallel. Throws Error if a vertex refers to a joint that the
// skin does not have.
void write_gltf_positions(const GltfVertices& vertices, const GltfInstance& instance, uint64_t first,
                          uint64_t end, Vec3d* to);
void write_gltf_colors(const GltfVertices& vertices, uint64_t first, uint64_t end, scene::Rgba8* to);

}  // namespace vox
