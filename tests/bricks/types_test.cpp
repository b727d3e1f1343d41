// Compares every type of brick with the voxels from which it was built, and tests which bricks are made dense for
// speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/bricks/bodies.h"
#include "libvox/bricks/bricks_ref.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

// A brick in Morton order, with the counts of its content.
template <class T>
struct TestBrick {
  bricks::BrickShape shape;
  std::vector<T> words;
  std::vector<uint64_t> masks;
  bricks::BrickCounts counts;

  TestBrick(bricks::BrickShape brick_shape, std::vector<T> brick_words)
      : shape(brick_shape), words(std::move(brick_words)), masks(shape.blocks()) {
    for (uint32_t code = 0; code < shape.voxels(); ++code)
      masks[code >> 6] |= uint64_t{words[code] != 0} << (code & 63);
    bricks::CountBrick<T>{words.data(), masks.data(), shape, &counts}(0);
  }
  T at(Int3 v) const { return words[morton_encode(uint32_t(v.x), uint32_t(v.y), uint32_t(v.z))]; }
};

// Returns bricks of different densities and numbers of values; the first one is empty.
template <class T>
std::vector<TestBrick<T>> bricks_of(bricks::BrickShape shape) {
  std::vector<TestBrick<T>> bricks;
  Random random(shape.log2_side);
  const uint32_t n = shape.voxels();
  bricks.push_back({shape, std::vector<T>(n)});
  bricks.push_back({shape, std::vector<T>(n, T(200))});
  for (const uint32_t filled : {1u, 2u, n / 30, n / 7, n / 2, n - 1, n})
    for (const uint32_t values : {1u, 2u, 5u, 130u, 255u, 100000u}) {
      std::vector<T> words(n);
      for (uint32_t i = 0; i < n; ++i)
        if (random.below(n) < filled) words[i] = static_cast<T>(1 + random.below(values));
      bricks.push_back({shape, std::move(words)});
    }
  std::vector<T> corner(n);  // filled in one corner, like bricks at a volume's border
  for (uint32_t i = 0; i < n / 8; ++i) corner[i] = static_cast<T>(i + 1);
  bricks.push_back({shape, std::move(corner)});
  return bricks;
}

// Calls f<T, Type>(brick, its words) for every brick that the type can hold.
template <class T, class F>
void each_built(const F& f) {
  for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMostTriedLog2; ++log2_side)
    for (const TestBrick<T>& brick : bricks_of<T>({log2_side}))
      bricks::BrickTypes::each([&]<class Type>(uint32_t) {
        const uint32_t bytes = Type::template bytes<T>(brick.counts, brick.shape);
        EXPECT_TRUE(bytes != bricks::kNever || !Type::kHoldsAll) << Type::kName;
        if (bytes == bricks::kNever) return;
        ASSERT_EQ(bytes % 4, 0u) << Type::kName;
        constexpr uint32_t kGuard = 0xabadcafe;
        std::vector<uint32_t> built(bytes / 4 + 1);
        built.back() = kGuard;
        Type::template build<T>({brick.words.data(), brick.masks.data()}, brick.counts, brick.shape,
                                built.data());
        ASSERT_EQ(built.back(), kGuard) << Type::kName;
        built.pop_back();
        f.template operator()<Type>(brick, built);
      });
}

template <class T>
class BrickTypesOf : public testing::Test {};
using WordTypes = testing::Types<uint8_t, uint16_t, uint32_t>;
TYPED_TEST_SUITE(BrickTypesOf, WordTypes);

TYPED_TEST(BrickTypesOf, GiveEveryVoxelBack) {
  using T = TypeParam;
  each_built<T>([]<class Type>(const TestBrick<T>& brick, const std::vector<uint32_t>& built) {
    for (uint32_t code = 0; code < brick.shape.voxels(); ++code)
      ASSERT_EQ(Type::template get<T>(built.data(), brick.shape, morton_decode(code)), brick.words[code])
          << Type::kName << ' ' << code << " of " << brick.shape.side();
  });
}

TYPED_TEST(BrickTypesOf, GiveRowsOfNeighborsBack) {
  using T = TypeParam;
  Random random(5);
  each_built<T>([&]<class Type>(const TestBrick<T>& brick, const std::vector<uint32_t>& built) {
    const uint32_t side = brick.shape.side();
    std::vector<T> row(side + 1);
    for (int i = 0; i < 50; ++i) {
      const Int3 at = {int32_t(random.below(side)), int32_t(random.below(side)), int32_t(random.below(side))};
      const uint32_t count = random.below(side - uint32_t(at.x)) + 1;
      row[count] = 99;
      Type::template neighbors<T>(built.data(), brick.shape, at, count, row.data());
      for (uint32_t k = 0; k < count; ++k)
        ASSERT_EQ(row[k], brick.at(at + Int3{int32_t(k), 0, 0})) << Type::kName;
      ASSERT_EQ(row[count], 99) << Type::kName;
    }
  });
}

TYPED_TEST(BrickTypesOf, GiveCubesBack) {
  using T = TypeParam;
  Random random(8);
  each_built<T>([&]<class Type>(const TestBrick<T>& brick, const std::vector<uint32_t>& built) {
    const uint32_t most = brick.shape.side() - 1;
    for (int i = 0; i < 50; ++i) {
      const Int3 at = {int32_t(random.below(most)), int32_t(random.below(most)), int32_t(random.below(most))};
      std::array<T, 9> words;
      words[8] = 99;
      Type::template cube<T>(built.data(), brick.shape, at, words.data());
      for (int32_t k = 0; k < 8; ++k)
        ASSERT_EQ(words[size_t(k)], brick.at(at + Int3{k & 1, k >> 1 & 1, k >> 2}))
            << Type::kName << ' ' << k;
      ASSERT_EQ(words[8], 99) << Type::kName;
    }
  });
}

TYPED_TEST(BrickTypesOf, FitIntoTheirOwnWordsAndNoLess) {
  using T = TypeParam;
  each_built<T>([]<class Type>(const TestBrick<T>& brick, const std::vector<uint32_t>& built) {
    ASSERT_TRUE(Type::template fits<T>(built.data(), built.size(), brick.shape)) << Type::kName;
    if (built.empty()) return;
    const std::vector<uint32_t> cut(built.begin(), built.end() - 1);  // a copy, to catch reads beyond it
    ASSERT_FALSE(Type::template fits<T>(cut.data(), cut.size(), brick.shape)) << Type::kName;
  });
}

// If damaged words fit, access must not leave them. The sanitizer checks this.
TYPED_TEST(BrickTypesOf, AccessStaysInsideOfDamagedBricksThatFit) {
  using T = TypeParam;
  Random random(6);
  each_built<T>([&]<class Type>(const TestBrick<T>& brick, const std::vector<uint32_t>& built) {
    if (built.empty() || brick.shape.log2_side > 4) return;
    for (int i = 0; i < 4; ++i) {
      std::vector<uint32_t> damaged = built;
      const uint32_t words = std::min<uint32_t>(uint32_t(built.size()), i % 2 == 0 ? 4u : UINT32_MAX);
      damaged[random.below(words)] ^= 1u << random.below(32);
      if (!Type::template fits<T>(damaged.data(), damaged.size(), brick.shape)) continue;
      T sum = 0;
      for (uint32_t code = 0; code < brick.shape.voxels(); ++code)
        sum = T(sum + Type::template get<T>(damaged.data(), brick.shape, morton_decode(code)));
      testing::Test::RecordProperty("sum", int(sum));
    }
  });
}

// The layouts of large bricks have wider counts and pointers.
template <class T>
void expect_large_brick(uint32_t log2_side) {
  const bricks::BrickShape shape = {log2_side};
  Random random(log2_side);
  std::vector<T> words(shape.voxels());
  for (int i = 0; i < 3000; ++i) words[random.below(shape.voxels())] = static_cast<T>(1 + random.below(200));
  // More filled blocks than 16 bits count, in bricks that have so many.
  for (uint32_t block = 0; block < std::min(shape.blocks(), 80000u); ++block)
    words[block << 6 | (block % 64)] = static_cast<T>(1 + block % 200);
  const TestBrick<T> brick(shape, std::move(words));
  bricks::BrickTypes::each([&]<class Type>(uint32_t) {
    const uint32_t bytes = Type::template bytes<T>(brick.counts, shape);
    EXPECT_TRUE(bytes != bricks::kNever || !Type::kHoldsAll) << Type::kName;
    if (bytes == bricks::kNever) return;
    std::vector<uint32_t> built(bytes / 4);
    Type::template build<T>({brick.words.data(), brick.masks.data()}, brick.counts, shape, built.data());
    EXPECT_TRUE(Type::template fits<T>(built.data(), built.size(), shape)) << Type::kName;
    for (int i = 0; i < 20000; ++i) {
      const uint32_t code = i % 2 == 0 ? random.below(shape.voxels())
                                       : random.below(std::min(shape.blocks(), 80000u)) << 6 | (i % 64);
      ASSERT_EQ(Type::template get<T>(built.data(), shape, morton_decode(code)), brick.words[code])
          << Type::kName << ' ' << code << " of " << shape.side();
    }
  });
}

TEST(LargeBricks, GiveEveryVoxelBack) {
  for (const uint32_t log2_side : {7u, 8u}) {
    expect_large_brick<uint8_t>(log2_side);
    expect_large_brick<uint32_t>(log2_side);
  }
  expect_large_brick<uint8_t>(9);
}

TEST(BrickCounts, AreThoseOfABruteForceCount) {
  Random random(7);
  for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMostTriedLog2; ++log2_side)
    for (const TestBrick<uint16_t>& brick : bricks_of<uint16_t>({log2_side})) {
      auto filled_cubes = [&](uint32_t log2_cube) {
        std::vector<bool> filled(brick.shape.voxels() >> 3 * log2_cube);
        for (uint32_t code = 0; code < brick.shape.voxels(); ++code)
          if (brick.words[code] != 0) filled[code >> 3 * log2_cube] = true;
        return uint32_t(std::count(filled.begin(), filled.end(), true));
      };
      uint32_t inner = 0;
      for (uint32_t level = 2; level <= log2_side; ++level) inner += filled_cubes(level);
      std::vector<uint16_t> values = brick.words;
      std::sort(values.begin(), values.end());
      const auto distinct = uint32_t(std::unique(values.begin(), values.end()) - values.begin());
      EXPECT_EQ(brick.counts.voxels, filled_cubes(0));
      EXPECT_EQ(brick.counts.pairs, filled_cubes(1));
      EXPECT_EQ(brick.counts.blocks, filled_cubes(2));
      EXPECT_EQ(brick.counts.inner, inner);
      EXPECT_EQ(brick.counts.values, std::min(distinct, bricks::kMaxPalette + 1));
    }
}

// Tests which bricks are made dense for speed.

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
