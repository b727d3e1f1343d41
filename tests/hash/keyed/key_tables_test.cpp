// Compares every variant of the tables of voxel keys with a map, on many kinds of sets of keys.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <unordered_map>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/hash/keyed/cuckoo2009.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/any_key_table.h"

namespace vox {
namespace {

using hash::kNoSlot;
using hash::kNoValue;

template <class Cell>
class KeyTables : public testing::TestWithParam<std::string> {
 protected:
  using Cells = std::vector<Cell>;
  using Map = std::unordered_map<Cell, uint32_t>;

  static inline const uint32_t kCount = 1000 * kThoroughness;

  std::unique_ptr<AnyKeyTable<Cell>> make(hash::KeyTableOptions options = {}) {
    options.table = GetParam();
    if (options.load_factor && *options.load_factor <= 1)
      options.load_factor = std::min(*options.load_factor, hash::most_load_factor(options.table));
    format_ = {options.value_bits};
    return make_any_key_table<Cell>(engine_->handle(), options);
  }

  // Returns keys with values that follow from them.
  Map mapped(const Cells& keys) const {
    Map map;
    for (const Cell key : keys) map[key & format_.apart_key()] = value_of(key);
    return map;
  }
  uint32_t value_of(Cell key) const {
    return static_cast<uint32_t>(mix64(key + 7) & ((uint64_t{1} << format_.value_bits) - 1));
  }
  Cells cells_of(const Map& map) const {
    Cells cells;
    for (const auto& [key, value] : map) cells.push_back(format_.cell(key, value));
    std::sort(cells.begin(), cells.end());
    std::shuffle(cells.begin(), cells.end(), std::mt19937(1));
    return cells;
  }

  // Looks up all keys of the map, their neighbors, and random ones.
  void expect_holds(AnyKeyTable<Cell>& table, const Map& map) const {
    Cells keys, stored;
    for (const auto& [key, value] : map) {
      stored.push_back(key);
      for (const Cell other : {key, static_cast<Cell>(key + 1), static_cast<Cell>(key ^ 32)})
        keys.push_back(other & format_.apart_key());
    }
    for (uint32_t i = 0; i < kCount; ++i) keys.push_back(static_cast<Cell>(mix64(i)) & format_.apart_key());
    keys.insert(keys.end(), {Cell{0}, format_.apart_key()});
    const auto slots = table.find(keys), values = table.find_values(keys),
               sectors = table.count_sectors(keys);
    const Cells cells = table.cells();
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto found = map.find(keys[i]);
      if (found == map.end()) {
        ASSERT_EQ(slots[i], kNoSlot) << keys[i];
        ASSERT_EQ(values[i], kNoValue) << keys[i];
      } else {
        ASSERT_LT(slots[i], cells.size()) << keys[i];
        ASSERT_EQ(cells[slots[i]], format_.cell(keys[i], found->second)) << keys[i];
        ASSERT_EQ(values[i], found->second) << keys[i];
      }
      ASSERT_LE(sectors[i], cells.size() * sizeof(Cell));
    }
    const auto values_of_stored = table.find_values_of_stored(stored);
    for (size_t i = 0; i < stored.size(); ++i) ASSERT_EQ(values_of_stored[i], map.at(stored[i])) << stored[i];
    // The table must hold nothing else, and nothing twice.
    uint64_t filled = table.holds_apart() ? 1 : 0;
    for (size_t i = 0; i + 1 < cells.size(); ++i) filled += cells[i] != hash::kEmptyCell<Cell> ? 1 : 0;
    EXPECT_EQ(filled, map.size());
  }

  void expect_builds(const Cells& keys, const hash::KeyTableOptions& options) {
    const auto table = make(options);
    const Map map = mapped(keys);
    const hash::KeyTableBuild build = table->build(cells_of(map));
    EXPECT_EQ(build.keys, map.size());
    EXPECT_GE(build.attempts, 1u);
    expect_holds(*table, map);
  }

  static Cells random_keys(uint32_t count) {
    Cells keys;
    for (uint32_t i = 0; i < count; ++i) keys.push_back(static_cast<Cell>(mix64(i + 1000)));
    return keys;
  }

  std::unique_ptr<Engine> engine_ = test_engine();
  hash::CellFormat<Cell> format_ = {};
};

class KeyTables32 : public KeyTables<uint32_t> {};
class KeyTables64 : public KeyTables<uint64_t> {};
const auto kTableNames = testing::ValuesIn(hash::key_table_names());
const auto kTableName = [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(All, KeyTables32, kTableNames, kTableName);
INSTANTIATE_TEST_SUITE_P(All, KeyTables64, kTableNames, kTableName);

TEST_P(KeyTables32, RandomKeysAreFoundAtEveryLoadFactor) {
  for (const double load_factor : {0.3, 0.7, 0.8, 0.95})
    expect_builds(random_keys(kCount), {.load_factor = load_factor});
}

TEST_P(KeyTables64, RandomKeysAreFoundAtEveryLoadFactor) {
  for (const double load_factor : {0.3, 0.7, 0.8, 0.95})
    expect_builds(random_keys(kCount), {.load_factor = load_factor, .value_bits = 4});
}

TEST_P(KeyTables32, ValuesStandBesideKeys) {
  for (const uint32_t bits : {1, 4, 16}) expect_builds(random_keys(kCount), {.value_bits = bits});
}

TEST_P(KeyTables64, ValuesStandBesideKeys) {
  for (const uint32_t bits : {1, 4, 28, 31}) expect_builds(random_keys(kCount), {.value_bits = bits});
}

TEST_P(KeyTables64, AFewKeysAreFound) {
  for (uint64_t count : {0, 1, 2, 3, 5, 10, 33, 100})
    for (const uint64_t step : {uint64_t{1}, uint64_t{16}, uint64_t{1} << 33}) {
      std::vector<uint64_t> keys;
      for (uint64_t i = 0; i < count; ++i) keys.push_back(i * step);
      expect_builds(keys, {});
    }
}

// The keys are Morton codes of the voxels of a sphere, which form clusters.
TEST_P(KeyTables64, TheVoxelsOfASurfaceAreFound) {
  std::vector<uint64_t> keys;
  for (int z = 0; z < 64; ++z)
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) {
        const int r2 = (x - 32) * (x - 32) + (y - 32) * (y - 32) + (z - 32) * (z - 32);
        if (r2 >= 24 * 24 && r2 < 26 * 26) keys.push_back(morton_encode(x, y, z));
      }
  expect_builds(keys, {.load_factor = 0.95, .value_bits = 4});
}

// The keys are a dense run, runs with gaps, and keys that are equal in their low or high bits.
TEST_P(KeyTables32, RegularKeysAreFound) {
  for (const uint32_t step : {1u, 2u, 3u, 8u, 32u, 4096u, 65536u, 1u << 20}) {
    std::vector<uint32_t> keys;
    for (uint64_t i = 0; i < kCount && i * step < UINT32_MAX; ++i)
      keys.push_back(static_cast<uint32_t>(i * step));
    expect_builds(keys, {});
  }
}

TEST_P(KeyTables64, RegularKeysAreFound) {
  for (const uint32_t shift : {0, 1, 3, 4, 5, 12, 31, 40}) {
    std::vector<uint64_t> keys;
    for (uint64_t i = 0; i < kCount; ++i) keys.push_back(i << shift);
    expect_builds(keys, {.load_factor = 0.9});
  }
}

TEST_P(KeyTables64, TheKeyThatIsAllOnesIsFoundWhateverItsValue) {
  for (const uint32_t value : {0u, 3u, 15u}) {
    const auto table = make({.value_bits = 4});
    Map map = mapped(random_keys(100));
    EXPECT_EQ(table->build(cells_of(map)).keys, 100u);
    expect_holds(*table, map);  // without it
    map[format_.apart_key()] = value;
    map[0] = 15 - value;
    EXPECT_EQ(table->build(cells_of(map)).keys, 102u);
    expect_holds(*table, map);
  }
}

TEST_P(KeyTables32, TheKeyThatIsAllOnesIsFound) {
  const auto table = make();
  const Map map = {{UINT32_MAX, 0}, {0, 0}, {UINT32_MAX - 1, 0}};
  EXPECT_EQ(table->build(cells_of(map)).keys, 3u);
  expect_holds(*table, map);
}

TEST_P(KeyTables64, AKeyThatComesOftenIsStoredOnce) {
  const auto table = make({.value_bits = 8});
  const Map map = mapped(random_keys(kCount / 4));
  std::vector<uint64_t> cells = cells_of(map);
  for (int copies = 0; copies < 2; ++copies) cells.insert(cells.end(), cells.begin(), cells.end());
  std::shuffle(cells.begin(), cells.end(), std::mt19937(2));
  EXPECT_EQ(table->build(cells).keys, map.size());
  expect_holds(*table, map);

  std::vector<uint64_t> same((1u << 20) / (11 - kThoroughness), cells.front());
  EXPECT_EQ(table->build(same).keys, 1u);
  expect_holds(*table, {{format_.key(cells.front()), format_.value(cells.front())}});
}

TEST_P(KeyTables64, AKeyWithTwoValuesIsAnError) {
  const auto table = make({.value_bits = 8});
  for (const uint64_t key : {uint64_t{7}, format_.apart_key()}) {
    std::vector<uint64_t> cells = cells_of(mapped(random_keys(1000)));
    cells.insert(cells.begin() + 5, format_.cell(key, 1));
    cells.push_back(format_.cell(key, 2));
    try {
      table->build(cells);
      FAIL() << key;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("two different values"), std::string::npos) << error.what();
    }
  }
}

TEST_P(KeyTables64, ATableIsBuiltAnewInPlaceOfWhatItHeld) {
  const auto table = make({.value_bits = 4});
  for (const uint32_t count : {1000u, 10u, 5000u, 0u, 100u}) {
    const Map map = mapped(random_keys(count));
    EXPECT_EQ(table->build(cells_of(map)).keys, map.size());
    expect_holds(*table, map);
  }
}

TEST_P(KeyTables64, OptionsOutOfTheirRangeAreErrors) {
  for (const double load_factor : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(make({.load_factor = load_factor}), UsageError) << load_factor;
  EXPECT_THROW(make({.value_bits = 33}), UsageError);
}

// A completely full table may need constants that no attempt has. The build is then an error; it must never
// lose a key.
TEST_P(KeyTables64, AtTheMostLoadFactorAllKeysAreFoundOrTheBuildIsAnError) {
  for (const uint32_t count : {35u, 37u, 1000u, kCount}) {
    const auto table = make({.load_factor = 1.0});
    const Map map = mapped(random_keys(count));
    try {
      EXPECT_EQ(table->build(cells_of(map)).keys, map.size());
      expect_holds(*table, map);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("could not be built"), std::string::npos) << error.what();
      expect_holds(*table, {});
    }
  }
}

TEST(KeyTableNames, ALoadFactorAboveTheTablesMostIsAnErrorThatNamesBoth) {
  const auto engine = test_engine();
  for (const std::string& name : hash::key_table_names()) {
    const double most = hash::most_load_factor(name);
    make_any_key_table<uint64_t>(engine->handle(), {.table = name, .load_factor = most});
    try {
      make_any_key_table<uint64_t>(engine->handle(), {.table = name, .load_factor = most + 0.01});
      FAIL() << name;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + name + "'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(fmt::format("at most {}", most)), std::string::npos)
          << error.what();
    }
  }
}

TEST(KeyTableNames, AnUnknownOneIsAnErrorThatListsThem) {
  const auto engine = test_engine();
  try {
    make_any_key_table<uint64_t>(engine->handle(), {.table = "x"});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("lines"), std::string::npos) << error.what();
  }
}

// Tests tables of voxel keys with 2^31 keys. The arithmetic of their sizes, slots and buckets is always
// tested. Whole tables are tested if VOX_TEST_MANY_KEYS gives the number of keys, on a machine with enough
// memory:
//
//   VOX_TEST_MANY_KEYS=2147483648 VOX_TEST_DEVICE=cuda vox_test_hash --gtest_filter='ManyKeys/*'
//
// This takes 70 GB of a GPU's memory.

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
    const hash::Cuckoo2009Ref<uint64_t, hash::EqualBuckets> ref = {
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

// Residues modulo the numbers of offsets and of cells tell keys of 24 bits apart, and those of 64 bits only in a larger
// table of offsets.
TEST(PerfectTable, ReadsAnOffsetAndACellForEveryKey) {
  constexpr uint64_t kKeys = 20'000;
  const auto engine = test_engine();
  for (const auto& [bits, most_bytes] : {std::pair(24u, 1.25), std::pair(64u, 2.2)}) {
    const auto table =
        make_any_key_table<uint64_t>(engine->handle(), {.table = "perfect", .load_factor = 0.95});
    const auto keys = random_keys<uint64_t>(kKeys, 1, bits);
    EXPECT_EQ(table->build(keys).most_probes, 2u);
    EXPECT_EQ(table->probes_of_keys(), (std::vector<uint64_t>{0, 0, kKeys}));
    for (const uint32_t sectors : table->count_sectors(keys)) ASSERT_EQ(sectors, 2u);
    EXPECT_LT(static_cast<double>(table->bytes()), most_bytes * sizeof(uint64_t) * kKeys);
  }
}

}  // namespace
}  // namespace vox
