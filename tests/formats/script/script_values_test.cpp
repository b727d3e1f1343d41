#include "formats/script/script_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/common/random.h"

namespace vox {
namespace {

// Computes text * 256, halves away from zero, in 128-bit integers. The text has the form "123.456" and at
// most 24 digits.
int64_t rounded_slowly(const std::string& text) {
  __int128 digits = 0, divisor = 1;
  bool negative = text[0] == '-', after_point = false;
  for (char c : text.substr(negative ? 1 : 0)) {
    if (c == '.') {
      after_point = true;
    } else {
      digits = digits * 10 + (c - '0');
      if (after_point) divisor *= 10;
    }
  }
  __int128 units = (digits * 256 * 2 / divisor + 1) / 2;
  return static_cast<int64_t>(negative ? -units : units);
}

TEST(ScriptValues, NumbersAreRoundedExactlyTo256ths) {
  Random random(9);
  for (int i = 0; i < 100000; ++i) {
    // The number is often a tie, (k + ½)/256, or one unit in the last place beside it.
    std::string text = random.below(2) == 0 ? "-" : "";
    uint64_t tie = (2ull * random.below(256) + 1) * 1953125;  // in units of 10^-9
    switch (random.below(4)) {
      case 0:
        text += fmt::format("{}.{:09}", random.below(3000), tie);
        break;
      case 1:
        text += fmt::format("{}.{:09}99999", random.below(3000), tie - 1);
        break;
      case 2:
        text += fmt::format("{}.{:09}00001", random.below(3000), tie);
        break;
      default:
        text += fmt::format("{}.{}", random.below(3000), random.below(1u << 31));
    }
    Fixed fixed = parse_fixed(text);
    ASSERT_EQ(fixed.kind, NumberKind::Number) << text;
    ASSERT_EQ(fixed.units, rounded_slowly(text)) << text;
  }
}

TEST(ScriptValues, TiesThatDoublesCannotTellApartAreTold) {
  EXPECT_EQ(parse_fixed("0.001953125").units, 1);
  EXPECT_EQ(parse_fixed("0.00195312499999999999999999999999999999").units, 0);
  EXPECT_EQ(parse_fixed("-0.001953125").units, -1);
  EXPECT_EQ(parse_fixed("-0.0019531249999999999999999999999999999").units, 0);
}

TEST(ScriptValues, ExponentsMoveThePoint) {
  for (const char* text : {"12.5", "+12.5", "1.25e1", "125e-1", ".125E+2", "0.00125e4", "12500000000000e-12",
                           "00012.5000", "1250000000000000000000000000000e-29"})
    EXPECT_EQ(parse_fixed(text).units, 3200) << text;
  for (const char* text : {"0", "-0", "0.", ".0", "0e99999999999999999999", "0e-5", "-.000"}) {
    EXPECT_EQ(parse_fixed(text).kind, NumberKind::Number) << text;
    EXPECT_EQ(parse_fixed(text).units, 0) << text;
    EXPECT_TRUE(parse_fixed(text).whole) << text;
  }
  EXPECT_EQ(parse_fixed("1e-999999999999999999999").units, 0);
}

TEST(ScriptValues, AFractionIsNotWholeHoweverSmall) {
  for (const char* text : {"0.5", "1e-30", "3.0000000000000000000000000000001", "125e-1", "-0.001"})
    EXPECT_FALSE(parse_fixed(text).whole) << text;
  for (const char* text : {"3", "3.", "3.000", "125e1", "1.25e2", "30e-1", "-7"})
    EXPECT_TRUE(parse_fixed(text).whole) << text;
}

TEST(ScriptValues, WholeNumbersGoUpTo64Bits) {
  EXPECT_EQ(parse_whole("1000000"), 1000000u);
  EXPECT_EQ(parse_whole("1e6"), 1000000u);
  EXPECT_EQ(parse_whole("+1.25E2"), 125u);
  EXPECT_EQ(parse_whole("0000012.000"), 12u);
  EXPECT_EQ(parse_whole("120e-1"), 12u);
  EXPECT_EQ(parse_whole("-0.0e9"), 0u);
  EXPECT_EQ(parse_whole("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_whole("1844674407370955161.5e1"), UINT64_MAX);
  for (const char* text : {"18446744073709551616", "1e20", "1e999999999999999999999", "-1", "1.5", "12e-1",
                           "1e-9", "nan", "", "1,000", "0x10"})
    EXPECT_EQ(parse_whole(text), std::nullopt) << text;
}

TEST(ScriptValues, WhatIsNoNumberIsToldFromWhatIsTooLarge) {
  for (const char* text :
       {"", "-", ".", "e5", "1e", "1e+", "--1", "+-1", "1.2.3", "1x", "0x10", " 1", "1 ", "-."})
    EXPECT_EQ(parse_fixed(text).kind, NumberKind::NoNumber) << text;
  for (const char* text : {"nan", "NaN", "-nan", "inf", "+Inf", "-INFINITY"})
    EXPECT_EQ(parse_fixed(text).kind, NumberKind::NotFinite) << text;
  for (const char* text : {"8388608", "-1e20", "1e99999999999999999999", "99999999999999999999999999"})
    EXPECT_EQ(parse_fixed(text).kind, NumberKind::TooLarge) << text;
  EXPECT_EQ(parse_fixed("8388607.99").kind, NumberKind::Number);
}

}  // namespace
}  // namespace vox
