// Tests tables of voxel keys, of every variant, and maps built on them, after a failed build: they are empty
// and can be built again. Keys for which the first hash functions fail must still be stored.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/adversarial_keys.h"
#include "tests/hash/keyed/any_key_table.h"
#include "tests/hash/keyed/random_keys.h"

namespace vox {
namespace {

using hash::kNoSlot;
using hash::kNoValue;
using KeyList = std::vector<uint64_t>;

class FailedBuilds : public testing::TestWithParam<std::string> {
 protected:
  hash::KeyTableOptions options(hash::KeyTableOptions options = {}) const {
    options.table = GetParam();
    return options;
  }
  std::unique_ptr<AnyKeyTable<uint64_t>> make(const hash::KeyTableOptions& more = {}) {
    return make_any_key_table<uint64_t>(engine_->handle(), options(more));
  }

  static void expect_empty(AnyKeyTable<uint64_t>& table, KeyList keys) {
    keys.insert(keys.end(), {0, 1, UINT64_MAX >> 4, UINT64_MAX});
    for (const uint32_t slot : table.find(keys)) ASSERT_EQ(slot, kNoSlot);
    for (const uint32_t value : table.find_values(keys)) ASSERT_EQ(value, kNoValue);
    EXPECT_LE(table.count_sectors(keys).front(), 100u);
    for (const uint64_t cell : table.cells()) ASSERT_EQ(cell, hash::kEmptyCell<uint64_t>);
    EXPECT_FALSE(table.holds_apart());
    const auto probes = table.probes_of_keys();
    EXPECT_EQ(std::accumulate(probes.begin(), probes.end(), uint64_t{0}), 0u);
  }
  static void expect_builds(AnyKeyTable<uint64_t>& table, const KeyList& keys) {
    EXPECT_EQ(table.build(keys).keys, keys.size());
    for (const uint32_t slot : table.find(keys)) ASSERT_NE(slot, kNoSlot);
  }

  // Returns keys for which a single attempt fails, or none if builds cannot fail.
  KeyList failing_keys() const {
    return is_built_always(GetParam()) ? KeyList() : adversarial_keys(options());
  }

  std::unique_ptr<Engine> engine_ = test_engine();
};

INSTANTIATE_TEST_SUITE_P(All, FailedBuilds, testing::ValuesIn(hash::key_table_names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(FailedBuilds, ATableThatHasNotBeenBuiltIsEmpty) {
  expect_empty(*make(), random_keys<uint64_t>(100, 1));
}

TEST_P(FailedBuilds, OfAKeyWithTwoValuesLeaveAnEmptyTable) {
  for (const uint64_t key : {uint64_t{7}, UINT64_MAX >> 8}) {
    const auto table = make({.value_bits = 8});
    auto cells = random_keys<uint64_t>(3000, 1);
    table->build(cells);
    cells.push_back(key << 8 | 1);
    cells.insert(cells.begin(), key << 8 | 2);
    EXPECT_THROW(table->build(cells), Error);
    std::erase(cells, key << 8 | 2);
    KeyList keys;
    for (const uint64_t cell : cells) keys.push_back(cell >> 8);
    expect_empty(*table, keys);
    EXPECT_EQ(table->build(cells).keys, cells.size());
    for (const uint32_t slot : table->find(keys)) ASSERT_NE(slot, kNoSlot);
  }
}

TEST_P(FailedBuilds, OfKeysThatFindNoPlaceAreErrorsAndLeaveAnEmptyTable) {
  const KeyList failing = failing_keys(), others = random_keys<uint64_t>(500, 1);
  if (failing.empty()) return;
  const auto table = make({.most_attempts = 1});
  table->build(others);
  try {
    table->build(failing);
    FAIL();
  } catch (const Error& error) {
    for (const std::string& part : {"'" + GetParam() + "'", format_count(failing.size()) + " keys",
                                    std::string("load factor"), std::string("1 attempt")})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  expect_empty(*table, failing);
  expect_empty(*table, others);
  expect_builds(*table, others);
}

// The keys are all in one bucket, or in the same few cells.
TEST_P(FailedBuilds, KeysForWhichTheFirstHashFunctionsFailAreStoredAllTheSame) {
  if (GetParam() == "sorted") return;
  const KeyList keys = adversarial_keys(options());
  const auto table = make();
  const auto build = table->build(keys);
  EXPECT_EQ(build.keys, keys.size());
  EXPECT_EQ(build.attempts > 1, !is_built_always(GetParam()));
  const auto slots = table->find(keys);
  const auto cells = table->cells();
  for (size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(cells.at(slots[i]), keys[i]);
}

TEST_P(FailedBuilds, OfMoreCellsThanCanBeNumberedAreErrorsBeforeAnythingIsRead) {
  const auto table = make();
  table->build(random_keys<uint64_t>(100, 1));
  const double load_factor = hash::key_table_load(GetParam()).usual;
  const auto most = static_cast<uint64_t>(load_factor * 4294967295.0);
  for (const uint64_t n : {most + 2, uint64_t{1} << 32, uint64_t{1} << 40, UINT64_MAX}) {
    try {
      table->build_of_none(n);
      FAIL() << n;
    } catch (const Error& error) {
      for (const std::string& part : {"'" + GetParam() + "'", format_count(n) + " keys",
                                      std::string("load factor"), std::string("4,294,967,295 cells")})
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
    expect_empty(*table, random_keys<uint64_t>(100, 1));
  }
}

TEST_P(FailedBuilds, LeaveEmptyMaps) {
  const KeyList failing = failing_keys(), others = random_keys<uint64_t>(500, 1);
  if (failing.empty()) return;
  const auto map =
      make_any_multi_map<uint64_t>(engine_->handle(), options({.most_attempts = 1}), hash::RunOrder::kInput);
  const auto one =
      make_any_key_value_map<uint64_t, uint64_t>(engine_->handle(), options({.most_attempts = 1}));
  for (const KeyList& keys : {failing, others})
    for (const auto& run : map->find(keys)) ASSERT_EQ(run, hash::KeyRun{});
  map->build(others, std::vector<uint32_t>(others.size(), 5));
  one->build(others, KeyList(others.size(), 5));
  EXPECT_THROW(map->build(failing, std::vector<uint32_t>(failing.size(), 5)), Error);
  EXPECT_THROW(one->build(failing, KeyList(failing.size(), 5)), Error);
  EXPECT_EQ(map->numbered_keys().size(), 0u);
  for (const KeyList& keys : {failing, others}) {
    for (const auto& run : map->find(keys)) ASSERT_EQ(run, hash::KeyRun{});
    for (const uint32_t number : map->find_numbers(keys)) ASSERT_EQ(number, hash::kNoNumber);
    for (const uint64_t value : one->find(keys, 9)) ASSERT_EQ(value, 9u);
  }
  map->build(others, std::vector<uint32_t>(others.size(), 5));
  one->build(others, KeyList(others.size(), 5));
  for (const auto& run : map->find(others)) ASSERT_EQ(run.count, 1u);
  for (const uint64_t value : one->find(others, 9)) ASSERT_EQ(value, 5u);
}

TEST_P(FailedBuilds, ANumberOfAttemptsIsOneAtLeast) {
  EXPECT_THROW(make({.most_attempts = 0}), UsageError);
}

class FailedInsertions : public FailedBuilds {};
INSTANTIATE_TEST_SUITE_P(All, FailedInsertions, testing::ValuesIn(hash::growing_key_table_names()),
                         [](const auto& info) { return info.param; });

TEST_P(FailedInsertions, OfASecondValueLeaveAnEmptyTable) {
  const auto table = make_any_growing_key_table<uint64_t>(engine_->handle(), options({.value_bits = 4}));
  table->expect(5000, 96);
  table->build({1 << 4 | 1, 5 << 4 | 2});
  EXPECT_THROW(table->insert({2 << 4 | 3, 5 << 4 | 3}), Error);
  expect_empty(*table, {1, 2, 5});
  EXPECT_EQ(table->insert({5 << 4 | 3}).keys, 1u);
  EXPECT_EQ(table->find_values({1, 2, 5}), (std::vector<uint32_t>{kNoValue, kNoValue, 3}));
}

TEST_P(FailedInsertions, OfKeysThatFindNoPlaceLeaveAnEmptyTable) {
  const KeyList failing = failing_keys();
  if (failing.empty()) return;
  const auto table = make_any_growing_key_table<uint64_t>(engine_->handle(), options({.most_attempts = 1}));
  table->expect(failing.size(), 1000);
  table->build(KeyList(failing.begin(), failing.begin() + 5));
  EXPECT_THROW(table->insert(failing), Error);
  expect_empty(*table, failing);
  expect_builds(*table, random_keys<uint64_t>(500, 1));
}

}  // namespace
}  // namespace vox
