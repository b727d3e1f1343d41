#include "formats/points/point_voxels.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "formats/points/point_cubes.h"
#include "formats/points/point_lattice.h"
#include "libvox/base/memory.h"

namespace vox {

// Returns a third of the memory that the process may still take, because the palette and the DAG are made
// while the points are in memory.
uint64_t room_for_points(uint64_t memory_limit) {
  constexpr uint64_t kLeast = uint64_t{8} << 20;
  const uint64_t held = resident_bytes();
  const uint64_t left = memory_limit == 0     ? available_bytes() / 5 * 4
                        : memory_limit > held ? memory_limit - held
                                              : 0;
  return std::max(left / 3, kLeast);
}

VoxelFile point_voxels(PointCloud cloud, const voxelize::Grid& grid, const PointVoxelOptions& options) {
  VoxelFile file;
  file.resolution = grid.resolution;
  file.origin = grid.origin;
  file.voxel_size = grid.voxel_size;
  file.up = cloud.up;
  const bool colors = cloud.has_colors && options.materials;
  if (colors) file.values = VoxelValues::Rgb;
  const auto cubes =
      std::make_shared<PointCubes>(std::move(cloud), PointLattice(grid, options.radius), options.room);
  file.cubes = cubes->cubes();
  file.load = [cubes](size_t begin, size_t end) { return cubes->load(begin, end); };
  file.read = [cubes, colors](size_t cube, VoxelSink& to) {
    if (colors) {
      cubes->paint(cube, to);
    } else {
      cubes->fill(cube, to);
    }
  };
  return file;
}

}  // namespace vox
