#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "libvox/base/loops.h"
#include "libvox/voxelize/close_holes.h"

namespace vox::voxelize {
namespace {

struct EdgeOfTriangle {
  uint64_t edge;  // the lower vertex, then the upper one
  uint32_t triangle;
  uint32_t is_reversed;  // 1 if the triangle passes from the upper vertex to the lower one
};

// Groups of triangles, with a bit for each triangle: whether it faces the other way than the group's first one.
class FacingGroups {
 public:
  explicit FacingGroups(size_t triangles) : above_(triangles), turned_(triangles) {
    std::iota(above_.begin(), above_.end(), 0u);
  }

  struct Place {
    uint32_t group;
    uint8_t turned;
  };
  Place place_of(uint32_t triangle) {
    uint32_t group = triangle;
    uint8_t turned = 0;
    for (; above_[group] != group; group = above_[group]) turned ^= turned_[group];
    for (uint8_t rest = turned; above_[triangle] != group && triangle != group;) {
      const uint32_t next = above_[triangle];
      const uint8_t here = std::exchange(turned_[triangle], rest);
      above_[triangle] = group;
      rest ^= here;
      triangle = next;
    }
    return {group, turned};
  }

  // Two triangles face the same way, or opposite ways. What is known already stays.
  void join(uint32_t a, uint32_t b, bool opposite) {
    const Place first = place_of(a), second = place_of(b);
    if (first.group == second.group) return;
    above_[second.group] = first.group;
    turned_[second.group] = static_cast<uint8_t>(first.turned ^ second.turned ^ (opposite ? 1 : 0));
  }

 private:
  std::vector<uint32_t> above_;
  std::vector<uint8_t> turned_;  // against the triangle above
};

std::vector<EdgeOfTriangle> sorted_edges(std::span<const uint32_t> corners, std::span<const uint8_t> counts) {
  std::vector<EdgeOfTriangle> edges(corners.size());
  parallel_for(size_t{0}, counts.size(), [&](size_t i) {
    for (size_t c = 0; c < 3; ++c) {
      const uint64_t from = corners[3 * i + c], to = corners[3 * i + (c == 2 ? 0 : c + 1)];
      EdgeOfTriangle& edge = edges[3 * i + c];
      edge = {from < to ? from << 32 | to : to << 32 | from, static_cast<uint32_t>(i), from < to ? 0u : 1u};
      if (counts[i] == 0 || from == to) edge.edge = UINT64_MAX;
    }
  });
  tbb::parallel_sort(edges, [](const EdgeOfTriangle& a, const EdgeOfTriangle& b) {
    return std::tie(a.edge, a.triangle, a.is_reversed) < std::tie(b.edge, b.triangle, b.is_reversed);
  });
  return edges;
}

using Corners = std::array<uint32_t, 3>;

Corners sorted_corners(std::span<const uint32_t> corners, size_t triangle) {
  Corners sorted = {corners[3 * triangle], corners[3 * triangle + 1], corners[3 * triangle + 2]};
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

uint64_t turn_triangles(scene::Scene& scene, std::span<uint32_t> corners, std::span<const uint8_t> counts) {
  FacingGroups groups(counts.size());
  const bool leaves_some_out = std::ranges::find(counts, 0) != counts.end();
  const std::vector<EdgeOfTriangle> edges = sorted_edges(corners, counts);
  for (size_t begin = 0, end = 0; begin < edges.size() && edges[begin].edge != UINT64_MAX; begin = end) {
    for (end = begin; end < edges.size() && edges[end].edge == edges[begin].edge;) ++end;
    const EdgeOfTriangle &first = edges[begin], &last = edges[end - 1];
    if (end - begin == 2 && first.triangle != last.triangle)
      groups.join(first.triangle, last.triangle, first.is_reversed == last.is_reversed);
  }
  std::vector<std::array<double, 2>> areas(counts.size());  // of groups, by the way that triangles face
  const auto position = [&](size_t i, size_t c) { return scene.positions[scene.triangles[i].position[c]]; };
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto [group, turned] = groups.place_of(static_cast<uint32_t>(i));
    const Vec3d normal = cross(position(i, 1) - position(i, 0), position(i, 2) - position(i, 0));
    areas[group][turned] += std::sqrt(dot(normal, normal));
  }
  uint64_t count = 0;
  const auto turn = [&](size_t i) {
    scene::Triangle& triangle = scene.triangles[i];
    std::swap(triangle.position[1], triangle.position[2]);
    std::swap(triangle.texcoord[1], triangle.texcoord[2]);
    std::swap(corners[3 * i + 1], corners[3 * i + 2]);
    ++count;
  };
  std::set<Corners> turned_corners;
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto [group, turned] = groups.place_of(static_cast<uint32_t>(i));
    const uint8_t kept = areas[group][1] > areas[group][0] ? 1 : 0;
    if (counts[i] == 0 || turned == kept) continue;
    if (leaves_some_out) turned_corners.insert(sorted_corners(corners, i));
    turn(i);
  }
  for (size_t i = 0; leaves_some_out && i < counts.size(); ++i)
    if (counts[i] == 0 && turned_corners.contains(sorted_corners(corners, i))) turn(i);
  return count;
}

}  // namespace vox::voxelize
