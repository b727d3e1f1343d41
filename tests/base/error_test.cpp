// The parts of an error: what, where, what to do, and the setting that it is about.
#include "libvox/base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace vox {
namespace {

TEST(Error, SaysWhereWhatAndWhatToDoInThisOrder) {
  EXPECT_STREQ(Error("is broken").what(), "is broken");
  EXPECT_STREQ(Error("is broken").at("a.h5").what(), "a.h5: is broken");
  EXPECT_STREQ(Error("is broken").hint("mend it").at("a.h5").what(), "a.h5: is broken (mend it)");
  EXPECT_STREQ(Error("is broken").hint("").what(), "is broken");
}

TEST(Error, NamesItsSettingBesideTheText) {
  const Error error = Error("is too large").about("resolution");
  EXPECT_EQ(error.setting(), "resolution");
  EXPECT_STREQ(error.what(), "is too large");
  EXPECT_EQ(Error("is broken").setting(), "");
}

TEST(Error, ThatIsOfUsageStaysOneWithAHintAndASetting) {
  try {
    throw UsageError("the device is 'x'").hint("expected cpu").about("device");
  } catch (const UsageError& error) {
    EXPECT_EQ(error.setting(), "device");
    EXPECT_STREQ(error.what(), "the device is 'x' (expected cpu)");
  } catch (const Error&) {
    FAIL() << "the error has lost its type";
  }
}

TEST(Error, OfMemorySaysHowMuchIsMissingAndNamesTheLimitAlsoWithAnotherHint) {
  OutOfMemory error(3, 2);
  EXPECT_NE(std::string(error.what()).find("allow more memory by at least 1 B"), std::string::npos);
  error.hint("take a smaller scene");
  EXPECT_EQ(error.setting(), "memory_limit");
  EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos);
}

}  // namespace
}  // namespace vox
