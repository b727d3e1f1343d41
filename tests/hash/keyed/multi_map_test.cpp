// Compares maps from a key to several values, and the index of their keys, with maps of the standard library,
// for every variant of tables of voxel keys.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/any_key_table.h"

namespace vox {
namespace {

using hash::KeyRun;
using hash::RunOrder;

constexpr uint32_t kCount = 3000 * kThoroughness;

template <class Cell>
struct Items {
  std::vector<Cell> keys;
  std::vector<uint32_t> values;

  void add(Cell key) {
    keys.push_back(key);
    values.push_back(static_cast<uint32_t>(mix64(values.size() + 5)));
  }
};

// Returns keys that occur about `copies` times each, in any order.
template <class Cell>
Items<Cell> random_items(uint32_t count, uint32_t copies) {
  Items<Cell> items;
  for (uint64_t i = 0; i < count; ++i)
    items.add(static_cast<Cell>(mix64(mix64(i + 3) % (count / copies + 1) + 1000)));
  return items;
}

template <class Cell>
class MultiMaps : public testing::TestWithParam<std::tuple<std::string, RunOrder>> {
 protected:
  std::unique_ptr<AnyMultiMap<Cell>> make() {
    return make_any_multi_map<Cell>(engine_->handle(), {.table = std::get<0>(GetParam())},
                                    std::get<1>(GetParam()));
  }

  void expect_holds(AnyMultiMap<Cell>& map, const Items<Cell>& items) {
    std::map<Cell, std::vector<uint32_t>> expected;
    for (size_t i = 0; i < items.keys.size(); ++i) expected[items.keys[i]].push_back(items.values[i]);
    expect_numbers_keys(map, expected);
    std::vector<Cell> keys;
    for (const auto& [key, values] : expected) keys.insert(keys.end(), {key, static_cast<Cell>(key + 1)});
    const std::vector<KeyRun> runs = map.find(keys);
    const std::vector<uint32_t> values = map.values();
    uint64_t found_values = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto found = expected.find(keys[i]);
      if (found == expected.end()) {
        ASSERT_EQ(runs[i], KeyRun{}) << keys[i];
        continue;
      }
      ASSERT_LE(uint64_t{runs[i].begin} + runs[i].count, values.size()) << keys[i];
      const auto begin = values.begin() + runs[i].begin;
      std::vector<uint32_t> run(begin, begin + runs[i].count), expected_run = found->second;
      if (std::get<1>(GetParam()) == RunOrder::kAny) {
        std::sort(run.begin(), run.end());
        std::sort(expected_run.begin(), expected_run.end());
      }
      ASSERT_EQ(run, expected_run) << keys[i];
      if (i % 2 == 0) found_values += run.size();
    }
    EXPECT_EQ(found_values, values.size());
  }

  // Expects that each key has a number of its own, below the number of keys, and that the number leads back
  // to the key.
  static void expect_numbers_keys(AnyMultiMap<Cell>& map,
                                  const std::map<Cell, std::vector<uint32_t>>& expected) {
    const std::vector<Cell> keys = map.numbered_keys();
    ASSERT_EQ(keys.size(), expected.size());
    const std::vector<uint32_t> numbers = map.find_numbers(keys);
    for (uint32_t i = 0; i < keys.size(); ++i) {
      ASSERT_TRUE(expected.contains(keys[i])) << keys[i];
      ASSERT_EQ(numbers[i], i);
    }
    for (Cell key = 12345; key < 12400; ++key)
      EXPECT_EQ(map.find_numbers({key}).front() != hash::kNoNumber, expected.contains(key)) << key;
  }

  void expect_maps(const Items<Cell>& items) {
    const auto map = make();
    const hash::KeyTableBuild build = map->build(items.keys, items.values);
    EXPECT_EQ(build.keys, map->numbered_keys().size());
    EXPECT_GE(map->bytes(), items.keys.size() * 4);
    expect_holds(*map, items);
  }

  std::unique_ptr<Engine> engine_ = test_engine();
};

class MultiMaps32 : public MultiMaps<uint32_t> {};
class MultiMaps64 : public MultiMaps<uint64_t> {};
const auto kMapCases = testing::Combine(testing::ValuesIn(hash::key_table_names()),
                                        testing::Values(RunOrder::kInput, RunOrder::kAny));
const auto kMapName = [](const auto& info) {
  std::string name = std::get<0>(info.param);
  std::ranges::replace(name, '-', '_');
  return name + (std::get<1>(info.param) == RunOrder::kInput ? "_input" : "_any");
};
INSTANTIATE_TEST_SUITE_P(All, MultiMaps32, kMapCases, kMapName);
INSTANTIATE_TEST_SUITE_P(All, MultiMaps64, kMapCases, kMapName);

TEST_P(MultiMaps32, KeysHaveTheirValues) {
  for (const uint32_t copies : {1u, 3u, 100u}) expect_maps(random_items<uint32_t>(kCount, copies));
}

TEST_P(MultiMaps64, KeysHaveTheirValues) {
  for (const uint32_t copies : {1u, 3u, 100u, kCount / 2})
    expect_maps(random_items<uint64_t>(kCount, copies));
}

TEST_P(MultiMaps64, AFewItemsAndNoneAreMapped) {
  for (const uint32_t count : {0u, 1u, 2u, 5u}) expect_maps(random_items<uint64_t>(count, 1));
}

TEST_P(MultiMaps64, TheKeyThatIsAllOnesHasANumberAndValues) {
  Items<uint64_t> items = random_items<uint64_t>(500, 2);
  for (int i = 0; i < 3; ++i) items.add(UINT64_MAX);
  expect_maps(items);
  Items<uint64_t> alone;
  alone.add(UINT64_MAX);
  expect_maps(alone);
}

TEST_P(MultiMaps64, AMapIsBuiltAnewInPlaceOfWhatItHeld) {
  const auto map = make();
  for (const uint32_t count : {1000u, 10u, 3000u, 0u}) {
    const auto items = random_items<uint64_t>(count, 3);
    map->build(items.keys, items.values);
    expect_holds(*map, items);
  }
}

TEST(MultiMapOptions, ValuesInCellsAreAnError) {
  const auto engine = test_engine();
  EXPECT_THROW(make_any_multi_map<uint64_t>(engine->handle(), {.value_bits = 4}, RunOrder::kInput),
               UsageError);
}

}  // namespace
}  // namespace vox
