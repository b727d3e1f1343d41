// Groups a file's records of voxels, which may have any order, by the 64³ cubes that contain them.

#include "formats/voxels/voxel_formats.h"

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/vec.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/walk.h"

namespace vox {

class CubeGroups {
 public:
  // place(i) returns where the voxel of record i lies in the grid. No coordinate is negative.
  template <class Place>
  CubeGroups(uint64_t records, const Place& place) : records_(records) {
    parallel_for(uint64_t{0}, records, [&](uint64_t i) { records_[i] = {dag::cube_key(place(i)), i}; });
    tbb::parallel_sort(records_.begin(), records_.end());
    for (uint64_t i = 0; i < records; ++i)
      if (i == 0 || records_[i].cube != records_[i - 1].cube) {
        cubes_.push_back(records_[i].cube);
        starts_.push_back(i);
      }
    starts_.push_back(records);
  }

  const std::vector<uint64_t>& cubes() const { return cubes_; }  // ascending

  // Calls body(i) for the records in a cube, in the order of the file.
  template <class Body>
  void for_each_in(size_t cube, Body body) const {
    for (uint64_t i = starts_[cube]; i < starts_[cube + 1]; ++i) body(records_[i].record);
  }

 private:
  struct Record {
    uint64_t cube, record;
    // Written by hand, because clang-tidy 14 mistakes the body of a defaulted operator<=> for a null pointer.
    bool operator<(const Record& other) const {
      return cube != other.cube ? cube < other.cube : record < other.record;
    }
  };
  std::vector<Record> records_;
  std::vector<uint64_t> cubes_, starts_;
};

namespace {

class Records {
 public:
  explicit Records(const std::filesystem::path& path) : file_(path) {
    if (file_.bytes().size() % kVl32VoxelBytes != 0)
      throw Error(fmt::format("has {} bytes, but a VL32 file has 16 for each voxel", file_.bytes().size()))
          .at(path.string())
          .hint("is the file truncated?");
  }

  uint64_t count() const { return file_.bytes().size() / kVl32VoxelBytes; }
  Vec3<int64_t> voxel(uint64_t i) const { return {coordinate(i, 0), coordinate(i, 1), coordinate(i, 2)}; }
  uint32_t rgb(uint64_t i) const { return word(i, 3) & 0xffffff; }

 private:
  uint32_t word(uint64_t i, size_t field) const {
    const std::byte* bytes = file_.bytes().data() + i * kVl32VoxelBytes + field * 4;
    uint32_t value = 0;
    for (size_t b = 0; b < 4; ++b) value = value << 8 | std::to_integer<uint32_t>(bytes[b]);
    return value;
  }
  int64_t coordinate(uint64_t i, size_t axis) const { return static_cast<int32_t>(word(i, axis)); }

  MappedFile file_;
};

}  // namespace

VoxelFile open_vl32(const std::filesystem::path& path) {
  const auto records = std::make_shared<const Records>(path);
  const auto bounds = sum_of_items<FileBounds>(
      records->count(), 1 << 16, [&](FileBounds& sum, uint64_t i) { sum.add(records->voxel(i)); });
  VoxelFile file;
  file.values = VoxelValues::Rgb;
  fit_grid(file, bounds);
  const auto place = [records, bounds](uint64_t i) {
    return vec_of<int32_t>(records->voxel(i) - bounds.min);
  };
  const auto groups = std::make_shared<const CubeGroups>(records->count(), place);
  file.cubes = groups->cubes();
  file.read = [groups, records, place](size_t cube, VoxelSink& to) {
    const Int3 corner = dag::cube_corner(groups->cubes()[cube]);
    groups->for_each_in(cube, [&](uint64_t i) { to.put(place(i) - corner, records->rgb(i)); });
  };
  return file;
}

namespace {

constexpr uint32_t kPieceSide = 64;
constexpr scene::Rgb8 kColorWithoutMaterials = {200, 200, 200};

class RecordWriter {
 public:
  RecordWriter(const dag::VoxelScene& scene, Int3 origin) : scene_(scene), origin_(origin) {
    if (scene.colors) colors_.emplace(scene);
  }

  // Returns the records of the voxels inside the box.
  std::vector<uint8_t> records(const VoxelBox& box) const {
    std::vector<uint8_t> bytes;
    dag::for_each_leaf(scene_.dag, box, [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
      std::array<uint32_t, 64> colors;
      if (colors_) colors = (*colors_)(corner);
      for (; mask != 0; mask &= mask - 1) {
        const auto bit = static_cast<uint32_t>(lowest_bit(mask));
        put(corner + cube_place(bit), colors_ ? scene::unpacked_color(colors[bit]) : color_of(leaf, bit),
            bytes);
      }
    });
    return bytes;
  }

 private:
  scene::Rgb8 color_of(const uint32_t* leaf, uint32_t bit) const {
    return scene_.dag.materials ? scene_.palette.colors[dag::leaf_material(leaf, bit)]
                                : kColorWithoutMaterials;
  }

  void put(Int3 voxel, scene::Rgb8 color, std::vector<uint8_t>& bytes) const {
    const auto [x, y, z] = vec_of<uint32_t>(turned_y_up(voxel + origin_, scene_.up));
    const uint32_t argb = 0xff000000 | uint32_t{color.r} << 16 | uint32_t{color.g} << 8 | color.b;
    for (const uint32_t word : {x, y, z, argb})
      for (uint32_t shift = 32; shift > 0; shift -= 8)
        bytes.push_back(static_cast<uint8_t>(word >> (shift - 8)));
  }

  const dag::VoxelScene& scene_;
  const Int3 origin_;
  std::optional<dag::LeafColors> colors_;
};

}  // namespace

void write_vl32(const dag::VoxelScene& scene, const std::filesystem::path& path,
                const std::optional<VoxelBox>& clip, ranks::Ranks& ranks) {
  const VoxelBox region = export_region(scene, clip, path);
  const std::optional<Int3> origin = origin_in_voxels(scene);
  const std::vector<Int3> corners = corners_of_cubes(scene.dag, region, kPieceSide);
  ExportFile file(path, clip ? 0 : scene.dag.voxels * kVl32VoxelBytes, Writers::Several, ranks);
  const RecordWriter writer(scene, origin.value_or(Int3{0, 0, 0}));
  file.write_pieces(corners.size(), [&](uint64_t i) {
    return writer.records(intersection(cube_at(corners[i], kPieceSide), region));
  });
  file.commit();
  if (!origin) log_no_whole_origin(path);
  if (!scene.dag.materials && !scene.colors)
    log_warning("{}: the scene has no materials: all voxels are rgb({}, {}, {})", path.string(),
                kColorWithoutMaterials.r, kColorWithoutMaterials.g, kColorWithoutMaterials.b);
}

}  // namespace vox
