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

class AllocationFaultsTest : public FaultsTest {
 protected:
  Finished run_without(const std::string& resolution, uint64_t request) const {
    std::map<std::string, std::string> environment = {{"VOX_FAIL_CALLERS", "vox"},
                                                      {"VOX_FAIL_COUNT", (folder_ / "requests").string()},
                                                      {"VOX_FAIL_AT", std::to_string(request)}};
#ifdef VOX_FAILING_MALLOC
    environment["LD_PRELOAD"] = std::string(VOX_FAILING_CALLS) + ":" + VOX_FAILING_MALLOC;
#endif
    return run(resolution, environment);
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
  uint64_t requests = 0, failures = 0;
  std::ifstream(folder_ / "requests") >> requests;
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

INSTANTIATE_TEST_SUITE_P(EveryKind, AllocationFaultsTest, testing::ValuesIn(sampled(faulty_outputs())),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace vox
