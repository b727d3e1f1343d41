// Finds snapped triangles that lie exactly on others. --solid counts the crossings of one of them only.
//
// Two that face the same way are one surface that occurs twice. Two that face opposite ways cancel each other. That is
// right where two closed bodies touch, and where a plate becomes flat by snapping. But if the whole scene is a closed
// surface of such pairs, it was made to be seen from both sides, and each pair counts as one triangle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/device/runs.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/triangle.h"

namespace vox::voxelize {

// A set of triangles, a bit for each.
struct SkippedTriangles {
  const uint32_t* bits = nullptr;  // nullptr: none
  VOX_HD bool has(uint64_t triangle) const {
    return bits != nullptr && (bits[triangle / 32] >> (triangle % 32) & 1) != 0;
  }
};

VOX_HD inline bool has_area(const TriangleShape& triangle) {
  const Vec3<int64_t> normal = normal_of(triangle);
  return (normal.x | normal.y | normal.z) != 0;
}

// Computes a key that is the same for all triangles with the same corners, in any order.
struct CornerKeys {
  const TriangleShape* shapes;
  uint64_t* keys;
  uint32_t* numbers;
  VOX_HD void operator()(uint64_t i) const {
    numbers[i] = static_cast<uint32_t>(i);
    uint64_t sum = has_area(shapes[i]) ? 0 : mix64(i + 1);  // a key of its own
    for (const Int3& corner : shapes[i].corner) {
      const uint64_t yz = uint64_t{static_cast<uint32_t>(corner.y)} << 32 | static_cast<uint32_t>(corner.z);
      sum += mix64(mix64(static_cast<uint32_t>(corner.x) + 1) + yz);
    }
    keys[i] = sum;
  }
};

struct HasTwin {
  const uint64_t* keys;
  uint64_t count;
  VOX_HD bool operator()(uint64_t i) const {
    return (i > 0 && keys[i - 1] == keys[i]) || (i + 1 < count && keys[i + 1] == keys[i]);
  }
};

struct CountArea {
  const TriangleShape* shapes;
  VOX_HD uint32_t operator()(uint64_t i) const { return has_area(shapes[i]) ? 1 : 0; }
};

// Returns the duplicates among triangles that have these numbers. `with_area` is the number of triangles in the whole
// scene that have an area.
std::vector<uint32_t> duplicates_among(std::span<const uint32_t> numbers,
                                       std::span<const TriangleShape> shapes, uint64_t with_area);

// Returns the numbers of all duplicates in a scene.
template <class Device>
std::vector<uint32_t> find_duplicates(Device& device, const TriangleShape* shapes, uint64_t count) {
  auto keys = device.template make<uint64_t>(count);
  auto numbers = device.template make<uint32_t>(count);
  device.for_each({"keys of corners", 52}, count, CornerKeys{shapes, keys.data(), numbers.data()});
  device.sort_pairs("sort keys of corners", keys, numbers, count, 64);
  auto chosen = device.template make<uint32_t>(count);
  const uint64_t twins = device.select("select twins", count, HasTwin{keys.data(), count}, chosen.data());
  if (twins == 0) return {};
  auto twin_numbers = device.template make<uint32_t>(twins);
  device.for_each("numbers of twins", twins,
                  device::TakeChosen<uint32_t>{numbers.data(), chosen.data(), twin_numbers.data()});
  auto twin_shapes = device.template make<TriangleShape>(twins);
  device.for_each("shapes of twins", twins,
                  device::TakeChosen<TriangleShape>{shapes, twin_numbers.data(), twin_shapes.data()});
  std::vector<uint32_t> known_numbers(twins);
  std::vector<TriangleShape> known_shapes(twins);
  device.download(known_numbers.data(), twin_numbers.data(), twins);
  device.download(known_shapes.data(), twin_shapes.data(), twins);
  return duplicates_among(known_numbers, known_shapes,
                          device.sum("count triangles with area", count, CountArea{shapes}));
}

}  // namespace vox::voxelize
