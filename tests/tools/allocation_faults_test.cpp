// Each request of the tools for memory fails once, for every kind of output. The program says so and leaves what was
// there, or what it has written is whole; it never crashes.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "tests/common/random.h"
#include "tests/tools/faults.h"

namespace vox {
namespace {

constexpr uint64_t kMostRequests = 6;  // for each output
constexpr uint64_t kMostHdf5Requests = 60;

class AllocationFaultsTest : public FaultsTest {
 protected:
  Finished run_without(const std::string& resolution, uint64_t request,
                       const std::string& callers = "vox") const {
    std::map<std::string, std::string> environment = {{"VOX_FAIL_CALLERS", callers},
                                                      {"VOX_FAIL_COUNT", (folder_ / "requests").string()},
                                                      {"VOX_FAIL_AT", std::to_string(request)}};
#ifdef VOX_FAILING_MALLOC
    environment["LD_PRELOAD"] = std::string(VOX_FAILING_CALLS) + ":" + VOX_FAILING_MALLOC;
#endif
    return run(resolution, environment);
  }

  uint64_t requests_of_last_run() const {
    uint64_t requests = 0;
    std::ifstream(folder_ / "requests") >> requests;
    return requests;
  }
};

TEST_P(AllocationFaultsTest, LackOfMemoryIsAnErrorAndLeavesNothingHalfWritten) {
#ifdef VOX_FAILING_MALLOC
  if (!std::filesystem::exists(VOX_FAILING_MALLOC)) GTEST_SKIP() << "no " << VOX_FAILING_MALLOC;
#endif
  ASSERT_EQ(run("32", {}).code, 0);
  const std::map<std::string, std::string> old = outputs();
  ASSERT_EQ(run_without("64", 0).code, 0);
  const std::map<std::string, std::string> expected = outputs();
  const uint64_t requests = requests_of_last_run();
  uint64_t failures = 0;
  ASSERT_GT(requests, 100u);
  for (const uint64_t at : fault_numbers(requests, kMostRequests)) {
    restore(old);
    const Finished failed = run_without("64", at);
    const std::string what =
        fmt::format("request {} of {}: signal {}, {}", at, requests, failed.signal, failed.err);
    if (failed.code != 0) {
      ++failures;
      EXPECT_EQ(failed.code, kFailed) << what;
      EXPECT_TRUE(one_error(failed, "out of memory", GetParam().program)) << what;
    }
    EXPECT_EQ(leftovers(), std::vector<std::string>()) << what;
    for (const auto& [path, bytes] : outputs())  // several results of one command appear one after the other
      if (!old.contains(path) || old.at(path) != bytes) expect_whole_file(path, bytes, expected, what);
    if (HasFailure()) return;
  }
  EXPECT_GT(failures, 2u);
}

// HDF5 ends the program itself if some of its requests fail, and crashes after a few others.
class Hdf5FaultsTest : public AllocationFaultsTest {};

TEST_P(Hdf5FaultsTest, ALibraryThatEndsTheProgramForLackOfMemoryIsAnError) {
  ASSERT_EQ(run("32", {}).code, 0);
  const std::map<std::string, std::string> old = outputs();
  ASSERT_EQ(run_without("64", 0, "hdf5").code, 0);
  const uint64_t requests = requests_of_last_run();
  ASSERT_GT(requests, 1000u);
  uint64_t ended = 0;
  for (const uint64_t at : fault_numbers(requests, kMostHdf5Requests)) {
    restore(old);
    const Finished failed = run_without("64", at, "hdf5");
    const std::string what = fmt::format("request {} of {}: {}", at, requests, failed.err);
    if (failed.signal == 0 && failed.code != 0) {
      EXPECT_EQ(failed.code, kFailed) << what;
      EXPECT_TRUE(has(failed.err, GetParam().program + ": error: "))
          << what;  // behind words of HDF5, at times
    }
    ended += has(failed.err, "a library has ended the program");
    if (failed.signal == 0 && failed.code == 0)
      converted({"out/a.h5", "--verify", "-q"});  // HDF5 may have placed its parts otherwise
    else
      EXPECT_EQ(outputs(), old) << what;
  }
  EXPECT_GT(ended, 0u);
}

INSTANTIATE_TEST_SUITE_P(AScene, Hdf5FaultsTest, testing::Values(faulty_outputs().front()),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(EveryKind, AllocationFaultsTest, testing::ValuesIn(sampled(faulty_outputs())),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vox
