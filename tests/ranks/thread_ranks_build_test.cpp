// Scenes that threads build together, small enough for the thread sanitizer, for which the names are made.
#include <gtest/gtest.h>

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

TEST(ThreadRanksBuild, ARankWithoutMemoryEndsAll) {
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(make_engine({.device = test_device(), .memory_limit = uint64_t{4} << 30}));
  engines.push_back(make_engine({.device = test_device(), .memory_limit = 1 << 20}));
  GroupEngine engine(std::move(engines));
  EXPECT_THROW(build(engine, textured_sphere(300, 6, 23), 300), Error);
}

}  // namespace
}  // namespace vox
