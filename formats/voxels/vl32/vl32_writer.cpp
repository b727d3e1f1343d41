#include "formats/voxels/vl32/vl32_writer.h"

#include <algorithm>
#include <cmath>

#include "formats/voxels/bordered_cube.h"
#include "formats/voxels/export_file.h"
#include "formats/voxels/slot_order.h"
#include "formats/voxels/vl32/vl32.h"
#include "libvox/base/log.h"
#include "libvox/dag/walk.h"

namespace vox {
namespace {

constexpr uint32_t kPieceSide = 64;
constexpr scene::Rgb8 kColorWithoutMaterials = {200, 200, 200};

// The tolerance for an origin that should be a whole number of voxels. It allows for rounding errors of
// double precision.
constexpr double kWhole = 1e-6;

// Returns the scene's origin in voxels if it is whole on each axis and all coordinates fit into 32 bits.
std::optional<Int3> origin_in_voxels(const dag::VoxelScene& scene) {
  Int3 origin = {0, 0, 0};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const double place = scene.origin[axis] / scene.voxel_size, whole = std::round(place);
    const double most = INT32_MAX - static_cast<double>(scene.dag.side());
    if (!(std::abs(place - whole) <= kWhole) || std::abs(whole) > most) return std::nullopt;
    origin[axis] = static_cast<int32_t>(whole);
  }
  return origin;
}

class RecordWriter {
 public:
  RecordWriter(const dag::VoxelScene& scene, Int3 origin) : scene_(scene), origin_(origin) {}

  // Returns the records of the voxels inside the box.
  std::vector<uint8_t> records(const VoxelBox& box) const {
    std::vector<uint8_t> bytes;
    dag::for_each_leaf(scene_.dag, box, [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
      for (; mask != 0; mask &= mask - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(mask));
        put(corner + cube_place(bit), leaf, bit, bytes);
      }
    });
    return bytes;
  }

 private:
  void put(Int3 voxel, const uint32_t* leaf, uint32_t bit, std::vector<uint8_t>& bytes) const {
    const scene::Rgb8 color =
        scene_.dag.materials ? scene_.palette.colors[dag::leaf_material(leaf, bit)] : kColorWithoutMaterials;
    const Int3 place = turned_y_up(voxel + origin_, scene_.up);
    const uint32_t argb = 0xff000000 | uint32_t{color.r} << 16 | uint32_t{color.g} << 8 | color.b;
    for (const uint32_t word : {static_cast<uint32_t>(place.x), static_cast<uint32_t>(place.y),
                                static_cast<uint32_t>(place.z), argb})
      for (uint32_t shift = 32; shift > 0; shift -= 8)
        bytes.push_back(static_cast<uint8_t>(word >> (shift - 8)));
  }

  const dag::VoxelScene& scene_;
  const Int3 origin_;
};

}  // namespace

void write_vl32(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip) {
  const VoxelBox region = export_region(scene, clip, path);
  const std::optional<Int3> origin = origin_in_voxels(scene);
  const std::vector<Int3> corners = corners_of_cubes(scene.dag, region, kPieceSide);
  ExportFile file(path, clip ? 0 : scene.dag.voxels * kVl32VoxelBytes);
  const RecordWriter writer(scene, origin.value_or(Int3{0, 0, 0}));
  file.write_pieces(corners.size(), [&](uint64_t i) {
    return writer.records(intersection(cube_at(corners[i], kPieceSide), region));
  });
  file.commit();
  if (!origin)
    log_info("{}: voxel (0, 0, 0) is the scene's lower corner: its origin is not a whole number of voxels",
             path.string());
  if (!scene.dag.materials)
    log_warning("{}: the scene has no materials: all voxels are rgb({}, {}, {})", path.string(),
                kColorWithoutMaterials.r, kColorWithoutMaterials.g, kColorWithoutMaterials.b);
}

}  // namespace vox
