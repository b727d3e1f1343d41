// Tests bricks in a device's memory; on GPUs the pictures of volumes test them.
#include "libvox/bricks/device_bricks.h"

#include <gtest/gtest.h>

#include "libvox/device/cpu_device.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;

TEST(DeviceBricks, GiveEveryVoxelAfterTheHostsBricksAreGone) {
  const volume::Volume volume = mixed_volume({71, 45, 66}, volume::ValueType::U16, 1);
  const std::vector<uint32_t> words = dense_words(volume, {.type = volume::ValueType::U16});
  device::CpuDevice device(uint64_t{1} << 32, false);
  for (const uint32_t log2_side : {2u, 3u, 6u}) {
    bricks::FrozenBricks bricks =
        test_engine()->build_bricks(volume, {.log2_side = log2_side, .threshold = {}}).bricks;
    const bricks::DeviceBricks on_device(device, bricks);
    for (Words* gone : {&bricks.root, &bricks.data[1], &bricks.data[2], &bricks.data[3]})
      std::ranges::fill(*gone, 0xffffffff);
    bricks = {};
    const bricks::BricksRef access = on_device.ref();
    size_t i = 0;
    for (Int3 v = {0, 0, 0}; v.z < 66; ++v.z)
      for (v.y = 0; v.y < 45; ++v.y)
        for (v.x = 0; v.x < 71; ++v.x) ASSERT_EQ(access.get<uint16_t>(v), words[i++]) << log2_side;
  }
}

}  // namespace
}  // namespace vox
