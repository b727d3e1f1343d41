#include "libvox/voxelize/duplicates.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace vox::voxelize {
namespace {

using SnappedCorner = std::array<int32_t, 3>;
using Edge = std::array<SnappedCorner, 2>;

SnappedCorner corner_of(const Int3& place) {
  return {place.x, place.y, place.z};
}

struct Twin {
  std::array<SnappedCorner, 3> corners;  // in ascending order
  bool turned = false;  // true if the order of the triangle's own corners is an odd permutation of this one
  uint32_t number = 0;
};

Twin twin_of(uint32_t number, const TriangleShape& shape) {
  Twin twin = {
      {corner_of(shape.corner[0]), corner_of(shape.corner[1]), corner_of(shape.corner[2])}, false, number};
  for (const size_t a : {size_t{0}, size_t{1}, size_t{0}}) {
    const size_t b = a + 1;
    if (twin.corners[a] <= twin.corners[b]) continue;
    std::swap(twin.corners[a], twin.corners[b]);
    twin.turned = !twin.turned;
  }
  return twin;
}

// Each edge belongs to an even number of triangles, so that parity says what is inside.
bool is_closed(const std::vector<std::array<SnappedCorner, 3>>& triangles) {
  std::vector<Edge> edges;
  for (const auto& [a, b, c] : triangles)
    for (const Edge& edge : {Edge{a, b}, Edge{b, c}, Edge{a, c}}) edges.push_back(edge);
  tbb::parallel_sort(edges);
  for (size_t i = 0; i < edges.size(); i += 2)
    if (i + 1 == edges.size() || edges[i] != edges[i + 1]) return false;
  return true;
}

}  // namespace

std::vector<uint32_t> duplicates_among(std::span<const uint32_t> numbers,
                                       std::span<const TriangleShape> shapes, uint64_t with_area) {
  std::vector<Twin> twins;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (has_area(shapes[i])) twins.push_back(twin_of(numbers[i], shapes[i]));
  tbb::parallel_sort(twins, [](const Twin& a, const Twin& b) {
    return std::tie(a.corners, a.number) < std::tie(b.corners, b.number);
  });
  std::vector<uint32_t> duplicates, turned;  // of pairs that face opposite ways, the second
  std::vector<std::array<SnappedCorner, 3>> pairs;
  for (size_t begin = 0, end = 0; begin < twins.size(); begin = end) {
    std::array<bool, 2> is_known = {};
    for (end = begin; end < twins.size() && twins[end].corners == twins[begin].corners; ++end) {
      bool& known = is_known[twins[end].turned ? 1 : 0];
      if (known) {
        duplicates.push_back(twins[end].number);
      } else if (twins[end].turned != twins[begin].turned) {
        turned.push_back(twins[end].number);
      }
      known = true;
    }
    if (is_known[0] && is_known[1]) pairs.push_back(twins[begin].corners);
  }
  if (2 * pairs.size() + duplicates.size() == with_area && is_closed(pairs))
    duplicates.insert(duplicates.end(), turned.begin(), turned.end());
  std::ranges::sort(duplicates);
  return duplicates;
}

}  // namespace vox::voxelize
