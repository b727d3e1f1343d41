// Finds the materials that a voxel may have by docs/architecture.md, "Coverage and material": it examines
// every triangle of the scene for every voxel. If rounding could decide (two planes are equally near, or a
// point lies on the edge of a texel), both answers are allowed.
#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/voxelize/coverage.h"
#include "tests/voxelize/soup.h"

namespace vox::brute {

struct Allowed {
  bool filled = false, empty = true;
  std::set<int> materials;

  bool decided() const { return filled != empty && materials.size() <= 1; }
  bool has(int8_t voxel) const {
    return voxel == dag::kEmptyVoxel ? empty : filled && materials.contains(voxel);
  }
};

// A triangle relative to a voxel's centre, in voxels.
struct Seen {
  std::array<Vec3d, 3> v;
  Vec3d n;
};

inline Vec3d to_double(Vec3w p) {
  return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

inline Seen seen_from(const SnappedTriangle& t, Int3 voxel) {
  Seen seen;
  for (size_t i = 0; i < 3; ++i) seen.v[i] = to_double(t.v[i] - center_of(voxel)) * (1.0 / kVoxel);
  seen.n = cross(seen.v[1] - seen.v[0], seen.v[2] - seen.v[0]);
  return seen;
}

inline double plane_distance(const Seen& t) {
  return std::abs(dot(t.n, t.v[0])) / std::sqrt(dot(t.n, t.n));
}

// Returns the barycentric coordinates of the triangle's point that is closest to the centre.
inline Vec3d closest_point(const Seen& t) {
  auto weights = [](size_t i, double wi, size_t j, double wj) {
    std::array<double, 3> w = {};
    w[i] += wi, w[j] += wj;
    return Vec3d{w[0], w[1], w[2]};
  };
  Vec3d area = {dot(cross(t.v[1], t.v[2]), t.n), dot(cross(t.v[2], t.v[0]), t.n),
                dot(cross(t.v[0], t.v[1]), t.n)};
  if (area.x >= 0 && area.y >= 0 && area.z >= 0) return area * (1 / dot(t.n, t.n));
  Vec3d best = {};
  double nearest = HUGE_VAL;
  for (size_t i = 0, j = 1; i < 3; ++i, j = (j + 1) % 3) {
    Vec3d edge = t.v[j] - t.v[i];
    double s = std::clamp(-dot(t.v[i], edge) / dot(edge, edge), 0.0, 1.0);
    Vec3d p = t.v[i] + edge * s;
    if (dot(p, p) < nearest) nearest = dot(p, p), best = weights(i, 1 - s, j, s);
  }
  return best;
}

inline double wrapped(double u, scene::Wrap wrap) {
  if (wrap == scene::Wrap::Clamp) return std::clamp(u, 0.0, 1.0);
  if (wrap == scene::Wrap::Repeat) return u - std::floor(u);
  double m = u - 2 * std::floor(u / 2);
  return m > 1 ? 2 - m : m;
}

// Returns the texel at u, and its neighbour if u lies within rounding of the edge between them.
inline std::set<uint32_t> texels_at(double u, uint32_t size, scene::Wrap wrap) {
  std::set<uint32_t> texels;
  double tolerance = 1e-7 * (1 / static_cast<double>(size) + std::abs(u));
  for (double moved : {u - tolerance, u, u + tolerance})
    texels.insert(std::min(static_cast<uint32_t>(wrapped(moved, wrap) * size), size - 1));
  return texels;
}

class MaterialReference {
 public:
  MaterialReference(const Soup& soup, const voxelize::Grid& grid, scene::Coverage coverage)
      : soup_(soup), grid_(grid), coverage_(coverage), snapped_(snap_scene(soup.scene, grid)) {}

  Allowed at(Int3 voxel) const {
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < snapped_.size(); ++i)
      if (in_range(voxel_range(snapped_[i], grid_.resolution), voxel) &&
          covers(snapped_[i], voxel, coverage_))
        candidates.push_back(candidate(i, voxel));
    Allowed allowed;
    double nearest = HUGE_VAL;
    for (const Candidate& c : candidates) {
      allowed.filled |= c.opaque;
      allowed.empty &= !c.opaque || c.hole;
      if (c.opaque && !c.hole) nearest = std::min(nearest, c.distance);
    }
    for (const Candidate& c : candidates)
      if (c.opaque && c.distance <= nearest + 1e-6 * nearest) allowed.materials.merge(std::set(c.materials));
    return allowed;
  }

 private:
  struct Candidate {
    double distance;
    bool opaque = false, hole = false;  // both if rounding decides
    std::set<int> materials = {};
  };

  Candidate candidate(size_t i, Int3 voxel) const {
    const scene::Triangle& triangle = soup_.scene.triangles[i];
    const scene::IndexedMaterial& material = soup_.indexed.materials[triangle.material];
    Seen seen = seen_from(snapped_[i], voxel);
    Candidate result = {.distance = plane_distance(seen)};
    if (material.texture == scene::kNone || triangle.texcoord[0] == scene::kNone) {
      result.hole = material.invisible && material.texture == scene::kNone;
      result.opaque = !result.hole;
      result.materials = {material.index};
      return result;
    }
    const scene::IndexedTexture& texture = soup_.indexed.textures[material.texture];
    Vec3d w = closest_point(seen);
    double u = w.x * uv(i, 0).x + w.y * uv(i, 1).x + w.z * uv(i, 2).x;
    double v = w.x * uv(i, 0).y + w.y * uv(i, 1).y + w.z * uv(i, 2).y;
    for (size_t l : mip_levels(i, texture)) {
      const scene::IndexedTexture::Level& level = texture.levels[l];
      for (uint32_t column : texels_at(u, level.width, material.wrap_u))
        for (uint32_t row : texels_at(v, level.height, material.wrap_v))
          add_texel(result, texture, level.first_texel + uint64_t{row} * level.width + column);
    }
    return result;
  }

  static void add_texel(Candidate& candidate, const scene::IndexedTexture& texture, uint64_t texel) {
    bool opaque = texture.opaque.empty() || (texture.opaque[texel / 32] >> texel % 32 & 1);
    (opaque ? candidate.opaque : candidate.hole) = true;
    if (opaque)
      candidate.materials.insert(static_cast<int>(texture.nibbles[texel / 8] >> texel % 8 * 4 & 15));
  }

  std::set<size_t> mip_levels(size_t i, const scene::IndexedTexture& texture) const {
    Vec3d a = corner(i, 0), normal = cross(corner(i, 1) - a, corner(i, 2) - a);
    Vec2<double> p = {uv(i, 1).x - uv(i, 0).x, uv(i, 1).y - uv(i, 0).y};
    Vec2<double> q = {uv(i, 2).x - uv(i, 0).x, uv(i, 2).y - uv(i, 0).y};
    double texels = std::abs(p.x * q.y - p.y * q.x) * texture.levels[0].width * texture.levels[0].height;
    double ratio = texels / std::sqrt(dot(normal, normal));
    std::set<size_t> levels;
    for (double r : {ratio * (1 - 1e-6), ratio * (1 + 1e-6)}) {
      size_t level = 0;
      while (level + 1 < texture.levels.size() && r >= 2 * std::pow(4, static_cast<double>(level))) ++level;
      levels.insert(level);
    }
    return levels;
  }

  Vec3d corner(size_t i, size_t c) const {
    return to_grid(soup_.scene.positions[soup_.scene.triangles[i].position[c]], grid_);
  }
  Vec2<double> uv(size_t i, size_t c) const {
    Vec2f p = soup_.scene.texcoords[soup_.scene.triangles[i].texcoord[c]];
    return {p.x, p.y};
  }

  const Soup& soup_;
  voxelize::Grid grid_;
  scene::Coverage coverage_;
  std::vector<SnappedTriangle> snapped_;
};

}  // namespace vox::brute
