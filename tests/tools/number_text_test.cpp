#include "tools/common/number_text.h"

#include <gtest/gtest.h>

namespace vox {
namespace {

TEST(NumberText, IsWrittenAsPeopleDo) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(-3.14159), "-3.14");
  EXPECT_EQ(number_text(999.4), "999");
  EXPECT_EQ(number_text(999.6), "1,000");
  EXPECT_EQ(number_text(-1000), "-1,000");
  EXPECT_EQ(number_text(-999999), "-999,999");
  EXPECT_EQ(number_text(12345.6), "12,346");
  EXPECT_EQ(number_text(25e6), "2.50e+07");
  EXPECT_EQ(number_text(-25e6), "-2.50e+07");
  EXPECT_EQ(number_text(0.0001), "1.00e-04");
}

}  // namespace
}  // namespace vox
