#include "formats/voxels/vl32/vl32.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <memory>

#include "formats/io/mapped_file.h"
#include "formats/voxels/cube_groups.h"
#include "formats/voxels/voxel_grid.h"
#include "libvox/base/error.h"

namespace vox {
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

FileBounds bounds_of(const Records& records) {
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, records.count(), 1 << 16), FileBounds(),
      [&](const tbb::blocked_range<uint64_t>& range, FileBounds bounds) {
        for (uint64_t i = range.begin(); i < range.end(); ++i) bounds.add(records.voxel(i));
        return bounds;
      },
      [](FileBounds a, const FileBounds& b) {
        a.add(b);
        return a;
      });
}

}  // namespace

VoxelFile open_vl32(const std::filesystem::path& path) {
  const auto records = std::make_shared<const Records>(path);
  const FileBounds bounds = bounds_of(*records);
  VoxelFile file;
  file.values = VoxelValues::Rgb;
  fit_grid(file, bounds);
  const auto place = [records, bounds](uint64_t i) {
    const Vec3<int64_t> voxel = records->voxel(i);
    return Int3{static_cast<int32_t>(voxel.x - bounds.min.x), static_cast<int32_t>(voxel.y - bounds.min.y),
                static_cast<int32_t>(voxel.z - bounds.min.z)};
  };
  const auto groups = std::make_shared<const CubeGroups>(records->count(), place);
  file.cubes = groups->cubes();
  file.read = [groups, records, place](size_t cube, VoxelSink& to) {
    const Int3 corner = dag::cube_corner(groups->cubes()[cube]);
    groups->for_each_in(cube, [&](uint64_t i) { to.put(place(i) - corner, records->rgb(i)); });
  };
  return file;
}

}  // namespace vox
