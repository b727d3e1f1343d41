#include "formats/voxels/vtk/vtkhdf.h"

#include <algorithm>
#include <array>
#include <set>

#include "formats/voxels/bordered_cube.h"
#include "formats/voxels/export_file.h"
#include "formats/voxels/vtk/vtkhdf_amr.h"
#include "formats/voxels/vtk/vtkhdf_file.h"
#include "libvox/dag/dense_values.h"

namespace vox {
namespace {

constexpr int32_t kVtkChunkSide = 64;

// The grid of chunks of a region. Arrays are indexed by z, y, x.
class VtkChunks {
 public:
  explicit VtkChunks(const VoxelBox& region) : region_(region) {
    const Int3 size = region.size();
    side_ = {std::min(size.x, kVtkChunkSide), std::min(size.y, kVtkChunkSide),
             std::min(size.z, kVtkChunkSide)};
  }

  static std::vector<hsize_t> dims_of(const Int3& size) {
    return {static_cast<hsize_t>(size.z), static_cast<hsize_t>(size.y), static_cast<hsize_t>(size.x)};
  }
  std::vector<hsize_t> dims() const { return dims_of(region_.size()); }
  std::vector<hsize_t> chunk() const { return dims_of(side_); }

  // Returns the lower corners of the chunks that touch a cube with a node, in the order of the array.
  std::vector<Int3> corners(const dag::FrozenDag& dag) const {
    std::set<std::array<int32_t, 3>> found;
    for (const Int3& corner : corners_of_cubes(dag, region_, kVtkChunkSide)) {
      const VoxelBox box = intersection(cube_at(corner, kVtkChunkSide), region_);
      for (int32_t z = chunk_at(box, 2); z < box.max.z; z += side_.z)
        for (int32_t y = chunk_at(box, 1); y < box.max.y; y += side_.y)
          for (int32_t x = chunk_at(box, 0); x < box.max.x; x += side_.x) found.insert({z, y, x});
    }
    std::vector<Int3> corners;
    for (const auto& [z, y, x] : found) corners.push_back({x, y, z});
    return corners;
  }

  // Returns the values of a chunk, padded with 0 beyond the region.
  VtkCells::Chunk read(const dag::FrozenDag& dag, const Int3& corner) const {
    const VoxelBox whole = {corner, corner + side_}, box = intersection(whole, region_);
    std::vector<uint8_t> values(box.voxels());
    dag::write_dense(dag, box, values.data());
    if (std::ranges::all_of(values, [](uint8_t value) { return value == 0; })) return {};
    if (box != whole) values = filled_up(values, box.size());
    return {dims_of(corner - region_.min), std::move(values)};
  }

 private:
  // Returns the lower corner, on one axis, of the chunk that contains the box's lower corner.
  int32_t chunk_at(const VoxelBox& box, uint32_t axis) const {
    return box.min[axis] - (box.min[axis] - region_.min[axis]) % side_[axis];
  }

  std::vector<uint8_t> filled_up(const std::vector<uint8_t>& values, const Int3& size) const {
    std::vector<uint8_t> all(VoxelBox{{0, 0, 0}, side_}.voxels());
    auto from = values.begin();
    for (int32_t z = 0; z < size.z; ++z)
      for (int32_t y = 0; y < size.y; ++y, from += size.x)
        std::copy_n(from, size.x, all.begin() + (ptrdiff_t{z} * side_.y + y) * side_.x);
    return all;
  }

  VoxelBox region_;
  Int3 side_ = {};
};

void write_image(const dag::VoxelScene& scene, const std::filesystem::path& path, const VoxelBox& region) {
  check_vtk_cells(region.voxels(), scene, path);
  VtkFile file(path, "ImageData");
  const Int3 size = region.size();
  const double step = scene.voxel_size;
  const Vec3d first = world_corner(scene, region.min) + Vec3d{0.5, 0.5, 0.5} * step;
  write_vtk_whole(file.root(), "WholeExtent",
                  std::array<int64_t, 6>{0, size.x - 1, 0, size.y - 1, 0, size.z - 1});
  h5::write_attribute<double>(file.root(), "Origin", std::array{first.x, first.y, first.z});
  h5::write_attribute<double>(file.root(), "Spacing", std::array{step, step, step});
  h5::write_attribute<double>(file.root(), "Direction", std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  file.write_materials(scene);
  const VtkChunks chunks(region);
  const std::vector<Int3> corners = chunks.corners(scene.dag);
  {
    const h5::Object point_data = h5::create_group(file.root(), "PointData");
    const VtkCells cells(point_data, chunks.dims(), chunks.chunk());
    cells.write(corners.size(), [&](size_t i) { return chunks.read(scene.dag, corners[i]); });
  }
  file.commit();
}

}  // namespace

void write_vtkhdf(const dag::VoxelScene& scene, const std::filesystem::path& path,
                  const std::optional<VoxelBox>& clip, VtkKind kind) {
  const VoxelBox region = export_region(scene, clip, path);
  kind == VtkKind::Image ? write_image(scene, path, region) : write_vtk_amr(scene, path, region);
}

}  // namespace vox
