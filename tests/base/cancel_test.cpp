// Each test runs in a process of its own, because an interrupted process stays interrupted.
#include "libvox/base/cancel.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "libvox/base/error.h"

namespace vox {
namespace {

enum Outcome : int { kWentOn, kCancelled };

Outcome look() {
  try {
    throw_if_cancelled();
  } catch (const Cancelled&) {
    return kCancelled;
  }
  return kWentOn;
}

class CancelDeathTest : public testing::Test {
 protected:
  CancelDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CancelDeathTest, AfterASignalEveryLookThrows) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto signalled = [&] {
      cancel_on_interrupt();
      if (look() == kCancelled) std::_Exit(kWentOn);  // before the signal
      std::raise(signal);
      std::_Exit(look() == kCancelled ? look() : kWentOn);
    };
    EXPECT_EXIT(signalled(), testing::ExitedWithCode(kCancelled), "") << signal;
  }
}

TEST_F(CancelDeathTest, WithoutAHandlerASignalEndsTheProgram) {
  EXPECT_EXIT(std::raise(SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace vox
