// Tests ranks that are threads: the data that they exchange, and that none waits for one that has failed. The
// thread sanitizer selects these tests by their names.
#include "libvox/ranks/thread_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "libvox/base/error.h"
#include "libvox/ranks/any_memory.h"

namespace vox::ranks {
namespace {

// Returns the message from rank `from` to rank `to`, whose words are all different.
std::vector<uint32_t> message(uint32_t from, uint32_t to) {
  std::vector<uint32_t> words((from * 7 + to * 3) % 5 * 100);
  std::iota(words.begin(), words.end(), from * 100000 + to * 1000);
  return words;
}

TEST(ThreadRanks, ExchangeBringsEachPieceToItsRank) {
  for (const uint32_t count : {1u, 2u, 3u, 5u, 9u})
    run_thread_ranks(count, [&](Ranks& ranks) {
      ASSERT_EQ(ranks.count(), count);
      uint64_t sent = 0, received = 0;
      for (int round = 0; round < 3; ++round) {
        std::vector<uint32_t> send, expected;
        std::vector<uint64_t> send_sizes, receive_sizes;
        for (uint32_t other = 0; other < count; ++other) {
          const std::vector<uint32_t> to = message(ranks.rank(), other), from = message(other, ranks.rank());
          send.insert(send.end(), to.begin(), to.end());
          expected.insert(expected.end(), from.begin(), from.end());
          send_sizes.push_back(to.size() * 4);
          receive_sizes.push_back(from.size() * 4);
          if (other != ranks.rank()) sent += to.size() * 4, received += from.size() * 4;
        }
        std::vector<uint32_t> result(expected.size());
        ranks.exchange(send.data(), send_sizes, result.data(), receive_sizes);
        EXPECT_EQ(result, expected);
      }
      EXPECT_EQ(ranks.traffic().sent, sent);
      EXPECT_EQ(ranks.traffic().received, received);
    });
}

TEST(ThreadRanks, GatherAndBroadcastReachAll) {
  run_thread_ranks(4, [](Ranks& ranks) {
    for (uint64_t round = 0; round < 50; ++round) {
      EXPECT_EQ(ranks.gather(round * 10 + ranks.rank()),
                (std::vector<uint64_t>{round * 10, round * 10 + 1, round * 10 + 2, round * 10 + 3}));
      std::vector<uint64_t> bytes(1000, ranks.rank() == 0 ? round : 99);
      ranks.broadcast(bytes.data(), bytes.size() * 8);
      EXPECT_EQ(std::ranges::count(bytes, round), 1000);
    }
  });
}

TEST(ThreadRanks, EveryNumberIsTakenOnceAndRestartBeginsAnew) {
  for (int round = 0; round < 2; ++round) {
    std::array<std::atomic<int>, 300> taken = {};
    run_thread_ranks(3, [&](Ranks& ranks) {
      for (int i = 0; i < 2; ++i) {
        ranks.restart();
        for (uint64_t number = ranks.take(); number < 300; number = ranks.take()) ++taken[number];
      }
    });
    EXPECT_TRUE(std::ranges::all_of(taken, [](const auto& times) { return times == 2; }));
  }
}

TEST(ThreadRanks, ARankThatThrowsEndsTheOthersAndItsErrorIsThrown) {
  for (const uint32_t bad : {0u, 1u, 2u}) {
    std::atomic<int> ended = 0;
    try {
      run_thread_ranks(3, [&](Ranks& ranks) {
        struct CountEnd {
          std::atomic<int>& ended;
          ~CountEnd() { ++ended; }
        } const at_end{ended};
        for (uint32_t round = 0;; ++round) {
          if (ranks.rank() == bad && round == 10) throw Error("no more");
          ranks.gather(round);
        }
      });
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "no more");
    }
    EXPECT_EQ(ended, 3);
  }
}

TEST(ThreadRanks, SizesThatDoNotAgreeAreAnError) {
  EXPECT_THROW(
      run_thread_ranks(2,
                       [](Ranks& ranks) {
                         std::vector<char> bytes(64);
                         const std::vector<uint64_t> send = {8, 8}, receive = {8, 8 + 8 * ranks.rank()};
                         ranks.exchange(bytes.data(), send, bytes.data() + 16, receive);
                       }),
      Error);
}

TEST(AnyMemory, CopiesOfAllSizesOnTheHost) {
  for (const size_t size : {0u, 1u, 1000u, (1u << 20) - 1, (3u << 20) + 5}) {
    std::vector<uint8_t> from(size), to(size + 1, 77);
    std::iota(from.begin(), from.end(), uint8_t{3});
    EXPECT_FALSE(is_device_memory(from.data()));
    copy_any(to.data(), from.data(), size);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin()));
    EXPECT_EQ(to.back(), 77);
  }
}

}  // namespace
}  // namespace vox::ranks
