#include "formats/io/scan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include "formats/io/mapped_file.h"
#include "tests/formats/mesh/mesh_checks.h"

namespace vox {
namespace {

void expect_like_strtod(const std::string& text) {
  Number number = scan_number(text.c_str());
  ASSERT_EQ(number.end, text.c_str() + text.size()) << text;
  double expected = std::strtod(text.c_str(), nullptr);
  ASSERT_EQ(std::bit_cast<uint64_t>(number.value), std::bit_cast<uint64_t>(expected)) << text;
}

TEST(Scan, NumbersAreRoundedAsStrtodRoundsThem) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) expect_like_strtod(fmt::format("{}", value));
    double small = static_cast<double>(static_cast<int64_t>(random())) / 0x1p60;
    expect_like_strtod(fmt::format("{:.{}f}", small, random() % 30));
    expect_like_strtod(fmt::format("{}.{}", random() >> random() % 64, random() >> random() % 64));
  }
  for (const char* text :
       {"0", "-0", "5.", ".5", "-.5e3", "1E5", "+3.25", "9007199254740993", "0.30000000000000004",
        "18446744073709551617", "00000000000000000000001.5", "1e999", "-1e999", "1e-999", "inf"})
    expect_like_strtod(text);
}

TEST(Scan, WhatOldProgramsPrintForNanIsNan) {
  for (const char* text : {"nan", "NaN", "-nan", "1.#IND", "-1.#QNAN", "-1.#IND00"})
    EXPECT_TRUE(std::isnan(scan_number(text).value) && scan_number(text).end) << text;
}

TEST(Scan, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", "-", "+", ".", "e5", "1x", "1,5", "0x10", "--1", "+-1", "1/2", "1e", "abc"})
    EXPECT_EQ(scan_number(text).end, nullptr) << text;
}

TEST(Scan, FilesThatFillTheirLastPageEndWithAZeroByteToo) {
  TestFolder folder;
  for (size_t size : {4095u, 4096u, 8192u, 65536u}) {
    MappedFile file(folder.write("page", std::string(size, '7')));
    EXPECT_EQ(file.text().size(), size);
    EXPECT_EQ(file.text().data()[size], '\0');
  }
}

TEST(Scan, FilesThatCannotBeMappedAreNamed) {
  TestFolder folder;
  auto open = [](const std::filesystem::path& path) { return error_of([&] { MappedFile file(path); }); };
  EXPECT_NE(open(folder.path() / "none.obj").find("none.obj: cannot be opened: No such file"),
            std::string::npos);
  EXPECT_NE(open(folder.path()).find("is a folder"), std::string::npos);
  EXPECT_NE(open(folder.write("void.obj", "")).find("is empty"), std::string::npos);
  EXPECT_NE(open("/dev/null").find("not a regular file"), std::string::npos);
}

}  // namespace
}  // namespace vox
