#include "formats/mesh/gltf_primitives.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>

#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr uint64_t kTriangleGrain = 1 << 14;

using Range = tbb::blocked_range<uint64_t>;

// Calls body(at), where at(i) is the vertex of the i-th corner.
template <class Body>
auto with_corners(const GltfCorners& corners, Body body) {
  const std::byte* data = corners.indices.data;
  const uint64_t stride = corners.indices.stride;
  auto indexed = [=]<class T>(T) {
    return [=](uint64_t i) {
      T index;
      std::memcpy(&index, data + i * stride, sizeof(T));
      return uint32_t{index};
    };
  };
  if (!data) return body([](uint64_t i) { return static_cast<uint32_t>(i); });
  if (corners.indices.component == GltfComponent::Uint8) return body(indexed(uint8_t{}));
  if (corners.indices.component == GltfComponent::Uint16) return body(indexed(uint16_t{}));
  return body(indexed(uint32_t{}));
}

// Returns the corners of triangle t (glTF 2.0, §3.7.2.1).
template <GltfMode mode>
std::array<uint64_t, 3> corners_of(uint64_t t) {
  if constexpr (mode == GltfMode::Strip) return {t, t + 1 + t % 2, t + 2 - t % 2};
  if constexpr (mode == GltfMode::Fan) return {t + 1, t + 2, 0};
  return {3 * t, 3 * t + 1, 3 * t + 2};
}

template <GltfMode mode>
void write(const GltfCorners& corners, const TriangleTarget& target, scene::Triangle* to) {
  with_corners(corners, [&](auto vertex_at) {
    tbb::parallel_for(Range(0, triangle_count(corners), kTriangleGrain), [&](const Range& range) {
      for (uint64_t t = range.begin(); t < range.end(); ++t) {
        scene::Triangle triangle = {.position = {},
                                    .texcoord = {scene::kNone, scene::kNone, scene::kNone},
                                    .material = target.material};
        std::array<uint64_t, 3> corner = corners_of<mode>(t);
        for (size_t i = 0; i < 3; ++i) {
          uint32_t vertex = vertex_at(corner[i]);
          triangle.position[i] = vertex + target.position_shift;
          if (target.textured) triangle.texcoord[i] = vertex + target.texcoord_shift;
        }
        to[t] = triangle;
      }
    });
  });
}

}  // namespace

uint64_t triangle_count(const GltfCorners& corners) {
  if (corners.mode == GltfMode::Triangles) return corners.count / 3;
  bool strip = corners.mode == GltfMode::Strip || corners.mode == GltfMode::Fan;
  return strip && corners.count > 2 ? corners.count - 2 : 0;
}

VertexRange find_range(const GltfCorners& corners, uint64_t vertices) {
  struct Extremes {
    uint32_t lowest = UINT32_MAX, highest = 0;
  };
  Extremes found = with_corners(corners, [&](auto vertex_at) {
    return tbb::parallel_reduce(
        Range(0, corners.count, kTriangleGrain), Extremes(),
        [&](const Range& range, Extremes extremes) {
          for (uint64_t i = range.begin(); i < range.end(); ++i) {
            uint32_t vertex = vertex_at(i);
            extremes.lowest = std::min(extremes.lowest, vertex);
            extremes.highest = std::max(extremes.highest, vertex);
          }
          return extremes;
        },
        [](Extremes a, Extremes b) {
          return Extremes{std::min(a.lowest, b.lowest), std::max(a.highest, b.highest)};
        });
  });
  if (corners.count == 0) return {};
  if (found.highest >= vertices)
    throw Error(fmt::format("its indices refer to vertex {}, but it has {}", found.highest, vertices))
        .hint("is the file damaged?");
  return {.first = found.lowest, .end = uint64_t{found.highest} + 1};
}

void write_triangles(const GltfCorners& corners, const TriangleTarget& target, scene::Triangle* to) {
  if (corners.mode == GltfMode::Strip) return write<GltfMode::Strip>(corners, target, to);
  if (corners.mode == GltfMode::Fan) return write<GltfMode::Fan>(corners, target, to);
  write<GltfMode::Triangles>(corners, target, to);
}

}  // namespace vox
