#include "libvox/base/spilled_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "libvox/base/error.h"

namespace vox {
namespace {

TEST(SpilledArray, ValuesStayWhereTheyAreWhileItGrows) {
  for (const SpillPlace& place : {SpillPlace(), SpillPlace("/tmp")}) {
    SpilledArray<uint32_t> array(place, uint64_t{40} << 20);
    const uint32_t* const begin = array.append(1).data();
    array.data()[0] = 7;
    const std::span<uint32_t> more = array.append((uint64_t{40} << 20) - 1);
    std::ranges::fill(more, 9u);
    EXPECT_EQ(begin, array.data());
    EXPECT_EQ(array.values()[0], 7u);
    EXPECT_EQ(array.values().back(), 9u);
    EXPECT_THROW(array.append(1), Error);
  }
}

TEST(SpilledArray, AFolderThatIsNotThereIsAnError) {
  EXPECT_THROW(SpillPlace("/no/such/folder"), Error);
  const auto file = std::filesystem::temp_directory_path() / "vox_round_test_file";
  std::ofstream(file) << "no folder";
  EXPECT_THROW(SpillPlace{file}, Error);
  std::filesystem::remove(file);
}

TEST(SpilledArray, MayBecomeShorterAndLongerAgain) {
  for (const SpillPlace& place : {SpillPlace(), SpillPlace("/tmp")}) {
    SpilledArray<uint32_t> array(place, 100000);
    std::ranges::fill(array.append(100000), 5u);
    array.shrink(3000);
    EXPECT_EQ(array.size(), 3000u);
    array.append(97000)[96999] = 6;
    EXPECT_EQ(std::ranges::count(array.values().first(3000), 5u), 3000);
    EXPECT_EQ(array.values()[50000], 0u);  // new memory
    array.shrink(0);
    EXPECT_EQ(array.append(1)[0], 0u);
  }
}

TEST(SpilledArray, ValuesAreReadAndWrittenAtAnyPlace) {
  for (const SpillPlace& place : {SpillPlace(), SpillPlace("/tmp")}) {
    SpilledArray<uint64_t> array(place, 1000);
    std::ranges::fill(array.append(1000), 0u);
    array.write(997, std::array<uint64_t, 3>{1, 2, 3});
    std::array<uint64_t, 4> read = {};
    array.read(996, read);
    EXPECT_EQ(read, (std::array<uint64_t, 4>{0, 1, 2, 3}));
    EXPECT_EQ(array.values()[999], 3u);
    EXPECT_EQ(array.in_file(), place.folder().has_value());
  }
  EXPECT_TRUE(SpillPlace::if_larger(11, 10).folder());
  EXPECT_FALSE(SpillPlace::if_larger(10, 10).folder());
}

}  // namespace
}  // namespace vox
