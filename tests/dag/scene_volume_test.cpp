#include "libvox/dag/scene_volume.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace vox
