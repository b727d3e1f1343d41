// Compares the coarser levels of volumes with means that are computed voxel by voxel.
#include "libvox/bricks/make_bricks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;

// Returns the mean of the voxels below a voxel of the next coarser level, in the bits of the type.
uint32_t mean_below(const volume::Volume& fine, const std::vector<std::byte>& values, Int3 at) {
  const Int3 size = fine.info.size;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < 8; ++i) {
    const Int3 v = at * 2 + Int3{i & 1, i >> 1 & 1, i >> 2};
    if (v.x >= size.x || v.y >= size.y || v.z >= size.z) continue;
    const auto index = static_cast<uint64_t>((int64_t{v.z} * size.y + v.y) * size.x + v.x);
    sum += volume::value_number(fine.info.type, volume::bits_at(fine.info.type, values.data(), index));
    ++count;
  }
  return fine.info.type == volume::ValueType::F32
             ? std::bit_cast<uint32_t>(static_cast<float>(sum / count))
             : static_cast<uint32_t>(static_cast<int32_t>(std::floor(sum / count + 0.5))) &
                   (fine.info.type == volume::ValueType::U8 ? 0xff : 0xffff);
}

TEST(CoarserLevels, AreTheMeansOfTheLevelBefore) {
  const auto engine = test_engine();
  for (const volume::ValueType type :
       {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::I16, volume::ValueType::F32})
    for (const bricks::BrickRoot root : {bricks::BrickRoot::Dense, bricks::BrickRoot::Sparse}) {
      const bricks::FrozenBricks first =
          bricks::build_bricks(engine->handle(), signed_volume({71, 45, 66}, type, 2),
                               {.log2_side = 3, .threshold = {}, .root = root})
              .bricks;
      const std::vector<bricks::FrozenBricks> levels = bricks::coarser_levels(engine->handle(), first, 3);
      ASSERT_EQ(levels.size(), 3u);
      EXPECT_EQ(levels[2].info.size, (Int3{9, 6, 9}));
      EXPECT_EQ(levels[2].info.spacing, first.info.spacing * 8.0);
      for (size_t level = 0; level < levels.size(); ++level) {
        EXPECT_NO_THROW(bricks::verify(levels[level]));
        const volume::Volume fine = bricks::bricks_volume(level == 0 ? first : levels[level - 1]),
                             coarse = bricks::bricks_volume(levels[level]);
        const std::vector<std::byte> from = all_values(fine), is = all_values(coarse);
        for (uint64_t i = 0; i < coarse.info.box().voxels(); ++i)
          ASSERT_EQ(volume::bits_at(type, is.data(), i),
                    mean_below(fine, from, volume::voxel_at(coarse.info.box(), i)))
              << volume::value_type_name(type) << ", level " << level + 1 << ", voxel " << i;
      }
    }
}

TEST(CoarserLevels, EndWhereTheVolumeIsSmall) {
  EXPECT_EQ(bricks::levels_to_the_coarsest({64, 3, 1}), 0u);
  EXPECT_EQ(bricks::levels_to_the_coarsest({65, 3, 1}), 1u);
  EXPECT_EQ(bricks::levels_to_the_coarsest({9, 1000, 64}), 4u);
}

}  // namespace
}  // namespace vox
