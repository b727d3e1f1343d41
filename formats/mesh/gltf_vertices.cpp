#include "formats/mesh/gltf_vertices.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "libvox/base/error.h"
#include "libvox/scene/oklab.h"

namespace vox {
namespace {

constexpr uint64_t kVertexGrain = 1 << 14;

void in_parallel(uint64_t first, uint64_t end, const auto& body) {
  tbb::parallel_for(tbb::blocked_range<uint64_t>(first, end, kVertexGrain),
                    [&](const tbb::blocked_range<uint64_t>& range) { body(range.begin(), range.end()); });
}

constexpr std::array<double, 3> kOrigin = {0, 0, 0};

// Calls body(i, Vec3d) for positions, and for the vectors that are added to them.
void for_each_vector(const GltfElements& elements, uint64_t first, uint64_t end, auto body) {
  for_each_element<3>(elements, first, end, kOrigin, [&](uint64_t i, const std::array<double, 3>& p) {
    body(i, Vec3d{p[0], p[1], p[2]});
  });
}

// Sums over a vertex's joints: of their weighted maps, and of their weights.
struct Blend {
  Affine map = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double weight = 0;

  void add(const Affine& joint, double w) {
    map = {map.x + joint.x * w, map.y + joint.y * w, map.z + joint.z * w, map.origin + joint.origin * w};
    weight += w;
  }
};

void add_bones(const GltfVertices::Bones& bones, const std::vector<Affine>& joints, uint64_t first,
               uint64_t end, std::vector<Blend>& blends) {
  std::vector<std::array<double, 4>> weights(end - first);
  for_each_element<4>(*bones.weights, first, end, {},
                      [&](uint64_t i, const std::array<double, 4>& w) { weights[i - first] = w; });
  for_each_element<4>(*bones.joints, first, end, {}, [&](uint64_t i, const std::array<double, 4>& joint) {
    for (size_t k = 0; k < 4; ++k) {
      if (weights[i - first][k] == 0) continue;  // then the joint may be any number
      if (joint[k] >= static_cast<double>(joints.size()))
        throw Error(
            fmt::format("vertex {} follows joint {}, but the skin has {}", i, joint[k], joints.size()));
      blends[i - first].add(joints[static_cast<size_t>(joint[k])], weights[i - first][k]);
    }
  });
}

// Applies the skin to the positions in `to`. Weights are divided by their sum; a vertex without weights
// follows the first joint.
void apply_skin(const GltfVertices& vertices, const std::vector<Affine>& joints, uint64_t first, uint64_t end,
                Vec3d* to) {
  std::vector<Blend> blends(end - first);
  for (const GltfVertices::Bones& bones : vertices.bones) add_bones(bones, joints, first, end, blends);
  for (uint64_t i = 0; i < blends.size(); ++i) {
    if (blends[i].weight == 0) blends[i].add(joints[0], 1);
    to[i] = blends[i].map(to[i]) * (1 / blends[i].weight);
  }
}

}  // namespace

void write_gltf_positions(const GltfVertices& vertices, const GltfInstance& instance, uint64_t first,
                          uint64_t end, Vec3d* to) {
  bool skinned = instance.joints && !vertices.bones.empty();
  bool plain = !skinned && vertices.morphs.empty();
  in_parallel(first, end, [&](uint64_t from, uint64_t until) {
    Vec3d* place = to + (from - first);
    if (plain) {
      for_each_vector(*vertices.positions, from, until,
                      [&](uint64_t i, Vec3d p) { place[i - from] = instance.transform(p); });
      return;
    }
    for_each_vector(*vertices.positions, from, until, [&](uint64_t i, Vec3d p) { place[i - from] = p; });
    for (const GltfVertices::Morph& morph : vertices.morphs)
      for_each_vector(*morph.offsets, from, until, [&](uint64_t i, Vec3d offset) {
        place[i - from] = place[i - from] + offset * morph.weight;
      });
    if (skinned) {
      apply_skin(vertices, *instance.joints, from, until, place);
    } else {
      for (uint64_t i = 0; i < until - from; ++i) place[i] = instance.transform(place[i]);
    }
  });
}

void write_gltf_colors(const GltfVertices& vertices, uint64_t first, uint64_t end, scene::Rgba8* to) {
  constexpr std::array<double, 4> kWhite = {1, 1, 1, 1};
  bool emits = vertices.emission != std::array{0.0, 0.0, 0.0};
  in_parallel(first, end, [&](uint64_t from, uint64_t until) {
    for_each_element<4>(*vertices.colors, from, until, kWhite, [&](uint64_t i, std::array<double, 4> color) {
      for (size_t c = 0; emits && c < 3; ++c) {
        double sum = std::min(vertices.base[c] + vertices.emission[c], 1.0);
        double value = std::clamp(color[c], 0.0, 1.0);
        if (sum > 0) color[c] = (vertices.base[c] * value + vertices.emission[c]) / sum;
      }
      double alpha = color[3] > 0 ? std::min(color[3], 1.0) : 0;
      to[i - first] = {scene::linear_to_srgb(color[0]), scene::linear_to_srgb(color[1]),
                       scene::linear_to_srgb(color[2]), static_cast<uint8_t>(std::lround(alpha * 255))};
    });
  });
}

}  // namespace vox
