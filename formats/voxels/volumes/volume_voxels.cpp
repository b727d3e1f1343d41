#include "formats/voxels/volumes/volume_voxels.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "formats/volume/volume_formats.h"
#include "libvox/base/error.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

constexpr double kMostSteps = 64;  // the most by which one axis may be finer than another

// The relation between voxels and values along an axis.
struct VoxelAxis {
  int32_t values = 0, voxels = 0;
  double values_per_voxel = 1;

  int32_t value_at(int32_t voxel) const {
    return std::min(static_cast<int32_t>((voxel + 0.5) * values_per_voxel), values - 1);
  }
};

using VoxelAxes = std::array<VoxelAxis, 3>;

VoxelAxes axes_of_volume(const StoredInfo& info, double voxel_size) {
  VoxelAxes axes;
  for (uint32_t i = 0; i < 3; ++i) {
    const double steps = info.spacing[i] / voxel_size, voxels = std::round(info.size[i] * steps);
    if (!(steps <= kMostSteps))
      throw Error(
          fmt::format("values are {} x {} x {} units apart, expected at most {} times as far along one "
                      "axis as along another",
                      info.spacing.x, info.spacing.y, info.spacing.z, kMostSteps));
    if (!(voxels <= voxelize::kMaxResolution))
      throw Error(
          fmt::format("of {} values along one axis {} voxels would be made, but a scene has at most {}",
                      info.size[i], voxels, voxelize::kMaxResolution));
    axes[i] = {info.size[i], static_cast<int32_t>(std::max(voxels, 1.0)), 1 / steps};
  }
  return axes;
}

struct CubeValues {
  std::vector<std::byte> values;
  std::vector<uint8_t> entries;
};

// Reads the values of a box of the volume and converts them to entries.
class EntryReader {
 public:
  EntryReader(StoredVolume stored, const ValueEntries& entries, const VoxelAxes& axes)
      : stored_(std::move(stored)), classify_(entries.classify), axes_(axes) {}

  void read(Int3 corner, VoxelSink& to) const {
    const VoxelBox grid = {{0, 0, 0}, {axes_[0].voxels, axes_[1].voxels, axes_[2].voxels}};
    const VoxelBox voxels = intersection(cube_at(corner, dag::VoxelCube::kSide), grid);
    VoxelBox values;
    for (uint32_t i = 0; i < 3; ++i) {
      values.min[i] = axes_[i].value_at(voxels.min[i]);
      values.max[i] = axes_[i].value_at(voxels.max[i] - 1) + 1;
    }
    const std::vector<uint8_t>& entries = entries_in(values);
    const Int3 size = values.size(), sides = voxels.size();
    std::array<std::array<int32_t, dag::VoxelCube::kSide>, 3> from = {};
    for (uint32_t i = 0; i < 3; ++i)
      for (int32_t at = 0; at < sides[i]; ++at)
        from[i][static_cast<size_t>(at)] = axes_[i].value_at(voxels.min[i] + at) - values.min[i];
    Int3 at;
    for (at.z = 0; at.z < sides.z; ++at.z)
      for (at.y = 0; at.y < sides.y; ++at.y) {
        const int32_t row =
            (from[2][static_cast<size_t>(at.z)] * size.y + from[1][static_cast<size_t>(at.y)]) * size.x;
        for (at.x = 0; at.x < sides.x; ++at.x) {
          const int32_t place = row + from[0][static_cast<size_t>(at.x)];
          const uint8_t entry = entries[static_cast<size_t>(place)];
          if (entry != kNoEntry) to.put(at, entry);
        }
      }
  }

 private:
  // A box has at most 64³ values, because a voxel is no wider than the distance between values.
  const std::vector<uint8_t>& entries_in(const VoxelBox& box) const {
    CubeValues& room = rooms_.local();
    const uint64_t count = box.voxels();
    room.values.resize(count * stored_bytes(stored_.info.type));
    room.entries.resize(count);
    stored_.read(box, room.values.data());
    classify_(room.values.data(), count, room.entries.data());
    return room.entries;
  }

  StoredVolume stored_;
  std::function<void(const std::byte*, uint64_t, uint8_t*)> classify_;
  VoxelAxes axes_;
  mutable tbb::enumerable_thread_specific<CubeValues> rooms_;
};

// Returns the keys of all cubes of the grid, ascending.
std::vector<uint64_t> cubes_of_grid(const VoxelAxes& axes) {
  std::vector<uint64_t> cubes;
  Int3 at;
  for (at.z = 0; at.z < axes[2].voxels; at.z += dag::VoxelCube::kSide)
    for (at.y = 0; at.y < axes[1].voxels; at.y += dag::VoxelCube::kSide)
      for (at.x = 0; at.x < axes[0].voxels; at.x += dag::VoxelCube::kSide) cubes.push_back(dag::cube_key(at));
  std::ranges::sort(cubes);
  return cubes;
}

}  // namespace

VoxelFile voxels_of_volume(StoredVolume stored, const ValueEntries& entries) {
  stored = forwards(std::move(stored));
  const StoredInfo& info = stored.info;
  VoxelFile file;
  file.voxel_size = std::min({info.spacing.x, info.spacing.y, info.spacing.z});
  const VoxelAxes axes = axes_of_volume(info, file.voxel_size.x);
  file.resolution = static_cast<uint32_t>(std::max(
      {axes[0].voxels, axes[1].voxels, axes[2].voxels, static_cast<int32_t>(voxelize::kMinResolution)}));
  file.origin = info.origin;
  if (!std::isfinite(info.origin.x + info.origin.y + info.origin.z))
    throw Error(fmt::format("it begins at ({}, {}, {})", info.origin.x, info.origin.y, info.origin.z));
  file.up = info.up;
  file.values = entries.palette.count > 0 ? VoxelValues::Entries : VoxelValues::Filled;
  file.palette = entries.palette;
  file.cubes = cubes_of_grid(axes);
  const auto reader = std::make_shared<const EntryReader>(std::move(stored), entries, axes);
  file.read = [reader, cubes = file.cubes](size_t i, VoxelSink& to) {
    reader->read(dag::cube_corner(cubes[i]), to);
  };
  return file;
}

}  // namespace vox
