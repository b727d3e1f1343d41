#include "libvox/base/units.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"

namespace vox {
namespace {

TEST(Units, CountsAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_count("4096", "x"), 4096u);
  EXPECT_EQ(parse_count("4K", "x"), 4096u);
  EXPECT_EQ(parse_count("1.5k", "x"), 1536u);
  EXPECT_EQ(parse_count("64K", "x"), 65536u);
  EXPECT_EQ(parse_count("1M", "x"), 1048576u);
  EXPECT_EQ(parse_count("2^16", "x"), 65536u);
}

TEST(Units, WhatIsNoCountIsRefused) {
  for (const char* text : {"", "abc", "-5", "4KB", "2^", "3^2", "2^99", "1e400", "nan", "0.3", "4 K", "4KK"})
    EXPECT_THROW(parse_count(text, "--res"), UsageError) << text;
}

TEST(Units, NumbersAreFiniteAndNothingElse) {
  EXPECT_EQ(parse_number("-1.5e3", "x"), -1500);
  for (const char* text : {"", "one", "1 ", "1e999", "nan", "inf", "0x10", "1,5"})
    EXPECT_THROW(parse_number(text, "--threshold"), UsageError) << text;
}

TEST(Units, SizesAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_bytes("800M", "x"), 800u << 20);
  EXPECT_EQ(parse_bytes("1.5GiB", "x"), 3ull << 29);
  EXPECT_EQ(parse_bytes("2GB", "x"), 2ull << 30);
  EXPECT_EQ(parse_bytes("123", "x"), 123u);
  EXPECT_THROW(parse_bytes("many", "x"), UsageError);
}

TEST(Units, NumbersAreWrittenForPeople) {
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_seconds(200), "3 min 20 s");
}

TEST(Units, CountsTakeTheirNounInSingularAndPlural) {
  EXPECT_EQ(format_count(0, "edit"), "0 edits");
  EXPECT_EQ(format_count(1, "edit"), "1 edit");
  EXPECT_EQ(format_count(1234, "edit"), "1,234 edits");
}

}  // namespace
}  // namespace vox
