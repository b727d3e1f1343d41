#include "libvox/base/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "tests/common/random.h"

namespace vox {
namespace {

// Returns the text of a value as it stands after its key.
std::string shown(const auto& value) {
  const std::string text = Json().set("", value).text(), begin = "{\n  \"\": ", end = "\n}";
  EXPECT_TRUE(text.starts_with(begin) && text.ends_with(end)) << text;
  return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

TEST(Json, ValuesStandInTheOrderInWhichTheyAreSet) {
  Json json;
  json.set("z", 12).set("a", "cpu");
  Json& inner = json.object("seconds");
  json.set("last", true);
  inner.set("load", 0.25).object("none");
  EXPECT_EQ(json.text(), R"({
  "z": 12,
  "a": "cpu",
  "seconds": {
    "load": 0.25,
    "none": {}
  },
  "last": true
})");
}

TEST(Json, ArraysHoldNumbersAndObjects) {
  Json json;
  json.array("numbers").append(1).append(0.5);
  Json& objects = json.array("objects");
  objects.append().set("a", 1);
  objects.append().array("b");
  EXPECT_EQ(json.text(), R"({
  "numbers": [
    1,
    0.5
  ],
  "objects": [
    {
      "a": 1
    },
    {
      "b": []
    }
  ]
})");
}

TEST(Json, NothingIsAnEmptyObject) {
  EXPECT_EQ(Json().text(), "{}");
}

TEST(Json, TextsAreEscapedInKeysAndValues) {
  EXPECT_EQ(shown(""), R"("")");
  EXPECT_EQ(shown(R"(a "b" \c/)"), R"("a \"b\" \\c/")");
  EXPECT_EQ(shown("a\nb\t\x01\x1f\x7f"), R"("a\u000ab\u0009\u0001\u001f\u007f")");
  EXPECT_EQ(shown(std::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(shown("8³"), R"("8³")");
  EXPECT_EQ(Json().set("a\"\n", 1).text(), "{\n  \"a\\\"\\u000a\": 1\n}");
}

TEST(Json, IntegersKeepAllOfTheirDigits) {
  EXPECT_EQ(shown(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(shown(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(shown(uint8_t{200}), "200");
  EXPECT_EQ(shown(false), "false");
}

TEST(Json, FloatingPointNumbersAreReadBackAsTheyWere) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto value =
        std::bit_cast<double>(uint64_t{random.below(UINT32_MAX)} << 32 | random.below(UINT32_MAX));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(std::strtod(shown(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(shown(0.1), "0.1");
}

TEST(Json, NumbersThatJsonDoesNotHaveAreNull) {
  for (const double value :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(shown(value), "null");
}

}  // namespace
}  // namespace vox
