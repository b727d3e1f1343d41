// Compares and adds up profiles, and checks them against sums by hand.
#include "libvox/device/kernel_times.h"

#include <gtest/gtest.h>

namespace vox {
namespace {

using KernelList = std::vector<device::KernelTime>;

TEST(KernelTimes, AreWhatCameBetweenTwoLooks) {
  const KernelList before = {{"find", 3, 0.5, 100}, {"split", 1, 0.25, 0}},
                   after = {{"find", 4, 0.75, 120}, {"split", 1, 0.25, 0}, {"nodes", 2, 1, 8}};
  const KernelList between = device::kernels_since(before, after);
  ASSERT_EQ(between.size(), 2u);
  EXPECT_EQ(between[0].name, "nodes");
  EXPECT_EQ(between[1].name, "find");
  EXPECT_EQ(between[1].launches, 1u);
  EXPECT_EQ(between[1].seconds, 0.25);
  EXPECT_EQ(between[1].bytes, 20u);
  EXPECT_EQ(device::seconds_of(between), 1.25);
  EXPECT_EQ(device::seconds_of(between, "find"), 0.25);
  EXPECT_EQ(device::seconds_of(between, "other"), 0);
}

TEST(KernelTimes, AddUpByNameLongestFirst) {
  const KernelList all = device::all_kernels({{{"a", 1, 1, 10}, {"b", 1, 1.5, 0}}, {}, {{"a", 2, 2, 5}}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "a");
  EXPECT_EQ(all[0].launches, 3u);
  EXPECT_EQ(all[0].seconds, 3);
  EXPECT_EQ(all[0].bytes, 15u);
  EXPECT_EQ(all[1].name, "b");
}

}  // namespace
}  // namespace vox
