// Tests which bricks are made dense for speed.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;

class TradeOff : public testing::Test {
 protected:
  bricks::FrozenBricks bricks_of(uint32_t types) const {
    return bricks::build_bricks(engine_->handle(), volume_, {.log2_side = 3, .types = types, .threshold = {}})
        .bricks;
  }
  static std::vector<std::byte> values(const bricks::FrozenBricks& bricks) {
    return all_values(bricks::bricks_volume(bricks));
  }

  std::unique_ptr<Engine> engine_ = test_engine();
  volume::Volume volume_ = mixed_volume({70, 45, 66}, volume::ValueType::U8, 1);
  bricks::FrozenBricks small_ = bricks_of(bricks::kAllBrickTypes),
                       fast_ = bricks_of(bricks::kBrickTypeSets[0].types);
};

// Four bricks: the second is dense already.
const bricks::BrickGains kGains = {.ticks = {10, 0, 30, 20},
                                   .ticks_saved = {9, 0, 3, -1},
                                   .more_bytes = {90, 0, 10, 50},
                                   .bytes = {10, 100, 90, 50}};

TEST_F(TradeOff, ReplacesAnyBricksAndKeepsEveryValue) {
  for (const uint32_t every : {1u, 2u, 3u, 100000u}) {
    std::vector<uint32_t> list;
    for (uint32_t brick = 0; brick < small_.bricks(); brick += every) list.push_back(brick);
    std::ranges::reverse(list);
    const bricks::FrozenBricks mixed = bricks::replaced(small_, fast_, list);
    bricks::check_structure(mixed);
    EXPECT_TRUE(values(mixed) == all_values(volume_)) << every;
    const bricks::BricksRef access = bricks::ref(mixed), before = bricks::ref(small_);
    for (uint32_t brick = 0; brick < small_.bricks(); ++brick)
      ASSERT_EQ(access.entry(brick).type,
                brick % every == 0 ? bricks::ref(fast_).entry(brick).type : before.entry(brick).type);
  }
}

TEST_F(TradeOff, ReplacingNoneOrAllGivesTheTwoEnds) {
  std::vector<uint32_t> all(small_.bricks());
  for (uint32_t brick = 0; brick < all.size(); ++brick) all[brick] = brick;
  const bricks::FrozenBricks none = bricks::replaced(small_, fast_, {}),
                             every = bricks::replaced(small_, fast_, all);
  EXPECT_EQ(none.root, small_.root);
  EXPECT_EQ(none.data, small_.data);
  EXPECT_EQ(none.counts, small_.counts);
  EXPECT_EQ(every.root, fast_.root);
  EXPECT_EQ(every.data, fast_.data);
  EXPECT_EQ(every.counts, fast_.counts);
}

TEST_F(TradeOff, MeasuresEveryBrickThatCouldBeReplaced) {
  const auto reader = bricks::make_bricks_reader(engine_->handle(), small_, {}),
             dense = bricks::make_bricks_reader(engine_->handle(), fast_, {});
  const bricks::BrickGains gains = bricks::measure_gains(small_, *reader, fast_, *dense, 1);
  uint64_t more = 0, bytes = 0;
  const bricks::BricksRef access = bricks::ref(small_);
  for (uint32_t brick = 0; brick < small_.bricks(); ++brick) {
    const uint32_t type = access.entry(brick).type;
    const bool stays = type == bricks::BrickTypes::kNumber<bricks::EmptyBrick> ||
                       type == bricks::BrickTypes::kNumber<bricks::DenseBrick>;
    EXPECT_EQ(gains.ticks[brick] > 0, !stays) << brick;
    more += gains.more_bytes[brick];
    bytes += gains.bytes[brick];
  }
  EXPECT_EQ(bytes + small_.root.size() * 4, small_.bytes());
  EXPECT_EQ(small_.bytes() + more, fast_.bytes());
}

TEST_F(TradeOff, EachStrategyHasItsOrder) {
  using List = std::vector<uint32_t>;
  EXPECT_EQ(bricks::replacement_order(kGains, bricks::Replacement::Slowest), (List{2, 3, 0}));
  EXPECT_EQ(bricks::replacement_order(kGains, bricks::Replacement::Gain), (List{0, 2, 3}));
  EXPECT_EQ(bricks::replacement_order(kGains, bricks::Replacement::Memory), (List{2, 3, 0}));
  EXPECT_EQ(bricks::replacement_order(kGains, bricks::Replacement::Slope), (List{2, 0, 3}));
  const List random = bricks::replacement_order(kGains, bricks::Replacement::Random);
  EXPECT_EQ(std::set<uint32_t>(random.begin(), random.end()), (std::set<uint32_t>{0, 2, 3}));
}

TEST_F(TradeOff, ReplacesWhatIsWorthIt) {
  using List = std::vector<uint32_t>;
  // Making all dense costs 150 bytes for 11 ticks, 13.6 a tick; for the single bricks it is 10, 3.3 and
  // never.
  EXPECT_EQ(bricks::worth_replacing(kGains, 0), List{});
  EXPECT_EQ(bricks::worth_replacing(kGains, 0.5), List{2});
  EXPECT_EQ(bricks::worth_replacing(kGains, 1), (List{2, 0}));
  EXPECT_EQ(bricks::worth_replacing(kGains, 1e9), (List{2, 0}));
}

}  // namespace
}  // namespace vox
