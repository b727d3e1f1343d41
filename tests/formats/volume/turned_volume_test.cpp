// Compares volumes whose axes are exchanged with the values that were written.

#include <fstream>

#include "formats/scene/any_scene.h"
#include "formats/volume/places.h"
#include "libvox/base/bits.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using TurnedVolume = testing_export::ExportTest;

// Values of numpy.save() stand with z fastest. The file is larger than what is read of it at a time.
TEST_F(TurnedVolume, IsReadInBoxesOfEveryForm) {
  static constexpr Int3 kLarge = {203, 207, 111};
  const auto value_at = [](const Int3& at) {
    return static_cast<double>(mix64(index_in(kLarge, at)) % 1000) / 8;
  };
  std::string values;
  for (int32_t x = 0; x < kLarge.x; ++x)
    for (int32_t y = 0; y < kLarge.y; ++y)
      for (int32_t z = 0; z < kLarge.z; ++z) {
        const double value = value_at({x, y, z});
        values.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (203, 207, 111), }";
  header.resize(118, ' ');
  std::ofstream(path("a.npy"), std::ios::binary)
      << std::string("\x93NUMPY\1\0\x76\0", 10) << header << values;
  const volume::Volume volume = open_volume(path("a.npy"), {});
  ASSERT_EQ(volume.info.size, kLarge);
  ASSERT_EQ(volume.info.type, volume::ValueType::F32);
  for (const VoxelBox& box : {VoxelBox{{0, 0, 0}, kLarge}, VoxelBox{{0, 0, 7}, {203, 207, 8}},
                              VoxelBox{{0, 0, 95}, {203, 207, 111}}, VoxelBox{{0, 0, 3}, {203, 207, 5}},
                              VoxelBox{{5, 9, 90}, {6, 200, 111}}, VoxelBox{{17, 3, 0}, {80, 20, 111}}}) {
    std::vector<float> read(box.voxels());
    volume.read(box, reinterpret_cast<std::byte*>(read.data()));
    uint64_t i = 0, differing = 0;
    for_each_place_in(box, [&](const Int3& at) { differing += read[i++] != value_at(at); });
    EXPECT_EQ(differing, 0) << box.min.z;
  }
}

}  // namespace
}  // namespace vox
