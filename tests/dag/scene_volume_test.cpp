#include "libvox/dag/scene_volume.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libvox/volume/pieces.h"
#include "tests/common/volumes.h"
#include "tests/formats/voxels/export_scenes.h"

namespace vox {
namespace {

using namespace testing_export;

TEST(SceneVolume, HoldsWhatTheDenseFormatsHold) {
  for (const uint32_t resolution : {4u, 37u, 64u})
    for (const Materials materials : {Materials::None, Materials::Sixteen}) {
      const KnownScene known = known_scene(resolution, materials, noise_grid(resolution));
      const volume::Volume volume = dag::scene_volume(known.scene);
      ASSERT_EQ(volume.info.size.x, static_cast<int32_t>(resolution));
      const volume::Pieces pieces(volume.info.box(), 1000);  // boxes that cut leaves
      for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
        std::vector<std::byte> values(pieces[piece].voxels());
        volume.read(pieces[piece], values.data());
        size_t i = 0;
        const VoxelBox box = pieces[piece];
        for (int32_t z = box.min.z; z < box.max.z; ++z)
          for (int32_t y = box.min.y; y < box.max.y; ++y)
            for (int32_t x = box.min.x; x < box.max.x; ++x)
              ASSERT_EQ(std::to_integer<int>(values[i++]), known.value({x, y, z}));
      }
    }
}

TEST(SceneVolume, KnowsWhichBoxesAreEmpty) {
  const KnownScene known = known_scene(37, Materials::Sixteen, noise_grid(37));
  const volume::Volume volume = dag::scene_volume(known.scene);
  uint64_t empty = 0;
  for (const uint64_t most : {1u, 3u, 40u, 1000u}) {
    const volume::Pieces pieces(volume.info.box(), most);
    for (uint64_t piece = 0; piece < pieces.count(); ++piece) {
      std::vector<std::byte> values(pieces[piece].voxels());
      volume.read(pieces[piece], values.data());
      const bool zero = std::ranges::all_of(values, [](std::byte value) { return value == std::byte{0}; });
      ASSERT_EQ(volume.is_zero(pieces[piece]), zero) << piece;
      empty += zero ? 1 : 0;
    }
  }
  EXPECT_GT(empty, 100u);
}

}  // namespace
}  // namespace vox
