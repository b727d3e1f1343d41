#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

TEST(RunProgram, GivesExitCodeAndOutput) {
  const ProgramResult result =
      run_program({"sh", "-c", "echo \"$1\"; echo no >&2; exit 3", "sh", "a  b;$HOME"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "a  b;$HOME\nno\n");
}

TEST(RunProgram, ReadsMoreThanAPipeHolds) {
  EXPECT_EQ(run_program({"head", "-c", "1000000", "/dev/zero"}).output.size(), 1000000u);
}

TEST(RunProgram, SaysWhatIsMissingOrDied) {
  EXPECT_EQ(run_program({"/no/such/program"}).status, 127);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 128 + 9);
}

TEST(AvailableBytes, AreWithinWhatTheAddressSpaceLeaves) {
  constexpr uint64_t kRoom = 256 << 20;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kRoom;
    const rlimit limits = {.rlim_cur = limit, .rlim_max = limit};
    if (setrlimit(RLIMIT_AS, &limits) != 0) _exit(2);
    const uint64_t available = available_bytes();
    _exit(available <= kRoom && available > kRoom / 2 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_GT(available_bytes(), kRoom);
}

TEST(RunProgram, AFedProgramReadsAllThatIsWritten) {
  const std::vector<std::byte> bytes(3'000'001, std::byte{'x'});
  FedProgram program({"sh", "-c", "wc -c; echo done >&2; exit 4"});
  EXPECT_TRUE(program.write(bytes));
  EXPECT_TRUE(program.write(std::span(bytes).first(5)));
  const ProgramResult result = program.finish();
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.output, "3000006\ndone\n");
}

TEST(RunProgram, AFedProgramThatStopsReadingIsNoticedWithoutASignal) {
  const std::vector<std::byte> bytes(10'000'000);
  FedProgram program({"sh", "-c", "echo enough >&2; exit 1"});
  EXPECT_FALSE(program.write(bytes));
  const ProgramResult result = program.finish();
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.output, "enough\n");
  EXPECT_THROW(FedProgram({"/no/such/program"}), Error);
}

// Otherwise the test would run for 1000 seconds.
TEST(RunProgram, AFedProgramThatIsGivenUpIsEnded) {
  FedProgram program({"sleep", "1000"});
  EXPECT_TRUE(program.write(std::vector<std::byte>(100)));
}

TEST(RunProgram, ProgramsAreFoundInPath) {
  const auto shell = program_in_path("sh");
  ASSERT_TRUE(shell);
  EXPECT_EQ(run_program({shell->string(), "-c", "exit 5"}).status, 5);
  EXPECT_FALSE(program_in_path("no-such-program"));
}

// Each test runs in a process of its own, because an interrupted process stays interrupted.

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
