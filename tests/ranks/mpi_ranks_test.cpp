// Tests ranks that are MPI processes. The data that they exchange follow from a formula of sender and
// receiver.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/ranks/ranks.h"
#include "tests/common/test_engine.h"
#include "tests/common/test_process.h"
#include "tests/dag/dense_dag.h"
#include "tests/voxelize/soup.h"

namespace vox::ranks {

// Tests that run in several processes: each test starts its own program again by mpirun, for this test alone.

// Skips its tests if there is no MPI.
class MpirunTest : public testing::Test {
 protected:
  void SetUp() override;
};

struct Launched {
  int status = 0;      // the exit code of mpirun
  std::string output;  // the output of all processes
};

// Runs `body` in `count` processes. Inside these processes it returns nothing.
std::optional<Launched> launched(uint32_t count, const std::function<void(LaunchedRanks&)>& body);

// Does the same and expects that all processes succeed.
void with_mpirun(uint32_t count, const std::function<void(LaunchedRanks&)>& body);

namespace {

std::string this_test() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}.{}", test.test_suite_name(), test.name());
}

}  // namespace

std::optional<Launched> launched(uint32_t count, const std::function<void(LaunchedRanks&)>& body) {
  if (launch().count > 1) {
    body(*joined_ranks());
    return std::nullopt;
  }
  for (const char* of_all_tests : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) unsetenv(of_all_tests);
  std::vector<std::string> command = mpirun_command(count);
  command.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  command.push_back("--gtest_filter=" + this_test());
  const ProgramResult result = run_program(command);
  return Launched{result.status, result.output};
}

void with_mpirun(uint32_t count, const std::function<void(LaunchedRanks&)>& body) {
  if (const auto result = launched(count, body)) {
    EXPECT_EQ(result->status, 0) << result->output;
  }
}

void MpirunTest::SetUp() {
  if (launch().count == 1 && !have_mpirun()) GTEST_SKIP() << "no MPI";
}

namespace {

using MpiRanksTest = MpirunTest;

uint8_t byte_of(uint32_t from, uint32_t to, uint64_t i) {
  return static_cast<uint8_t>(from * 61 + to * 17 + i % 251 + (i >> 16));
}

// Sends byte sequences whose lengths are `size(from, to)`, and returns true if all have arrived.
template <class Size>
bool arrives(Ranks& ranks, const Size& size) {
  const uint32_t own = ranks.rank();
  std::vector<uint64_t> send_sizes, receive_sizes;
  std::vector<uint8_t> send, expected;
  for (uint32_t other = 0; other < ranks.count(); ++other) {
    send_sizes.push_back(size(own, other));
    receive_sizes.push_back(size(other, own));
    for (uint64_t i = 0; i < send_sizes.back(); ++i) send.push_back(byte_of(own, other, i));
    for (uint64_t i = 0; i < receive_sizes.back(); ++i) expected.push_back(byte_of(other, own, i));
  }
  std::vector<uint8_t> received(expected.size());
  ranks.exchange(send.data(), send_sizes, received.data(), receive_sizes);
  return received == expected;
}

TEST_F(MpiRanksTest, BytesOfAllSizesArriveInTheOrderOfRanks) {
  with_mpirun(3, [](LaunchedRanks& ranks) {
    ASSERT_EQ(ranks.count(), 3u);
    EXPECT_TRUE(arrives(ranks, [](uint32_t from, uint32_t to) { return from * 5 + to; }));
    EXPECT_TRUE(arrives(ranks, [](uint32_t, uint32_t) { return 0; }));
    EXPECT_TRUE(arrives(ranks, [](uint32_t from, uint32_t to) { return from == 1 && to == 0 ? 1 : 0; }));
    const Traffic before = ranks.traffic();
    // There are more pieces than can be under way at once, and nothing goes in the other direction.
    EXPECT_TRUE(arrives(ranks, [](uint32_t from, uint32_t to) { return from < to ? (36u << 20) + to : 0; }));
    const Traffic after = ranks.traffic();
    const uint64_t all = uint64_t{36} << 20;
    const uint64_t sent[] = {2 * all + 3, all + 2, 0}, received[] = {0, all + 1, 2 * all + 4};
    EXPECT_EQ(after.sent - before.sent, sent[ranks.rank()]);
    EXPECT_EQ(after.received - before.received, received[ranks.rank()]);
    EXPECT_GE(after.waited, before.waited);
  });
}

TEST_F(MpiRanksTest, EachHasTheValuesOfAllAndTheBytesOfTheFirst) {
  with_mpirun(3, [](LaunchedRanks& ranks) {
    EXPECT_EQ(ranks.gather(ranks.rank() + (uint64_t{1} << 40)),
              (std::vector<uint64_t>{1ull << 40, (1ull << 40) + 1, (1ull << 40) + 2}));
    std::vector<uint8_t> bytes(20 << 20);
    if (ranks.rank() == 0)
      for (uint64_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(0, 0, i);
    ranks.broadcast(bytes.data(), bytes.size());
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < bytes.size(); ++i) wrong += bytes[i] != byte_of(0, 0, i);
    EXPECT_EQ(wrong, 0u);
    ranks.broadcast(nullptr, 0);
  });
}

TEST_F(MpiRanksTest, EachNumberIsTakenOnce) {
  with_mpirun(3, [](LaunchedRanks& ranks) {
    for (uint64_t limit : {0, 500, 1}) {
      ranks.restart();
      uint64_t taken = 0, sum = 0;
      for (uint64_t number = ranks.take(1); number < limit; number = ranks.take(1)) {
        ++taken;
        sum += number;
      }
      uint64_t all_taken = 0, all_sums = 0;
      for (uint64_t value : ranks.gather(taken)) all_taken += value;
      for (uint64_t value : ranks.gather(sum)) all_sums += value;
      EXPECT_EQ(all_taken, limit);
      EXPECT_EQ(all_sums, limit == 0 ? 0 : limit * (limit - 1) / 2);
    }
  });
}

TEST_F(MpiRanksTest, OneOfThoseThatFailEndsAllWithItsExitCode) {
  const auto result = launched(3, [](LaunchedRanks& ranks) {
    cancel_on_interrupt();  // the launcher first asks processes to end
    try {
      if (ranks.rank() == 0) ranks.gather(0);
    } catch (const Cancelled&) {
    }
    if (ranks.first_to_fail()) std::fprintf(stderr, "rank %u is the first\n", ranks.rank());
    ranks.end_all(7);
  });
  if (!result) return;
  EXPECT_EQ(result->status, 7) << result->output;
  const std::string said = " is the first\n";
  const size_t first = result->output.find(said);
  ASSERT_NE(first, std::string::npos) << result->output;
  EXPECT_EQ(result->output.find(said, first + 1), std::string::npos) << result->output;
}

TEST_F(MpiRanksTest, WhoWaitsIsEndedWhenAnotherIsKilled) {
  const auto result = launched(2, [](LaunchedRanks& ranks) {
    cancel_on_interrupt();
    if (ranks.rank() == 1) kill(getpid(), SIGKILL);
    try {
      ranks.take(1);
      ranks.gather(0);
    } catch (const Cancelled&) {
      std::fprintf(stderr, "cancelled\n");
      ranks.end_all(3);
    }
  });
  if (!result) return;
  EXPECT_NE(result->status, 0);
  EXPECT_NE(result->output.find("cancelled"), std::string::npos) << result->output;
}

// Builds a scene in several MPI processes. The scene is small enough for the address sanitizer.

using MpiBuildTest = MpirunTest;

TEST_F(MpiBuildTest, TwoProcessesMakeWhatOneDeviceMakes) {
  with_mpirun(2, [](LaunchedRanks& ranks) {
    const Soup soup = textured_sphere(300, 6, 41);
    const auto engine = make_engine({.device = test_device(), .memory_limit = uint64_t{4} << 30});
    const voxelize::Grid grid = unit_grid(300);
    const voxelize::BuildOptions options = {};
    for (const bool spilled : {false, true}) {
      build::BuildManner manner;
      if (spilled) manner.spill.emplace();
      voxelize::BuildResult together;
      engine->build_shares({soup.scene, soup.indexed, grid, options}, manner, &ranks,
                           [&](Ranks& all, build::SceneShare share) {
                             EXPECT_EQ(share.figures.items_kept > 0, !spilled);
                             together = joined(all, std::move(share));
                           });
      if (ranks.rank() == 0) expect_equal(build_soup(*test_engine(), soup, 300).dag, together.dag);
    }
    ranks.gather(0);  // no process ends before all are done
  });
}

}  // namespace
}  // namespace vox::ranks
