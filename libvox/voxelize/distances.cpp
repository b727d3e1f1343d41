#include "libvox/voxelize/distances.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/base/progress.h"
#include "libvox/device/cpu_device.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/duplicates.h"
#include "libvox/voxelize/prepare.h"

namespace vox::voxelize {
namespace {

struct BrickPair {
  uint64_t brick;
  uint32_t triangle;
};

struct PlacedTriangle {
  Vec3d a, b, c;  // from the grid's origin
};

// Finds the bricks that lie within the band around triangles.
class BandBricks {
 public:
  BandBricks(const scene::Scene& scene, const Grid& grid, double band)
      : scene_(scene), grid_(grid), band_(band) {}

  PlacedTriangle placed(uint32_t triangle) const {
    const auto& corners = scene_.triangles[triangle].position;
    return {scene_.positions[corners[0]] - grid_.origin, scene_.positions[corners[1]] - grid_.origin,
            scene_.positions[corners[2]] - grid_.origin};
  }
  Vec3d center_of(Int3 voxel) const {
    return product({voxel.x + 0.5, voxel.y + 0.5, voxel.z + 0.5}, grid_.voxel_size.sides());
  }

  void find(uint32_t number, std::vector<BrickPair>& pairs) const {
    const PlacedTriangle triangle = placed(number);
    VoxelBox bricks = {};
    const auto whole = (grid_.resolution + DistanceField::kBrickSide - 1) / DistanceField::kBrickSide;
    const auto count = static_cast<double>(whole);
    for (uint32_t k = 0; k < 3; ++k) {
      const double side = grid_.voxel_size[k] * DistanceField::kBrickSide;
      const double low = std::min({triangle.a[k], triangle.b[k], triangle.c[k]}) - band_,
                   high = std::max({triangle.a[k], triangle.b[k], triangle.c[k]}) + band_;
      bricks.min[k] = static_cast<int32_t>(std::clamp(std::floor(low / side), 0., count));
      bricks.max[k] = static_cast<int32_t>(std::clamp(std::floor(high / side) + 1, 0., count));
    }
    if (!bricks.empty()) go_down(triangle, number, bricks, pairs);
  }

 private:
  void go_down(const PlacedTriangle& triangle, uint32_t number, const VoxelBox& bricks,
               std::vector<BrickPair>& pairs) const {
    const Vec3d sides = grid_.voxel_size.sides() * double{DistanceField::kBrickSide};
    const Int3 sum = bricks.min + bricks.max, size = bricks.size();
    const Vec3d middle = product({sum.x * 0.5, sum.y * 0.5, sum.z * 0.5}, sides);
    const double reach = band_ + length(product({size.x * 0.5, size.y * 0.5, size.z * 0.5}, sides));
    NearestTriangle nearest;
    nearest.look_at(triangle.a, triangle.b, triangle.c, number, middle);
    if (nearest.squared > reach * reach * (1 + 1e-9)) return;
    const uint32_t axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    if (size[axis] == 1) {
      pairs.push_back({morton_encode(static_cast<uint32_t>(bricks.min.x), static_cast<uint32_t>(bricks.min.y),
                                     static_cast<uint32_t>(bricks.min.z)),
                       number});
      return;
    }
    VoxelBox low = bricks, high = bricks;
    low.max[axis] = high.min[axis] = bricks.min[axis] + size[axis] / 2;
    go_down(triangle, number, low, pairs);
    go_down(triangle, number, high, pairs);
  }

  const scene::Scene& scene_;
  const Grid& grid_;
  double band_;
};

constexpr size_t kPiece = 1 << 12;  // triangles or bricks between two looks at an interrupt

std::vector<BrickPair> pairs_of(const BandBricks& bricks, const scene::Scene& scene,
                                const scene::IndexedScene& indexed, uint64_t triangles, uint64_t room) {
  tbb::enumerable_thread_specific<std::vector<BrickPair>> found;
  for (uint64_t begin = 0; begin < triangles; begin += kPiece) {
    throw_if_cancelled();
    const uint64_t end = std::min(triangles, begin + kPiece);
    tbb::parallel_for(begin, end, [&](uint64_t i) {
      const scene::IndexedMaterial& material = indexed.materials[scene.triangles[i].material];
      const bool is_hidden = material.invisible && (material.texture == scene::kNone ||
                                                    scene.triangles[i].texcoord[0] == scene::kNone);
      if (!is_hidden) bricks.find(static_cast<uint32_t>(i), found.local());
    });
    uint64_t count = 0;
    for (const auto& part : found) count += part.size();
    if (count * 2 * sizeof(BrickPair) > room) throw OutOfMemory(count * 2 * sizeof(BrickPair), room);
  }
  std::vector<BrickPair> pairs;
  for (auto& part : found) {
    pairs.insert(pairs.end(), part.begin(), part.end());
    part = {};
  }
  tbb::parallel_sort(pairs, [](const BrickPair& a, const BrickPair& b) {
    return std::tie(a.brick, a.triangle) < std::tie(b.brick, b.triangle);
  });
  return pairs;
}

}  // namespace

DistanceField::DistanceField(const scene::Scene& scene, const scene::IndexedScene& indexed, const Grid& grid,
                             const DistanceOptions& options)
    : grid_(grid), band_(options.band * grid.voxel_size.shortest()) {
  if (scene.triangles.size() >= UINT32_MAX) throw Error("the scene has more than 2^32 triangles");
  if (options.inside) find_crossings(scene, indexed, options);
  const BandBricks band(scene, grid_, band_);
  const uint64_t triangles = std::min<uint64_t>(options.triangles, scene.triangles.size());
  const uint64_t room = device::CpuDevice(options.memory_limit, false).pool().available();
  const std::vector<BrickPair> pairs = pairs_of(band, scene, indexed, triangles, room);
  std::vector<uint64_t> starts;
  for (uint64_t i = 0; i < pairs.size(); ++i) {
    if (i > 0 && pairs[i].brick == pairs[i - 1].brick) continue;
    keys_.push_back(pairs[i].brick);
    starts.push_back(i);
  }
  starts.push_back(pairs.size());
  constexpr uint64_t kVoxelBytes = sizeof(float) + 1;
  const uint64_t bytes = keys_.size() * kBrickVoxels * kVoxelBytes + pairs.size() * sizeof(BrickPair);
  if (bytes > room) throw OutOfMemory(bytes, room);
  distances_.resize(keys_.size() * kBrickVoxels);
  materials_.resize(keys_.size() * kBrickVoxels);
  Progress progress("measuring distances", keys_.size());
  for (size_t begin = 0; begin < keys_.size(); begin += kPiece) {
    throw_if_cancelled();
    const size_t end = std::min(keys_.size(), begin + kPiece);
    tbb::parallel_for(begin, end, [&](size_t brick) {
      const Int3 first = corner(brick);
      std::vector<PlacedTriangle> placed;
      for (uint64_t i = starts[brick]; i < starts[brick + 1]; ++i)
        placed.push_back(band.placed(pairs[i].triangle));
      size_t at = brick * kBrickVoxels;
      Int3 p;
      for (p.z = first.z; p.z < first.z + kBrickSide; ++p.z)
        for (p.y = first.y; p.y < first.y + kBrickSide; ++p.y)
          for_row(p.y, p.z, first.x, first.x + kBrickSide, [&](int32_t x, bool inside) {
            const Vec3d point = band.center_of({x, p.y, p.z});
            NearestTriangle nearest;
            for (size_t i = 0; i < placed.size(); ++i)
              nearest.look_at(placed[i].a, placed[i].b, placed[i].c, pairs[starts[brick] + i].triangle,
                              point);
            const double distance = std::sqrt(nearest.squared);
            const auto value = static_cast<float>(std::min(distance, band_));
            if (distance <= band_)
              materials_[at] = static_cast<uint8_t>(
                  indexed.materials[scene.triangles[nearest.triangle].material].index + 1);
            distances_[at++] = inside ? -value : value;
          });
    });
    progress.update(end, "");
  }
}

Int3 DistanceField::corner(size_t brick) const {
  return morton_decode(keys_[brick]) * kBrickSide;
}

void DistanceField::find_crossings(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                   const DistanceOptions& options) {
  rule_ = *options.inside;
  device::CpuDevice device(options.memory_limit, false);
  const PreparedTriangles prepared =
      prepare_triangles(device, scene, prepare_materials(indexed), grid_, {.solid = true});
  const TriangleShape* const shapes = prepared.shapes.data();
  const uint64_t count = prepared.shapes.size();
  std::vector<uint8_t> is_skipped(count);
  for (const uint32_t duplicate : find_duplicates(device, shapes, count)) is_skipped[duplicate] = 1;
  const auto resolution = static_cast<int32_t>(grid_.resolution);
  // The first row whose center is not before this coordinate.
  const auto first_row = [&](int32_t at) {
    return std::clamp((at - kUnitsPerVoxel / 2 + kUnitsPerVoxel - 1) / kUnitsPerVoxel, 0, resolution);
  };
  tbb::enumerable_thread_specific<std::vector<RowCrossing>> found;
  tbb::parallel_for(uint64_t{0}, count, [&](uint64_t i) {
    const TriangleShape& triangle = shapes[i];
    const Vec3<int64_t> normal = normal_of(triangle);
    if (is_skipped[i] != 0 || normal.x == 0) return;
    const int64_t sign = normal.x < 0 ? -1 : 1;
    const auto [low_y, high_y] =
        std::minmax({triangle.corner[0].y, triangle.corner[1].y, triangle.corner[2].y});
    const auto [low_z, high_z] =
        std::minmax({triangle.corner[0].z, triangle.corner[1].z, triangle.corner[2].z});
    const auto step = __int128(absolute(normal.x)) * kUnitsPerVoxel;
    for (int32_t z = first_row(low_z); z < first_row(high_z + 1); ++z)
      for (int32_t y = first_row(low_y); y < first_row(high_y + 1); ++y) {
        const int32_t at_y = y * kUnitsPerVoxel + kUnitsPerVoxel / 2,
                      at_z = z * kUnitsPerVoxel + kUnitsPerVoxel / 2;
        if (!ray_meets(triangle, sign, at_y, at_z)) continue;
        // How far the center of the row's first voxel lies behind the triangle.
        const __int128 behind =
            behind_plane<__int128>(triangle, normal, sign, kUnitsPerVoxel / 2, at_y, at_z);
        const __int128 x = behind > 0 ? 0 : -behind / step + 1;
        if (x < resolution)
          found.local().push_back({static_cast<uint64_t>(y) + static_cast<uint64_t>(z) * grid_.resolution,
                                   static_cast<int32_t>(x), sign < 0 ? 1 : -1});
      }
  });
  for (auto& part : found) {
    crossings_.insert(crossings_.end(), part.begin(), part.end());
    part = {};
  }
  tbb::parallel_sort(crossings_, [](const RowCrossing& a, const RowCrossing& b) {
    return std::tie(a.row, a.x, a.step) < std::tie(b.row, b.x, b.step);
  });
}

std::span<const DistanceField::RowCrossing> DistanceField::crossings_of(int32_t y, int32_t z) const {
  const uint64_t row = static_cast<uint64_t>(y) + static_cast<uint64_t>(z) * grid_.resolution;
  const auto begin = std::ranges::lower_bound(crossings_, row, {}, &RowCrossing::row);
  const auto end = std::ranges::upper_bound(crossings_, row, {}, &RowCrossing::row);
  return {begin, end};
}

template <class Visit>
void DistanceField::for_row(int32_t y, int32_t z, int32_t begin, int32_t end, const Visit& visit) const {
  const std::span<const RowCrossing> crossings = crossings_of(y, z);
  size_t next = 0;
  int32_t winding = 0;
  for (int32_t x = begin; x < end; ++x) {
    for (; next < crossings.size() && crossings[next].x <= x; ++next) winding += crossings[next].step;
    visit(x, is_inside(winding));
  }
}

bool DistanceField::is_inside(Int3 voxel) const {
  bool inside = false;
  for_row(voxel.y, voxel.z, voxel.x, voxel.x + 1, [&](int32_t, bool is) { inside = is; });
  return inside;
}

// Replaces the values of voxels that lie in bricks.
template <class Value>
void DistanceField::overlay(const std::vector<Value>& bricks, const VoxelBox& box, Value* values) const {
  const Int3 size = box.size();
  const auto row = static_cast<size_t>(size.x), layer = row * static_cast<size_t>(size.y);
  Int3 b;
  for (b.z = box.min.z / kBrickSide; b.z * kBrickSide < box.max.z; ++b.z)
    for (b.y = box.min.y / kBrickSide; b.y * kBrickSide < box.max.y; ++b.y)
      for (b.x = box.min.x / kBrickSide; b.x * kBrickSide < box.max.x; ++b.x) {
        const uint64_t key =
            morton_encode(static_cast<uint32_t>(b.x), static_cast<uint32_t>(b.y), static_cast<uint32_t>(b.z));
        const auto known = std::ranges::lower_bound(keys_, key);
        if (known == keys_.end() || *known != key) continue;
        const Int3 first = b * kBrickSide;
        const Value* const brick = bricks.data() + static_cast<size_t>(known - keys_.begin()) * kBrickVoxels;
        const VoxelBox shared = intersection(cube_at(first, kBrickSide), box);
        for (int32_t z = shared.min.z; z < shared.max.z; ++z)
          for (int32_t y = shared.min.y; y < shared.max.y; ++y)
            std::copy_n(
                brick + ((z - first.z) * kBrickSide + y - first.y) * kBrickSide + shared.min.x - first.x,
                shared.size().x,
                values + static_cast<size_t>(z - box.min.z) * layer +
                    static_cast<size_t>(y - box.min.y) * row + static_cast<size_t>(shared.min.x - box.min.x));
      }
}

namespace {

volume::VolumeInfo info_of(const Grid& grid, volume::ValueType type) {
  const auto side = static_cast<int32_t>(grid.resolution);
  volume::VolumeInfo info;
  info.size = {side, side, side};
  info.type = type;
  info.spacing = grid.voxel_size.sides();
  info.origin = grid.origin;
  return info;
}

}  // namespace

volume::Volume DistanceField::distance_volume() const {
  volume::Volume result;
  result.info = info_of(grid_, volume::ValueType::F32);
  result.read = [this](const VoxelBox& box, std::byte* bytes) {
    std::vector<float> values;
    values.reserve(box.voxels());
    const auto beyond = static_cast<float>(band_);
    for (int32_t z = box.min.z; z < box.max.z; ++z)
      for (int32_t y = box.min.y; y < box.max.y; ++y)
        for_row(y, z, box.min.x, box.max.x,
                [&](int32_t, bool inside) { values.push_back(inside ? -beyond : beyond); });
    overlay(distances_, box, values.data());
    std::memcpy(bytes, values.data(), values.size() * sizeof(float));
  };
  return result;
}

volume::Volume DistanceField::material_volume() const {
  volume::Volume result;
  result.info = info_of(grid_, volume::ValueType::U8);
  result.read = [this](const VoxelBox& box, std::byte* bytes) {
    std::vector<uint8_t> values(box.voxels());
    overlay(materials_, box, values.data());
    std::memcpy(bytes, values.data(), values.size());
  };
  return result;
}

}  // namespace vox::voxelize
