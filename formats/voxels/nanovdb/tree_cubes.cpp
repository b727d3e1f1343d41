#include "formats/voxels/nanovdb/tree_cubes.h"

#include <cmath>

#include "libvox/base/log.h"
#include "libvox/base/units.h"

namespace vox::nvdb {
namespace {

// The bits of a 4³ leaf for a row of voxels along z, where bit z is the voxel cube_bit(0, 0, z).
constexpr std::array<uint64_t, 16> kRows = [] {
  std::array<uint64_t, 16> rows = {};
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t z = 0; z < 4; ++z) rows[row] |= uint64_t{row >> z & 1} << cube_bit(0, 0, z);
  return rows;
}();

// A scene's voxels are boxes along the world's axes. A warning reports everything else that a file's
// transform does.
void place_in_world(VoxelFile& file, const TreePlacement& placement, const std::filesystem::path& path) {
  const auto& steps = placement.steps;
  const auto length = [&](uint32_t i) {
    const Vec3d& s = steps[i];
    return std::sqrt(s.x * s.x + s.y * s.y + s.z * s.z);
  };
  VoxelSize size = {length(0), length(1), length(2)};
  const Vec3d& corner = placement.corner;
  if (!(size.shortest() > 0) || !std::isfinite(size.x + size.y + size.z) || !std::isfinite(corner.x) ||
      !std::isfinite(corner.y) || !std::isfinite(corner.z))
    throw Error("its transform to the world is not valid").hint("is the file damaged?");
  constexpr double kRounding = 1e-6;  // relative
  if (size.longest() - size.shortest() <= kRounding * size.x) size = size.x;
  bool straight = true;
  for (uint32_t i = 0; i < 3; ++i)
    for (uint32_t axis = 0; axis < 3; ++axis)
      straight &= std::abs(steps[i][axis] - (i == axis ? size[i] : 0)) <= kRounding * size[i];
  if (!straight)
    log_warning(
        "{}: its transform turns or mirrors voxels, which a scene cannot: they lie along the axes of the "
        "file, {} wide",
        path.string(), format_sides(size));
  file.voxel_size = size;
  file.origin = corner;
}

}  // namespace

FileBounds cube_bounds(const Vec3<int64_t>& corner, int32_t side) {
  FileBounds bounds;
  bounds.add(corner);
  bounds.add(shifted(corner, {1, 1, 1}, side - 1));
  return bounds;
}

FileBounds leaf_bounds(const LeafMask& mask, const Vec3<int64_t>& corner) {
  uint32_t along_x = 0;
  uint64_t all = 0;
  for (uint32_t x = 0; x < 8; ++x) {
    along_x |= uint32_t{mask[x] != 0} << x;
    all |= mask[x];
  }
  FileBounds bounds;
  if (all == 0) return bounds;
  uint32_t along_y = 0, along_z = 0;
  for (uint32_t y = 0; y < 8; ++y) {
    const auto row = static_cast<uint32_t>(all >> 8 * y & 0xff);
    along_y |= uint32_t{row != 0} << y;
    along_z |= row;
  }
  bounds.add(shifted(corner, {lowest_bit(along_x), lowest_bit(along_y), lowest_bit(along_z)}, 1));
  bounds.add(shifted(corner, {highest_bit(along_x), highest_bit(along_y), highest_bit(along_z)}, 1));
  return bounds;
}

void put_leaf_mask(uint32_t leaf, const LeafMask& mask, VoxelSink& to) {
  for (uint32_t octant = 0; octant < 8; ++octant) {
    const Int3 corner = octant_corner(octant, 4);
    uint64_t found = 0;
    for (uint32_t x = 0; x < 4; ++x)
      for (uint32_t y = 0; y < 4; ++y) {
        const uint64_t word = mask[static_cast<uint32_t>(corner.x) + x];
        const auto shift = 8 * (static_cast<uint32_t>(corner.y) + y) + static_cast<uint32_t>(corner.z);
        found |= kRows[word >> shift & 15] << cube_bit(x, y, 0);
      }
    to.put_mask(leaf * 8 + octant, found);
  }
}

void put_leaf_tile(uint32_t leaf, uint32_t value, VoxelSink& to) {
  for (uint32_t code = leaf * 512; code < leaf * 512 + 512; ++code) to.put(code, value);
}

Vec3<int64_t> fit_tree(VoxelFile& file, FileBounds bounds, const TreePlacement& placement,
                       const std::filesystem::path& path) {
  if (bounds.empty()) bounds.add(Vec3<int64_t>{0, 0, 0});
  const auto down = [](int64_t v) { return v & -int64_t{dag::VoxelCube::kSide}; };
  bounds.min = {down(bounds.min.x), down(bounds.min.y), down(bounds.min.z)};
  place_in_world(file, placement, path);
  fit_grid(file, bounds);
  file.origin = file.origin + placement.corner;
  return bounds.min;
}

void use_scene_text(VoxelFile& file, const SceneText& ours) {
  file.resolution = ours.resolution;
  file.origin = ours.origin;
  file.voxel_size = ours.voxel_size;
  file.up = ours.up;
  file.palette = ours.palette;
}

}  // namespace vox::nvdb
