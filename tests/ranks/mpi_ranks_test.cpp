// Tests ranks that are MPI processes. The data that they exchange follow from a formula of sender and
// receiver.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "tests/ranks/on_mpi_ranks.h"

namespace vox::ranks {
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
      for (uint64_t number = ranks.take(); number < limit; number = ranks.take()) {
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
      ranks.take();
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

}  // namespace
}  // namespace vox::ranks
