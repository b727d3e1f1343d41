// Builds scenes on several threads. They are small enough for the thread sanitizer, which selects tests by
// their names.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "libvox/base/error.h"
#include "tests/dag/same_dag.h"
#include "tests/ranks/rank_engines.h"
#include "tests/voxelize/textured.h"

namespace vox {
namespace {

TEST(ThreadRanksBuild, TwoAndThreeRanksMakeWhatOneDeviceMakes) {
  const Soup soup = textured_sphere(300, 6, 21);
  const dag::FrozenDag one = build(*test_engine(), soup, 300).dag;
  for (const uint32_t ranks : {2u, 3u}) {
    GroupEngine engine = rank_engines(ranks);
    expect_equal(one, build(engine, soup, 300).dag);
  }
}

TEST(ThreadRanksBuild, SeveralRoundsAndTinyExchangesAreTheSame) {
  const Soup soup = bumpy_sphere({40, 40, 40}, 30, 5, 0.2, 22);
  const dag::FrozenDag one = build(*test_engine(), soup, 520).dag;
  GroupEngine engine = rank_engines(2);
  expect_equal(one, build(engine, soup, 520, {.chunk_pairs = 500}).dag);
}

// Keeps rounds in memory, and ends the build after a number of them.
class MemoryKeeper final : public ranks::RoundKeeper {
 public:
  ranks::KeptBuild begin(uint32_t) override {
    ranks::KeptBuild build = {.pieces = 9, .rounds = {}};
    for (const auto& [pieces, round] : rounds_) build.rounds.push_back(pieces);
    return build;
  }
  rounds::Round load(const ranks::Pieces& pieces, const rounds::RoundForm& form) override {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(rounds::holds_together(rounds_.at(pieces), form));
    return copied(rounds_.at(pieces));
  }
  void keep(const rounds::Round& round, const ranks::Pieces& pieces) override {
    const std::lock_guard lock(mutex_);
    if (left-- <= 0) throw Error("ended");
    rounds_.emplace(pieces, copied(round));
  }
  double seconds() const override { return 0; }

  int left = 0;

 private:
  template <class T>
  static rounds::SpilledArray<T> copied(const rounds::SpilledArray<T>& from) {
    rounds::SpilledArray<T> to(rounds::SpillPlace(), from.size());
    std::ranges::copy(from.values(), to.append(from.size()).data());
    return to;
  }
  static rounds::Round copied(const rounds::Round& from) {
    rounds::Round to = {
        .level = from.level, .roots = from.roots, .levels = {}, .states = from.states, .result = from.result};
    for (const rounds::RoundLevel& level : from.levels)
      to.levels.push_back({.words = copied(level.words), .sizes = copied(level.sizes)});
    return to;
  }

  std::mutex mutex_;
  std::map<ranks::Pieces, rounds::Round> rounds_;
};

void expect_kept(const Soup& soup, const voxelize::BuildOptions& options) {
  const dag::FrozenDag one = build(*test_engine(), soup, 600, options).dag;
  MemoryKeeper keeper;
  dag::FrozenDag result;
  const auto built = [&](uint32_t ranks, int rounds) {
    keeper.left = rounds;
    rank_engines(ranks).build_shares(soup.scene, soup.indexed, unit_grid(600), options, &keeper,
                                     [&](ranks::Ranks& own, ranks::SceneShare share) {
                                       auto joined = ranks::joined(own, std::move(share));
                                       if (own.rank() == 0) result = std::move(joined.dag);
                                     });
  };
  EXPECT_THROW(built(3, 0), Error);
  EXPECT_THROW(built(3, 2), Error);
  EXPECT_THROW(built(1, 3), Error);
  built(2, 4);  // all the rest
  expect_equal(one, result);
  built(5, 0);  // nothing is left to build
  expect_equal(one, result);
}

TEST(ThreadRanksBuild, WhatIsKeptIsNotBuiltAgainAndMakesTheSame) {
  expect_kept(textured_sphere(600, 6, 24), {});
}

// No triangle meets the chunk cell in the middle. It is filled by the rays that pass the neighbouring cells.
TEST(ThreadRanksBuild, KeptRoundsOfSolidScenesMakeTheSame) {
  expect_kept(cube(20.2, 590.9), {.solid = true});
}

TEST(ThreadRanksBuild, ADeviceThatIsTooSmallForWhatIsKeptIsAnErrorThatSaysWhatHelps) {
  const Soup soup = textured_sphere(600, 6, 25);
  MemoryKeeper keeper;
  keeper.left = 4;
  const auto built = [&](uint64_t limit) {
    std::vector<std::unique_ptr<Engine>> engines;
    engines.push_back(make_engine({.device = test_device(), .memory_limit = limit}));
    GroupEngine(std::move(engines))
        .build_shares(soup.scene, soup.indexed, unit_grid(600), {}, &keeper,
                      [](ranks::Ranks&, const ranks::SceneShare&) {});
  };
  EXPECT_THROW(built(uint64_t{4} << 30), Error);
  for (const uint64_t mebibytes : {4u, 14u}) {
    std::string problem = "none";
    try {
      built(mebibytes << 20);
    } catch (const OutOfMemory& error) {
      problem = error.what();
    }
    EXPECT_NE(problem.find("a device with as much memory as the one that kept"), std::string::npos)
        << problem;
  }
}

TEST(ThreadRanksBuild, ARankWithoutMemoryEndsAll) {
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(make_engine({.device = test_device(), .memory_limit = uint64_t{4} << 30}));
  engines.push_back(make_engine({.device = test_device(), .memory_limit = 1 << 20}));
  GroupEngine engine(std::move(engines));
  EXPECT_THROW(build(engine, textured_sphere(300, 6, 23), 300), Error);
}

}  // namespace
}  // namespace vox
