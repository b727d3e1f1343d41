// Tests tables of voxel keys with 2^31 keys. The arithmetic of their sizes, slots and buckets is always
// tested. Whole tables are tested if VOX_TEST_MANY_KEYS gives the number of keys, on a machine with enough
// memory:
//
//   VOX_TEST_MANY_KEYS=2147483648 VOX_TEST_DEVICE=cuda vox_test_hash --gtest_filter='ManyKeys/*'
//
// This takes 70 GB of a GPU's memory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "libvox/hash/keyed/cuckoo2009.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/adversarial_keys.h"
#include "tests/hash/keyed/any_key_table.h"

namespace vox {
namespace {

constexpr uint64_t kMany = uint64_t{1} << 31;
constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;

TEST(ManyKeys, HaveAsManySlotsAsTheLoadFactorSays) {
  for (const double load_factor : {0.6, 0.8, 1.0}) {
    const double slots = static_cast<double>(kMany) / load_factor;
    for (uint32_t attempt = 1; attempt <= 8; ++attempt)
      EXPECT_NEAR(static_cast<double>(hash::slots_for(kMany, load_factor, attempt)), slots, 1000);
    for (const uint32_t line_cells : {16u, 32u})
      EXPECT_NEAR(static_cast<double>(hash::lines_of(kMany, load_factor, line_cells)) * line_cells, slots,
                  20000);
  }
}

// Expects that keys have places and buckets in all parts of the table, including the last one.
template <class PlaceOf>
void expect_spread(uint64_t places, const PlaceOf& place_of) {
  std::set<uint64_t> parts;
  for (uint64_t i = 0; i < 20000; ++i) {
    const uint64_t place = place_of(i * kOdd);
    ASSERT_LT(place, places);
    parts.insert(place * 256 / places);
  }
  EXPECT_EQ(parts.size(), 256u);
}

TEST(ManyKeys, ArePlacedInTheWholeTable) {
  const uint64_t seed = hash::attempt_seed({}, 1), slots = hash::slots_for(kMany, 0.8, 1);
  const hash::CoherentProbes coherent(slots, seed);
  const hash::RandomProbes random(slots, seed);
  for (const uint32_t age : {1u, 2u, 31u}) {
    expect_spread(slots, [&](uint64_t key) { return coherent.place(coherent.start(key), age); });
    expect_spread(slots, [&](uint64_t key) { return random.place(random.start(key), age); });
  }
  const auto lines = static_cast<uint32_t>(hash::lines_of(kMany, 0.8, 16));
  const hash::LinesRef<uint64_t> in_lines = {nullptr, seed, lines, 64, {}};
  expect_spread(2 * lines, [&](uint64_t key) { return in_lines.walk(key).bucket(); });
  expect_spread(2 * lines, [&](uint64_t key) {
    auto walk = in_lines.walk(key);
    for (int turn = 0; turn < 63; ++turn) walk.advance(lines);
    return walk.bucket();
  });
  const auto size = static_cast<uint32_t>(static_cast<double>(kMany) / 0.8);
  const auto cuckoo = hash::Cuckoo2011Ref<uint64_t>::with_seed(nullptr, size, {}, seed);
  for (uint32_t f = 0; f < cuckoo.kFunctions; ++f)
    expect_spread(size, [&](uint64_t key) { return cuckoo.slot(key, f); });
  const uint32_t sub_table = size / 16 / 4;
  const hash::CuckooBucketsRef<uint64_t> in_buckets = {nullptr, nullptr, sub_table, seed, {}};
  expect_spread(4 * sub_table, [&](uint64_t key) { return in_buckets.buckets(key).first; });
  expect_spread(4 * sub_table, [&](uint64_t key) { return in_buckets.buckets(key).second; });
  const hash::SlabSetRef<uint64_t> in_slabs = {nullptr, nullptr, 1u << 27, seed, {}};
  expect_spread(1u << 27, [&](uint64_t key) { return in_slabs.first_slab(key); });
}

TEST(ManyKeys, ArePlacedInAllBucketsOfTheTableOf2009) {
  const auto buckets = static_cast<uint32_t>(kMany / 409);
  for (const uint32_t attempt : {1u, 2u}) {
    const hash::Cuckoo2009Ref<uint64_t> ref = {
        nullptr, nullptr, hash::Modulus::of(buckets), attempt, hash::attempt_seed({}, attempt), {}};
    expect_spread(buckets, [&](uint64_t key) { return ref.bucket(key); });
    EXPECT_EQ(ref.slot(buckets - 1, 2, 191), uint64_t{buckets} * 576 - 1);
    EXPECT_EQ(ref.slot(0, 1, 0), uint64_t{buckets} * 192);
  }
}

// If hashes were cut to 32 bits, four keys with the same hash would compete for three cells. Among 2^31 keys
// a few million do share such a hash.
TEST(ManyKeys, OfWhichTheHalvesOfHashesAreEqualAreBuiltAtTheFirstAttempt) {
  const auto engine = test_engine();
  const uint64_t seed = hash::attempt_seed({}, 1);
  std::vector<uint64_t> keys;
  for (uint32_t i = 0; i < 500; ++i)
    for (uint32_t j = 0; j < 8; ++j) keys.push_back(unmixed((mix64(i) << 32) + mix32(8 * i + j)) ^ seed);
  const auto table = make_any_key_table<uint64_t>(engine->handle(), {.table = "cuckoo2009"});
  const auto build = table->build(keys);
  EXPECT_EQ(build.keys, keys.size());
  EXPECT_EQ(build.attempts, 1u);
  EXPECT_EQ(build.restarts, 0u);
}

class ManyKeysOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(ManyKeys, ManyKeysOf, testing::Values("lines", "robin", "sorted"),
                         [](const auto& info) { return info.param; });

TEST_P(ManyKeysOf, AreAllFound) {
  const char* many = std::getenv("VOX_TEST_MANY_KEYS");
  const uint64_t n = many != nullptr ? std::strtoull(many, nullptr, 10) : 100000;
  const auto engine = test_engine();
  const auto table = make_any_key_table<uint64_t>(engine->handle(), {.table = GetParam()});
  EXPECT_EQ(table->build_multiples(n, kOdd).keys, n);
  EXPECT_EQ(table->count_multiples(0, n, kOdd), n);
  EXPECT_EQ(table->count_multiples(n, 100000, kOdd), 0u);
}

}  // namespace
}  // namespace vox
