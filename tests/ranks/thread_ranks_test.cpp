// Tests ranks that are threads: the data that they exchange, and that none waits for one that has failed. The
// thread sanitizer selects these tests by their names.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <string>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/ranks/ranks.h"
#include "tests/dag/dense_dag.h"
#include "tests/ranks/rank_engines.h"
#include "tests/voxelize/soup.h"

namespace {

// If it is not 0, the last of so many requests of this thread for memory fails.
thread_local uint32_t requests_left = 0;

}  // namespace

// The compiler must see a pair of allocation and deallocation, and not malloc() and free().
[[gnu::noinline]] void* operator new(size_t bytes) {
  if (requests_left > 0 && --requests_left == 0) throw std::bad_alloc();
  if (void* const at = std::malloc(std::max<size_t>(bytes, 1))) return at;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* at) noexcept {
  std::free(at);
}
[[gnu::noinline]] void operator delete(void* at, size_t) noexcept {
  std::free(at);
}

namespace vox::ranks {
namespace {

// Returns the message from rank `from` to rank `to`, whose words are all different.
std::vector<uint32_t> message(uint32_t from, uint32_t to) {
  std::vector<uint32_t> words((from * 7 + to * 3 + 1) % 5 * 100);  // some to itself, some empty
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

// The longest list is sent in several pieces, and one rank has nothing.
TEST(ThreadRanks, EachGetsTheItemsOfAll) {
  const auto items_of = [](uint32_t rank) {
    std::vector<uint64_t> items(rank == 1 ? 0 : rank == 2 ? 2500000 : 10 + rank);
    std::iota(items.begin(), items.end(), uint64_t{rank} << 40);
    return items;
  };
  for (const uint32_t count : {1u, 2u, 4u})
    run_thread_ranks(count, [&](Ranks& ranks) {
      std::vector<uint64_t> expected;
      for (uint32_t rank = 0; rank < count; ++rank) {
        const std::vector<uint64_t> items = items_of(rank);
        expected.insert(expected.end(), items.begin(), items.end());
      }
      EXPECT_TRUE(brought_to_all(ranks, items_of(ranks.rank())) == expected);
    });
}

TEST(ThreadRanks, SharesFollowEachOtherAndDifferByOne) {
  for (const uint32_t count : {1u, 3u, 7u})
    for (const uint64_t things : {uint64_t{0}, uint64_t{2}, uint64_t{100}, uint64_t{1} << 32})
      run_thread_ranks(count, [&](Ranks& ranks) {
        const Counts begins = share_begins(ranks, things), sizes = share_sizes(begins);
        EXPECT_EQ(begins.front(), 0u);
        EXPECT_EQ(begins.back(), things);
        EXPECT_EQ(sizes.size(), count);
        EXPECT_LE(std::ranges::max(sizes) - std::ranges::min(sizes), 1u);
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
        for (uint64_t number = ranks.take(1); number < 300; number = ranks.take(1)) ++taken[number];
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

// An engine's calls can be cancelled, whatever the number of its devices.
TEST(ThreadRanks, TheThreadsHaveTheCallersWatch) {
  const auto watch = std::make_shared<WorkWatch>();
  const std::shared_ptr<WorkWatch> before = set_work_watch(watch);
  std::atomic<uint32_t> watched = 0;
  run_thread_ranks(3, [&](Ranks&) { watched += work_watch() == watch ? 1 : 0; });
  watch->cancelled = true;
  EXPECT_THROW(run_thread_ranks(2, [](Ranks&) { throw_if_cancelled(); }), Cancelled);
  EXPECT_EQ(set_work_watch(before), watch);
  EXPECT_EQ(watched, 3u);
}

// Rank 0 fails first. Rank 1 notices it, again when it goes on nevertheless, and then fails in its own way.
TEST(ThreadRanks, OfSeveralErrorsTheFirstIsThrown) {
  try {
    run_thread_ranks(2, [](Ranks& ranks) {
      if (ranks.rank() == 0) throw Error("first");
      for (int i = 0; i < 3; ++i) EXPECT_THROW(ranks.gather(1), RankFailed);
      throw Error("second");
    });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

// The stacks of two threads fit into the address space, and that of the third does not.
TEST(ThreadRanks, AThreadThatCannotBeStartedEndsTheOthers) {
  constexpr rlim_t kStack = 256 << 20;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    pthread_attr_t attributes;
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kStack * 5 / 2;
    const rlimit limits = {.rlim_cur = limit, .rlim_max = limit};
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, kStack) != 0 ||
        pthread_setattr_default_np(&attributes) != 0 || setrlimit(RLIMIT_AS, &limits) != 0)
      _exit(2);
    try {
      run_thread_ranks(3, [](Ranks& ranks) { ranks.gather(1); });
    } catch (const Error& error) {
      _exit(std::string(error.what()).starts_with("a thread for rank 2 cannot be started") ? 0 : 1);
    }
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// Each request for memory of the thread that starts the others fails once.
TEST(ThreadRanks, LackOfMemoryWhileThreadsAreStartedEndsTheOthers) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    uint32_t request = 0;
    for (bool fails = true; fails;) {
      requests_left = ++request;
      try {
        run_thread_ranks(3, [](Ranks& ranks) { ranks.gather(1); });
        fails = requests_left == 0;
      } catch (const std::bad_alloc&) {
      }
      requests_left = 0;
    }
    _exit(request > 4 ? 0 : 1);  // the list of threads and three threads need memory
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Launch, IsReadFromTheVariablesOfALauncherIfTheyMakeSense) {
  constexpr const char* kRank = "SLURM_PROCID";
  constexpr const char* kCount = "SLURM_STEP_NUM_TASKS";
  if (launch().count != 1 || std::getenv(kRank) != nullptr) GTEST_SKIP() << "started by a launcher";
  const auto read = [&](const char* rank, const char* count) {
    setenv(kRank, rank, 1);
    setenv(kCount, count, 1);
    const Launch found = launch();
    unsetenv(kRank);
    unsetenv(kCount);
    return std::pair(found.rank, found.count);
  };
  EXPECT_EQ(read("3", "4"), std::pair(3u, 4u));
  EXPECT_EQ(read("0", "1"), std::pair(0u, 1u));
  for (const auto& [rank, count] : {std::pair("4", "4"),
                                    {"0", "0"},
                                    {"1", "4x"},
                                    {"x", "4"},
                                    {"", "4"},
                                    {"-1", "4"},
                                    {"1", "9999999999"}})
    EXPECT_EQ(read(rank, count), std::pair(0u, 1u)) << rank << ' ' << count;
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

namespace vox {
namespace {

// Builds scenes on several threads. They are small enough for the thread sanitizer, which selects tests by
// their names.

TEST(ThreadRanksBuild, TwoAndThreeRanksMakeWhatOneDeviceMakes) {
  const Soup soup = textured_sphere(300, 6, 21);
  const dag::FrozenDag one = build_soup(*test_engine(), soup, 300).dag;
  for (const uint32_t ranks : {2u, 3u}) {
    Engine engine = rank_engines(ranks);
    expect_equal(one, build_soup(engine, soup, 300).dag);
  }
}

TEST(ThreadRanksBuild, SeveralRoundsAndTinyExchangesAreTheSame) {
  const Soup soup = bumpy_sphere({40, 40, 40}, 30, 5, 0.2, 22);
  const dag::FrozenDag one = build_soup(*test_engine(), soup, 520).dag;
  Engine engine = rank_engines(2);
  expect_equal(one, build_soup(engine, soup, 520, {.chunk_pairs = 500}).dag);
}

// Keeps rounds in memory, and ends the build after a number of them.
class MemoryKeeper final : public build::RoundKeeper {
 public:
  build::KeptBuild begin(uint32_t) override {
    build::KeptBuild build = {.pieces = 9, .rounds = {}};
    for (const auto& [pieces, round] : rounds_) build.rounds.push_back(pieces);
    return build;
  }
  build::Round load(const build::Pieces& pieces, const build::RoundForm& form) override {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(build::holds_together(rounds_.at(pieces), form));
    return copied(rounds_.at(pieces));
  }
  void keep(const build::Round& round, const build::Pieces& pieces) override {
    const std::lock_guard lock(mutex_);
    if (left-- <= 0) throw Error("ended");
    rounds_.emplace(pieces, copied(round));
  }
  double seconds() const override { return 0; }

  int left = 0;

 private:
  template <class T>
  static SpilledArray<T> copied(const SpilledArray<T>& from) {
    SpilledArray<T> to(SpillPlace(), from.size());
    std::ranges::copy(from.values(), to.append(from.size()).data());
    return to;
  }
  static build::Round copied(const build::Round& from) {
    build::Round to = {
        .level = from.level, .roots = from.roots, .levels = {}, .states = from.states, .result = from.result};
    for (const build::RoundLevel& level : from.levels)
      to.levels.push_back({.words = copied(level.words), .sizes = copied(level.sizes)});
    return to;
  }

  std::mutex mutex_;
  std::map<build::Pieces, build::Round> rounds_;
};

void expect_kept(const Soup& soup, const voxelize::BuildOptions& options) {
  const dag::FrozenDag one = build_soup(*test_engine(), soup, 600, options).dag;
  MemoryKeeper keeper;
  dag::FrozenDag result;
  const auto built = [&](uint32_t ranks, int rounds, const std::optional<build::SpillOptions>& spill = {}) {
    keeper.left = rounds;
    Engine engine = rank_engines(ranks);
    const build::BuildManner manner = {.spill = spill, .keeper = &keeper};
    result = built_in(engine, {soup.scene, soup.indexed, unit_grid(600), options}, manner).whole.dag;
  };
  const build::SpillOptions spill;
  EXPECT_THROW(built(3, 0), Error);
  EXPECT_THROW(built(3, 2), Error);
  EXPECT_THROW(built(2, 1, spill), Error);
  EXPECT_THROW(built(1, 2), Error);
  built(2, 4);  // all the rest
  expect_equal(one, result);
  for (const uint32_t ranks : {5, 10, 1}) {  // nothing is left to build, and 10 ranks are more than rounds
    built(ranks, 0);
    expect_equal(one, result);
    built(ranks, 0, spill);
    expect_equal(one, result);
  }
}

TEST(ThreadRanksBuild, WhatIsKeptIsNotBuiltAgainAndMakesTheSame) {
  expect_kept(textured_sphere(600, 6, 24), {});
}

// No triangle meets the chunk cell in the middle. It is filled by the rays that pass the neighboring cells.
TEST(ThreadRanksBuild, KeptRoundsOfSolidScenesMakeTheSame) {
  expect_kept(cube(20.2, 590.9), {.solid = true});
}

TEST(ThreadRanksBuild, ADeviceThatIsTooSmallForWhatIsKeptIsAnErrorThatSaysWhatHelps) {
  const Soup soup = textured_sphere(600, 6, 25);
  MemoryKeeper keeper;
  keeper.left = 4;
  const auto built = [&](uint64_t limit) {
    Engine engine = rank_engines(std::vector{limit});
    built_in(engine, {soup.scene, soup.indexed, unit_grid(600), {}}, {.keeper = &keeper});
  };
  EXPECT_THROW(built(uint64_t{4} << 30), Error);
  // Devices differ in how much they take for the same: from some limit on, the kept rounds fit, and the keeper ends.
  uint32_t refused = 0;
  for (uint64_t mebibytes = 4; mebibytes <= 14; mebibytes += 2) {
    try {
      built(mebibytes << 20);
      ADD_FAILURE() << "the keeper did not end the build";
    } catch (const OutOfMemory& error) {
      EXPECT_NE(std::string(error.what()).find("a device with as much memory as the one that built"),
                std::string::npos)
          << error.what();
      ++refused;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "ended");
      break;
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(ThreadRanksBuild, ARankWithoutMemoryEndsAll) {
  Engine engine = rank_engines({uint64_t{4} << 30, uint64_t{1} << 20});
  EXPECT_THROW(build_soup(engine, textured_sphere(300, 6, 23), 300), Error);
}

}  // namespace
}  // namespace vox
