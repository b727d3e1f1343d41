// Each system call on a file fails once, and from then on, for every kind of output of every tool. The program says so
// and leaves what was there, or it ends with exit code 0 and its output is whole. Calls that are interrupted or do less
// than was asked for change nothing.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "tests/common/random.h"
#include "tests/tools/faults.h"

namespace vox {
namespace {

constexpr uint64_t kMostFaults = 24;  // for each output

class WriteFaultsTest : public FaultsTest {
 protected:
  // Runs the command with a fault and checks the files after it. Returns true if the command failed.
  bool fails_soundly(const std::map<std::string, std::string>& fault, const std::string& title) {
    restore(old_);
    const Finished failed = run("64", fault);
    const std::string count = read_bytes(folder_ / "count");
    const std::string what = title + " (" + count + ") ";
    if (failed.code == 0) {
      expect_whole(expected_, old_, what);
    } else {
      EXPECT_EQ(failed.code, kFailed) << what << failed.err << " signal " << failed.signal;
      EXPECT_TRUE(one_error(failed, "", GetParam().program)) << what;
      EXPECT_TRUE(names_a_file(failed)) << what << failed.err;
      if (outputs() != old_) {
        EXPECT_TRUE(has(failed.err, "is written, but") || GetParam().comes_early())
            << what << " changed the files; " << failed.err;
        expect_whole(expected_, old_, what);
      }
    }
    if (!leftovers().empty()) expect_later_cleanup(count, what);
    return failed.code != 0;
  }

  std::map<std::string, std::string> old_, expected_;

 private:
  // Files stay if the call that removes them failed, or the one that tells which file it is. The next run removes them.
  void expect_later_cleanup(const std::string& count, const std::string& what) const {
    constexpr std::array<std::string_view, 6> kMayLeave = {" unlink", " rmdir", " remove",
                                                           " openat", " lstat", " fstat"};
    EXPECT_TRUE(
        std::ranges::any_of(kMayLeave, [&](std::string_view call) { return has(count, std::string(call)); }))
        << what << leftovers().front();
    EXPECT_EQ(run("64", {}).code, 0) << what;
    EXPECT_EQ(leftovers(), std::vector<std::string>()) << what;
  }
};

TEST_P(WriteFaultsTest, AFailedCallIsAFailedCommand) {
  const Finished before = run("32", {});
  ASSERT_EQ(before.code, 0) << before.err;
  old_ = outputs();
  const Finished complete = run("64", {});
  ASSERT_EQ(complete.code, 0) << complete.err;
  expected_ = outputs();
  ASSERT_FALSE(expected_ == old_);
  const uint64_t writes = calls_of_last_run();
  ASSERT_GE(writes, 4u);
  restore(old_);
  ASSERT_EQ(run("64", {{"VOX_FAULT_READS", "1"}}).code, 0);
  const uint64_t calls = calls_of_last_run();
  ASSERT_GT(calls, writes);

  uint64_t failures = 0;
  for (const uint64_t at : fault_numbers(calls, kMostFaults)) {
    failures += fails_soundly({{"VOX_FAULT_READS", "1"}, {"VOX_FAULT_AT", std::to_string(at)}},
                              fmt::format("call {} of {}", at, calls));
    if (HasFailure()) return;
  }
  for (const uint64_t at : fault_numbers(writes, kMostFaults / 3)) {
    failures += fails_soundly({{"VOX_FAULT_KEEP", "1"}, {"VOX_FAULT_AT", std::to_string(at)}},
                              fmt::format("call {} of {} and all later ones", at, writes));
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 2u);
}

TEST_P(WriteFaultsTest, CallsThatAreInterruptedOrShortChangeNothing) {
  ASSERT_EQ(run("32", {}).code, 0);
  const std::map<std::string, std::string> old = outputs();
  ASSERT_EQ(run("64", {}).code, 0);
  const std::map<std::string, std::string> expected = outputs();
  for (const std::map<std::string, std::string>& environment :
       {std::map<std::string, std::string>{{"VOX_FAULT_SHORT", "1"}},
        {{"VOX_FAULT_INTERRUPT", "1"}},
        {{"VOX_FAULT_SHORT", "1"}, {"VOX_FAULT_INTERRUPT", "1"}}}) {
    restore(old);
    const Finished disturbed = run("64", environment);
    EXPECT_EQ(disturbed.code, 0) << environment.begin()->first << disturbed.err;
    expect_whole(expected, old, environment.begin()->first);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryKind, WriteFaultsTest, testing::ValuesIn(sampled(faulty_outputs())),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vox
