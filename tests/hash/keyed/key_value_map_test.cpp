// Compares maps from a key to one value of 4, 8 or 16 bytes with maps of the standard library, for every
// variant of tables of voxel keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_map>

#include "libvox/base/error.h"
#include "libvox/base/mix.h"
#include "tests/common/test_engine.h"
#include "tests/common/thoroughness.h"
#include "tests/hash/keyed/any_key_table.h"
#include "tests/hash/keyed/random_keys.h"

namespace vox {
namespace {

class KeyValueMaps : public testing::TestWithParam<std::string> {
 protected:
  template <class Cell, class Value>
  std::unique_ptr<AnyKeyValueMap<Cell, Value>> make() {
    return make_any_key_value_map<Cell, Value>(engine_->handle(), {.table = GetParam()});
  }

  // Returns a value whose bytes all depend on the number.
  template <class Value>
  static Value value_of(uint64_t number) {
    if constexpr (sizeof(Value) == 16) {
      const uint64_t a = mix64(number + 1), b = mix64(number + (uint64_t{1} << 50));
      return {static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), static_cast<uint32_t>(b),
              static_cast<uint32_t>(b >> 32)};
    } else {
      return static_cast<Value>(mix64(number + 1));
    }
  }

  template <class Cell, class Value>
  struct Pairs {
    std::vector<Cell> keys;
    std::vector<Value> values;
    std::unordered_map<Cell, Value> map;
  };
  // Returns each key `copies` times, in random order.
  template <class Cell, class Value>
  static Pairs<Cell, Value> random_pairs(uint64_t count, uint32_t copies, uint64_t seed = 1) {
    Pairs<Cell, Value> pairs;
    auto keys = random_keys<Cell>(count, seed);
    if (count > 0) keys.front() = static_cast<Cell>(~Cell{0});
    for (const Cell key : keys) pairs.map[key] = value_of<Value>(mix64(key) + seed);
    for (uint32_t copy = 0; copy < copies; ++copy)
      pairs.keys.insert(pairs.keys.end(), keys.begin(), keys.end());
    std::shuffle(pairs.keys.begin(), pairs.keys.end(), std::mt19937_64(seed));
    for (const Cell key : pairs.keys) pairs.values.push_back(pairs.map.at(key));
    return pairs;
  }

  template <class Cell, class Value>
  static void expect_holds(AnyKeyValueMap<Cell, Value>& map, const Pairs<Cell, Value>& pairs) {
    const auto none = value_of<Value>(1234567);
    std::vector<Cell> keys = random_keys<Cell>(1000, 99);
    keys.insert(keys.end(), {Cell{0}, static_cast<Cell>(~Cell{0})});
    for (const auto& [key, value] : pairs.map) keys.push_back(key);
    const auto found = map.find(keys, none);
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto at = pairs.map.find(keys[i]);
      ASSERT_EQ(found[i], at == pairs.map.end() ? none : at->second) << keys[i];
    }
  }

  template <class Cell, class Value>
  void expect_maps() {
    const auto map = make<Cell, Value>();
    for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{200} * kThoroughness, uint64_t{50}})
      for (const uint32_t copies : {1u, 7u}) {
        const auto pairs = random_pairs<Cell, Value>(count, copies, count + 1);
        EXPECT_EQ(map->build(pairs.keys, pairs.values).keys, count);
        EXPECT_GE(map->bytes(), (map->slots() + 1) * (sizeof(Cell) + sizeof(Value)));
        expect_holds(*map, pairs);
      }
  }

  std::unique_ptr<Engine> engine_ = test_engine();
};

INSTANTIATE_TEST_SUITE_P(All, KeyValueMaps, testing::ValuesIn(hash::key_table_names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(KeyValueMaps, KeysOf32BitsHaveTheirValues) {
  expect_maps<uint32_t, uint32_t>();
  expect_maps<uint32_t, uint64_t>();
  expect_maps<uint32_t, FourWords>();
}

TEST_P(KeyValueMaps, KeysOf64BitsHaveTheirValues) {
  expect_maps<uint64_t, uint32_t>();
  expect_maps<uint64_t, uint64_t>();
  expect_maps<uint64_t, FourWords>();
}

// One item of many differs in one byte. That must always be found, whichever thread comes first.
TEST_P(KeyValueMaps, AKeyWithTwoValuesIsAnErrorAndLeavesAnEmptyMap) {
  const auto map = make<uint64_t, FourWords>();
  const auto pairs = random_pairs<uint64_t, FourWords>(100, 50);
  for (uint32_t round = 0; round < kThoroughness; ++round) {
    auto values = pairs.values;
    values[mix64(round + 1) % values.size()][round % 4] ^= 0x100;
    try {
      map->build(pairs.keys, values);
      FAIL() << round;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("two different values"), std::string::npos) << error.what();
    }
    expect_holds(*map, {});
  }
  map->build(pairs.keys, pairs.values);
  expect_holds(*map, pairs);
}

TEST(KeyValueMapOptions, ValuesInCellsAreAnError) {
  const auto engine = test_engine();
  EXPECT_THROW((make_any_key_value_map<uint64_t, uint64_t>(engine->handle(), {.value_bits = 4})), UsageError);
}

}  // namespace
}  // namespace vox
