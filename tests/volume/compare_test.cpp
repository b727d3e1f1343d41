#include "libvox/volume/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/mix.h"
#include "libvox/volume/value_rule.h"
#include "tests/common/random.h"
#include "tests/common/volumes.h"

namespace vox {
namespace {

constexpr Int3 kSize = {7, 5, 6};

// Returns the index of a voxel.
uint64_t place(Int3 v) {
  return uint64_t(v.x) + 7 * uint64_t(v.y) + 35 * uint64_t(v.z);
}

// Returns a volume of this type whose values differ from the usual ones in these voxels.
volume::Volume volume_with(volume::ValueType type, const std::vector<Int3>& changed) {
  const uint32_t most = type == volume::ValueType::U8 ? 0xff : 0xffff;
  return memory_volume(kSize, type, [=](Int3 v) {
    const auto usual = static_cast<uint32_t>(mix64(place(v))) & most;
    return std::ranges::find(changed, v) == changed.end() ? usual : usual ^ 1;
  });
}

std::string problem(const volume::Volume& is, const volume::Volume& expected,
                    uint64_t piece_voxels = volume::kReadVoxels) {
  try {
    volume::check_same_values(is, "one", expected, "the other", piece_voxels);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(CompareVolumes, NamesTheFirstVoxelThatDiffersWhereverPiecesEnd) {
  Random random(1);
  const auto any = [&] {
    return Int3{int32_t(random.below(7)), int32_t(random.below(5)), int32_t(random.below(6))};
  };
  for (const volume::ValueType type : {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::I16})
    for (const uint64_t piece : {1u, 3u, 7u, 10u, 35u, 100u, 1000u}) {
      const volume::Volume expected = volume_with(type, {});
      EXPECT_EQ(problem(expected, volume_with(type, {}), piece), "none");
      const Int3 a = any(), b = any();
      const Int3 first = place(a) < place(b) ? a : b;
      const std::vector<std::byte> values = all_values(expected);
      const uint32_t bits = volume::bits_at(type, values.data(), place(first));
      EXPECT_EQ(problem(volume_with(type, {a, b}), expected, piece),
                "voxel (" + std::to_string(first.x) + ", " + std::to_string(first.y) + ", " +
                    std::to_string(first.z) + ") is " +
                    std::to_string(int(volume::value_number(type, bits ^ 1))) + " in one, but " +
                    std::to_string(int(volume::value_number(type, bits))) + " in the other");
    }
}

TEST(CompareVolumes, SaysWhereSizesOrTypesDiffer) {
  const auto zeros = [](Int3 size, volume::ValueType type) {
    return memory_volume(size, type, [](Int3) { return 0u; });
  };
  EXPECT_EQ(problem(zeros({4, 5, 6}, volume::ValueType::U8), zeros({4, 5, 7}, volume::ValueType::U8)),
            "4 x 5 x 6 voxels of u8 in one, but 4 x 5 x 7 voxels of u8 in the other");
  EXPECT_EQ(problem(zeros({4, 5, 6}, volume::ValueType::U16), zeros({4, 5, 6}, volume::ValueType::I16)),
            "4 x 5 x 6 voxels of u16 in one, but 4 x 5 x 6 voxels of i16 in the other");
}

TEST(CompareVolumes, ARuleEmptiesVoxelsOfAVolume) {
  const volume::Volume volume = memory_volume(
      kSize, volume::ValueType::I16, [](Int3 v) { return uint32_t(uint16_t(int16_t(100 * v.x - 200))); });
  const volume::Volume ruled =
      volume::with_rule(volume, volume::value_rule(volume, {.share = {}, .raw = 50}));
  const std::vector<std::byte> values = all_values(ruled);
  for (uint64_t i = 0; i < ruled.info.box().voxels(); ++i) {
    const int x = int(i % 7);
    EXPECT_EQ(volume::value_number(volume::ValueType::I16,
                                   volume::bits_at(volume::ValueType::I16, values.data(), i)),
              x < 3 ? -200 : 100 * x - 200);
  }
}

}  // namespace
}  // namespace vox
