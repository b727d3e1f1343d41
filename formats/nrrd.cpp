#include "formats/nrrd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "formats/export_file.h"
#include "libvox/base/error.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr uint64_t kPieceBytes = 16 << 20;  // four layers of 2048 x 2048: leaves are visited once

// The payload cut into boxes that follow one another in the file: several layers, or rows of one layer.
class Pieces {
 public:
  explicit Pieces(const VoxelBox& region) : region_(region) {
    uint64_t row = static_cast<uint64_t>(region.size().x),
             layer = row * static_cast<uint64_t>(region.size().y);
    rows_ = static_cast<int32_t>(std::clamp<uint64_t>(kPieceBytes / row, 1, uint64_t(region.size().y)));
    layers_ = static_cast<int32_t>(std::clamp<uint64_t>(kPieceBytes / layer, 1, uint64_t(region.size().z)));
    row_groups_ = (region.size().y + rows_ - 1) / rows_;
  }

  uint64_t count() const {
    return static_cast<uint64_t>((region_.size().z + layers_ - 1) / layers_) * uint64_t(row_groups_);
  }

  VoxelBox operator[](uint64_t piece) const {
    int32_t y = region_.min.y + static_cast<int32_t>(piece % uint64_t(row_groups_)) * rows_;
    int32_t z = region_.min.z + static_cast<int32_t>(piece / uint64_t(row_groups_)) * layers_;
    VoxelBox box = {{region_.min.x, y, z}, {region_.max.x, y + rows_, z + layers_}};
    return intersection(box, region_);
  }

 private:
  VoxelBox region_;
  int32_t rows_, layers_, row_groups_;
};

std::vector<uint8_t> dense_bytes(const FrozenDag& dag, const VoxelBox& box) {
  std::vector<uint8_t> bytes(box.voxels());
  Int3 size = box.size();
  auto at = [&](Int3 voxel) {
    Int3 v = voxel - box.min;
    return bytes.data() + (uint64_t(v.z) * uint64_t(size.y) + uint64_t(v.y)) * uint64_t(size.x) + v.x;
  };
  auto put_leaf = [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
    for (; mask != 0; mask &= mask - 1) {
      int bit = lowest_bit(mask);
      *at(corner + leaf_voxel(bit)) = leaf_value(dag, leaf, bit);
    }
  };
  auto put_solid = [&](const VoxelBox& solid, uint32_t material) {
    for (int32_t z = solid.min.z; z < solid.max.z; ++z)
      for (int32_t y = solid.min.y; y < solid.max.y; ++y)
        std::memset(at({solid.min.x, y, z}), solid_value(material), size_t(solid.size().x));
  };
  for_each_leaf(dag, box, put_leaf, put_solid);
  return bytes;
}

std::string header(const VoxelScene& scene, const VoxelBox& region) {
  Int3 size = region.size();
  double step = scene.voxel_size;
  // The space origin is the centre of the first sample.
  Vec3d first = world_corner(scene, region.min) + Vec3d{step, step, step} * 0.5;
  return fmt::format(
      "NRRD0005\n"
      "# 0 is empty, a filled voxel is {}\n"
      "type: uint8\n"
      "dimension: 3\n"
      "space dimension: 3\n"
      "sizes: {} {} {}\n"
      "space directions: ({},0,0) (0,{},0) (0,0,{})\n"
      "centerings: cell cell cell\n"
      "kinds: domain domain domain\n"
      "endian: little\n"
      "encoding: raw\n"
      "space origin: ({},{},{})\n"
      "\n",
      scene.dag.materials ? "its material + 1" : "1", size.x, size.y, size.z, step, step, step, first.x,
      first.y, first.z);
}

}  // namespace

void write_nrrd(const VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip) {
  if (!clip && scene.dag.resolution > kMaxDenseResolution)
    throw Error(fmt::format("a dense grid of {0} x {0} x {0} voxels would be too large, expected at most {1}",
                            scene.dag.resolution, kMaxDenseResolution))
        .at(path.string())
        .hint("export a part with --clip");
  VoxelBox region = export_region(scene, clip, path);
  ExportFile file(path, region.voxels());
  file.write(header(scene, region));
  Pieces pieces(region);
  file.write_pieces(pieces.count(), [&](uint64_t piece) { return dense_bytes(scene.dag, pieces[piece]); });
  file.commit();
}

}  // namespace vox
