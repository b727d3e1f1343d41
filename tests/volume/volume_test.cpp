#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/volume/volume.h"
#include "tests/common/random.h"

namespace vox {
namespace {

constexpr Int3 kRuleSize = {5, 4, 3};

uint32_t float_bits(float value) {
  return std::bit_cast<uint32_t>(value);
}

volume::Volume floats(const std::function<float(Int3)>& value) {
  return memory_volume(kRuleSize, volume::ValueType::F32, [value](Int3 v) { return float_bits(value(v)); });
}

TEST(ValueRule, WordsGiveEveryValueOfAVolumeBack) {
  for (const volume::ValueType type :
       {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::I16}) {
    const uint32_t last = type == volume::ValueType::U8 ? 0xff : 0xffff;
    for (const uint32_t background : {0u, last, last / 2 + 1}) {
      const volume::ValueRule rule = {.type = type, .background = background};
      for (uint32_t bits = 0; bits <= last; ++bits) {
        ASSERT_EQ(rule.bits(rule.word(bits)), bits);
        ASSERT_EQ(rule.word(bits) == 0, bits == background);
      }
    }
  }
}

TEST(ValueRule, EmptiesWhatIsBelowAShareOfTheRange) {
  const volume::Volume volume =
      memory_volume(kRuleSize, volume::ValueType::U8, [](Int3 v) { return uint32_t(v.x) * 60 + 10; });
  const volume::ValueRule rule =
      volume::value_rule(volume, {.share = 0.5, .raw = {}});  // values from 10 to 250, so below 130
  EXPECT_EQ(rule.threshold, 130);
  EXPECT_EQ(rule.word(129), 0u);
  EXPECT_EQ(rule.word(130), 130u);
}

TEST(ValueRule, EmptiesWhatIsBelowAValue) {
  const volume::Volume volume = memory_volume(kRuleSize, volume::ValueType::U16, [](Int3) { return 1000u; });
  const volume::ValueRule rule = volume::value_rule(volume, {.share = {}, .raw = 20});
  EXPECT_EQ(rule.word(19), 0u);
  EXPECT_EQ(rule.word(20), 20u);
  EXPECT_EQ(rule.bits(0), 0u);
}

TEST(ValueRule, ComparesFloatsWithTheThresholdThatWasGivenInDoubles) {
  const volume::Volume volume = floats([](Int3) { return 1.0f; });
  for (const double raw : {0.1, -0.1, 1.0 / 3, 0.5, 1e-50, 3e38}) {
    const volume::ValueRule rule = volume::value_rule(volume, {.share = {}, .raw = raw});
    const auto near = static_cast<float>(raw);
    for (const float value : {std::nextafter(near, -HUGE_VALF), near, std::nextafter(near, HUGE_VALF)})
      EXPECT_EQ(rule.word(float_bits(value)) == 0, value == 0 || static_cast<double>(value) < raw)
          << raw << ' ' << value;
  }
}

TEST(ValueRule, TakesTheLowestValueForEmptyWhereSomeAreNegative) {
  const volume::Volume volume = memory_volume(kRuleSize, volume::ValueType::I16, [](Int3 v) {
    return uint32_t(uint16_t(int16_t(v.x == 2 ? -1024 : 40 * v.y)));
  });
  const volume::ValueRule rule = volume::value_rule(volume, {.share = {}, .raw = -500});
  EXPECT_EQ(volume::value_number(volume::ValueType::I16, rule.bits(0)), -1024);
  EXPECT_EQ(rule.word(uint16_t(int16_t(-600))), 0u);  // reads back as -1024
  EXPECT_NE(rule.word(0), 0u);
  EXPECT_EQ(
      volume::value_number(volume::ValueType::F32,
                           volume::value_rule(floats([](Int3 v) { return float(v.z) - 1.5f; }), {}).bits(0)),
      -1.5);
}

TEST(ValueRule, MinusZeroIsEmpty) {
  EXPECT_EQ(volume::value_rule(floats([](Int3) { return 1.0f; }), {}).word(float_bits(-0.0f)), 0u);
}

TEST(ValueRule, NamesTheVoxelThatIsNotFinite) {
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    const volume::Volume volume = floats([bad](Int3 v) { return v == Int3{3, 2, 1} ? bad : 1.0f; });
    try {
      volume::value_rule(volume, {});
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("memory: voxel (3, 2, 1) is"), std::string::npos)
          << error.what();
    }
  }
}

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

// Returns the value of a voxel of a volume of the next coarser level, by the description of coarser_volume().
double mean_of_cube(volume::ValueType type, const std::vector<std::byte>& values, Int3 size, Int3 coarse) {
  double sum = 0, count = 0;
  for (uint32_t part = 0; part < 8; ++part) {
    const Int3 v = {2 * coarse.x + int32_t(part % 2), 2 * coarse.y + int32_t(part / 2 % 2),
                    2 * coarse.z + int32_t(part / 4)};
    if (v.x >= size.x || v.y >= size.y || v.z >= size.z) continue;
    const uint64_t at = uint64_t(v.x) + uint64_t(size.x) * (uint64_t(v.y) + uint64_t(size.y) * uint64_t(v.z));
    sum += volume::value_number(type, volume::bits_at(type, values.data(), at));
    ++count;
  }
  return type == volume::ValueType::F32 ? sum / count : std::floor(sum / count + 0.5);
}

TEST(CoarserVolume, HasTheMeansOfCubesAlsoAtOddBorders) {
  for (const volume::ValueType type :
       {volume::ValueType::U8, volume::ValueType::U16, volume::ValueType::I16, volume::ValueType::F32})
    for (const Int3 size : {Int3{8, 6, 4}, {7, 5, 6}, {1, 9, 3}, {5, 1, 1}, {1, 1, 1}}) {
      Random random(7);
      std::vector<uint32_t> bits;
      for (uint64_t i = 0; i < VoxelBox{{0, 0, 0}, size}.voxels(); ++i)
        bits.push_back(type == volume::ValueType::F32  ? float_bits(float(random.uniform(-5, 5)))
                       : type == volume::ValueType::U8 ? random.below(256)
                                                       : random.below(1 << 16));
      volume::Volume fine = memory_volume(
          size, type, [=](Int3 v) { return bits[uint64_t(v.x + size.x * (v.y + size.y * v.z))]; });
      fine.info.spacing = {1, 2, 3};
      fine.is_zero = [](const VoxelBox& box) { return box == VoxelBox{{2, 4, 0}, {4, 5, 2}}; };
      const std::vector<std::byte> values = all_values(fine);
      const volume::Volume coarse = volume::coarser_volume(fine);
      EXPECT_EQ(coarse.info.size, (Int3{(size.x + 1) / 2, (size.y + 1) / 2, (size.z + 1) / 2}));
      EXPECT_EQ(coarse.info.spacing, (Vec3d{2, 4, 6}));
      const std::vector<std::byte> means = all_values(coarse);
      for (uint64_t i = 0; i < coarse.info.box().voxels(); ++i) {
        const Int3 at = volume::voxel_at(coarse.info.box(), i);
        const double mean = volume::value_number(type, volume::bits_at(type, means.data(), i));
        EXPECT_EQ(static_cast<float>(mean), static_cast<float>(mean_of_cube(type, values, size, at)));
      }
      // A part of the volume has the same values as the whole.
      const VoxelBox last = {coarse.info.size - Int3{1, 1, 1}, coarse.info.size};
      std::vector<std::byte> value(volume::value_bytes(type));
      coarse.read(last, value.data());
      EXPECT_TRUE(std::equal(value.begin(), value.end(), means.end() - int64_t(value.size())));
      if (size == Int3{7, 5, 6}) {
        EXPECT_TRUE(coarse.is_zero({{1, 2, 0}, {2, 3, 1}}));  // the cube is cut at the border
        EXPECT_FALSE(coarse.is_zero({{0, 0, 0}, {1, 1, 1}}));
      }
    }
}

TEST(VolumeSize, IsRefusedOutOfItsRange) {
  constexpr int64_t kMost = volume::kMaxVolumeSide;
  EXPECT_EQ(volume::checked_volume_size(1, kMost, 7), (Int3{1, int32_t(kMost), 7}));
  for (const int64_t side : {int64_t{0}, int64_t{-1}, kMost + 1, int64_t{1} << 32 | 5}) {
    EXPECT_THROW(volume::checked_volume_size(side, 1, 1), Error);
    EXPECT_THROW(volume::checked_volume_size(1, side, 1), Error);
    EXPECT_THROW(volume::checked_volume_size(1, 1, side), Error);
  }
}

TEST(Pieces, FollowOneAnotherInTheOrderOfTheVoxels) {
  for (const VoxelBox box : {VoxelBox{{0, 0, 0}, {7, 5, 3}}, VoxelBox{{2, 3, 4}, {3, 9, 8}}})
    for (uint64_t most = 1; most < 120; ++most) {
      const volume::Pieces pieces(box, most);
      std::vector<Int3> voxels;
      for (uint64_t i = 0; i < pieces.count(); ++i) {
        const VoxelBox piece = pieces[i];
        ASSERT_LE(piece.voxels(), most);
        for (int32_t z = piece.min.z; z < piece.max.z; ++z)
          for (int32_t y = piece.min.y; y < piece.max.y; ++y)
            for (int32_t x = piece.min.x; x < piece.max.x; ++x) voxels.push_back({x, y, z});
      }
      ASSERT_EQ(voxels.size(), box.voxels());
      const Int3 size = box.size();
      for (size_t i = 0; i < voxels.size(); ++i) {
        const auto at = static_cast<int32_t>(i);
        const Int3 expected = {at % size.x, at / size.x % size.y, at / size.x / size.y};
        ASSERT_EQ(voxels[i], box.min + expected) << most;
      }
    }
}

}  // namespace
}  // namespace vox
