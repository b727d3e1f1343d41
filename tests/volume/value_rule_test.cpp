#include "libvox/volume/value_rule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "libvox/base/error.h"
#include "tests/common/volumes.h"

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

}  // namespace
}  // namespace vox
