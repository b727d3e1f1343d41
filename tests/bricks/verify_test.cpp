#include "libvox/bricks/verify.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using testing_bricks::mixed_volume;

TEST(VerifyBricks, FindsAWrongNumberOfFilledVoxelsAndBricksThatLeaveTheirData) {
  for (const volume::ValueType type : {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::F32})
    for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMaxBrickLog2; ++log2_side) {
      const volume::Volume volume = mixed_volume({40, 25, 30}, type, 1);
      const bricks::FrozenBricks bricks =
          test_engine()->build_bricks(volume, {.log2_side = log2_side, .threshold = {}}).bricks;
      EXPECT_NO_THROW(bricks::verify(bricks));
      bricks::FrozenBricks more = bricks, outside = bricks;
      ++more.filled;
      EXPECT_THROW(bricks::verify(more), Error);
      outside.root.back() |= 0xfff0;
      EXPECT_THROW(bricks::verify(outside), Error);
    }
}

}  // namespace
}  // namespace vox
