#include "libvox/voxelize/distances.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/morton.h"
#include "libvox/device/cpu_device.h"
#include "libvox/voxelize/coverage.h"
#include "libvox/voxelize/prepare.h"

namespace vox::voxelize {

DistanceField::DistanceField(const scene::Scene& scene, const scene::IndexedScene& indexed, const Grid& grid,
                             const DistanceOptions& options)
    : grid_(grid), band_(options.band * grid.voxel_size.shortest()) {
  if (scene.triangles.size() >= UINT32_MAX) throw Error("the scene has more than 2^32 triangles");
  if (options.inside) find_crossings(scene, indexed, options);
  device::CpuDevice host(options.memory_limit, false);
  const uint64_t count = std::min<uint64_t>(options.triangles, scene.triangles.size());
  BandMesh mesh = {.positions = scene.positions,
                   .triangles = std::span(scene.triangles).first(count),
                   .values = std::vector<uint8_t>(count),
                   .grid = grid,
                   .band = band_,
                   .room = host.pool().available()};
  parallel_for(uint64_t{0}, count, [&](uint64_t i) {
    const scene::Triangle& triangle = scene.triangles[i];
    const scene::IndexedMaterial& material = indexed.materials[triangle.material];
    const bool is_hidden =
        material.invisible && (material.texture == scene::kNone || triangle.texcoord[0] == scene::kNone);
    mesh.values[i] = is_hidden ? uint8_t{0} : static_cast<uint8_t>(material.index + 1);
  });
  band_distances_ = measure_band(options.device.value_or(device::DeviceHandle(&host)), mesh);
  if (!options.inside) return;
  parallel_for(size_t{0}, bricks(), [&](size_t brick) {
    const Int3 first = corner(brick);
    float* at = band_distances_.distances.data() + brick * kBrickVoxels;
    Int3 p;
    for (p.z = first.z; p.z < first.z + kBrickSide; ++p.z)
      for (p.y = first.y; p.y < first.y + kBrickSide; ++p.y)
        for_row(p.y, p.z, first.x, first.x + kBrickSide, [&](int32_t, bool inside) {
          if (inside) *at = -*at;
          ++at;
        });
  });
}

Int3 DistanceField::corner(size_t brick) const {
  return morton_decode(band_distances_.keys[brick]) * kBrickSide;
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
  parallel_for(uint64_t{0}, count, [&](uint64_t i) {
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
void DistanceField::overlay(const Value* bricks, const VoxelBox& box, Value* values) const {
  const std::vector<uint64_t>& keys = band_distances_.keys;
  const Int3 size = box.size();
  const auto row = static_cast<size_t>(size.x), layer = row * static_cast<size_t>(size.y);
  Int3 b;
  for (b.z = box.min.z / kBrickSide; b.z * kBrickSide < box.max.z; ++b.z)
    for (b.y = box.min.y / kBrickSide; b.y * kBrickSide < box.max.y; ++b.y)
      for (b.x = box.min.x / kBrickSide; b.x * kBrickSide < box.max.x; ++b.x) {
        const uint64_t key =
            morton_encode(static_cast<uint32_t>(b.x), static_cast<uint32_t>(b.y), static_cast<uint32_t>(b.z));
        const auto known = std::ranges::lower_bound(keys, key);
        if (known == keys.end() || *known != key) continue;
        const Int3 first = b * kBrickSide;
        const Value* const brick = bricks + static_cast<size_t>(known - keys.begin()) * kBrickVoxels;
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
    overlay(band_distances_.distances.data(), box, values.data());
    std::memcpy(bytes, values.data(), values.size() * sizeof(float));
  };
  return result;
}

volume::Volume DistanceField::material_volume() const {
  volume::Volume result;
  result.info = info_of(grid_, volume::ValueType::U8);
  result.read = [this](const VoxelBox& box, std::byte* bytes) {
    std::vector<uint8_t> values(box.voxels());
    overlay(band_distances_.values.data(), box, values.data());
    std::memcpy(bytes, values.data(), values.size());
  };
  return result;
}

}  // namespace vox::voxelize
