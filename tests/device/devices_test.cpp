// Tests the names of devices.
#include "libvox/device/devices.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"

namespace vox::device {
namespace {

TEST(Devices, AListNamesEachOfThem) {
  EXPECT_TRUE(names_several("cpu,cpu"));
  EXPECT_FALSE(names_several("cuda:1"));
  EXPECT_EQ(listed_devices("cuda:0,1,cpu,cuda:7"),
            (std::vector<std::string>{"cuda:0", "cuda:1", "cpu", "cuda:7"}));
  EXPECT_EQ(listed_devices("cuda,1"), (std::vector<std::string>{"cuda:0", "cuda:1"}));
  for (const char* wrong :
       {"cpu,", ",cpu", "cpu,1", "auto,cpu", "cpu,,cpu", "cuda:0,cuda:0", "cuda,0", "0,1"})
    EXPECT_THROW(listed_devices(wrong), UsageError) << wrong;
}

TEST(Devices, OneIsMadeByItsName) {
  EXPECT_EQ(make_device({.name = "cpu"})->name(), "cpu");
  EXPECT_EQ(make_device({.name = "auto"})->name(), gpu_count() > 0 ? "cuda:0" : "cpu");
  for (const char* wrong : {"", "gpu", "cpu:0", "cpu,cpu"})
    EXPECT_THROW(make_device({.name = wrong}), UsageError) << wrong;
  EXPECT_THROW(make_device({.name = "cuda:999"}), Error);
}

}  // namespace
}  // namespace vox::device
