// Compares a table whose keys change with a map, and its cells with those of a table that is built of the same keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_map>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/hash/keyed/any_key_table.h"

namespace vox {
namespace {

// A table `lines` and a map that holds the same keys.
template <class Cell>
class ChangedTable {
 public:
  using Cells = std::vector<Cell>;

  ChangedTable(Engine& engine, hash::KeyTableOptions options)
      : format_{options.value_bits}, table_(make_any_key_table<Cell>(engine.handle(), options)) {}

  void build(const Cells& keys) {
    for (const Cell key : keys) map_[key] = value_of(key, 0);
    expect_keys(table_->build(cells_of(keys, 0)));
  }
  // Values depend on the round, so a key that is erased and added at once gets another one.
  void change(const Cells& erased, const Cells& added, uint32_t round) {
    for (const Cell key : erased) map_.erase(key);
    for (const Cell key : added) map_[key] = value_of(key, round);
    const auto changed = table_->change(erased, cells_of(added, round));
    ASSERT_TRUE(changed);
    expect_keys(*changed);
  }

  void expect_holds(const Cells& others) {
    Cells keys = others;
    for (const auto& [key, value] : map_) keys.push_back(key);
    const auto slots = table_->find(keys), values = table_->find_values(keys);
    const Cells cells = table_->cells();
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto found = map_.find(keys[i]);
      ASSERT_EQ(values[i], found == map_.end() ? hash::kNoValue : found->second) << keys[i];
      ASSERT_EQ(slots[i] != hash::kNoSlot, found != map_.end()) << keys[i];
      if (found != map_.end()) {
        ASSERT_EQ(cells.at(slots[i]), format_.cell(keys[i], found->second));
      }
    }
    uint64_t filled = table_->holds_apart() ? 1 : 0;
    for (size_t i = 0; i + 1 < cells.size(); ++i) filled += cells[i] != hash::kEmptyCell<Cell> ? 1 : 0;
    EXPECT_EQ(filled, map_.size());
  }
  // Compares the cells with those of a table that is built of what the map holds.
  void expect_cells_of_a_build(Engine& engine, const hash::KeyTableOptions& options) {
    Cells held;
    for (const auto& [key, value] : map_) held.push_back(format_.cell(key, value));
    const auto built = make_any_key_table<Cell>(engine.handle(), options);
    built->build(held);
    ASSERT_EQ(table_->cells(), built->cells());
    EXPECT_EQ(table_->probes_of_keys(), built->probes_of_keys());
  }

  Cells keys() const {
    Cells keys;
    for (const auto& [key, value] : map_) keys.push_back(key);
    std::ranges::sort(keys);
    return keys;
  }
  Cells cells() { return table_->cells(); }
  Cell apart_key() const { return format_.apart_key(); }

 private:
  uint32_t value_of(Cell key, uint32_t round) const {
    return static_cast<uint32_t>(mix64(key + round) & format_.most_value());
  }
  Cells cells_of(Cells keys, uint32_t round) const {
    for (Cell& key : keys) key = format_.cell(key, value_of(key, round));
    return keys;
  }
  void expect_keys(const hash::KeyTableBuild& build) const { EXPECT_EQ(build.keys, map_.size()); }

  hash::CellFormat<Cell> format_;
  std::unordered_map<Cell, uint32_t> map_;
  std::unique_ptr<AnyKeyTable<Cell>> table_;
};

// Returns some of these keys, in random order.
template <class Cell>
std::vector<Cell> some_of(std::vector<Cell> keys, size_t count, uint64_t seed) {
  std::ranges::shuffle(keys, std::mt19937_64(seed));
  keys.resize(std::min(keys.size(), count));
  return keys;
}

constexpr uint32_t kValueBits = 4;
constexpr double kLoadFactors[] = {0.3, 0.8, 0.95, 0.99, 1};

template <class Cell>
void change_at_random(Engine& engine, double load_factor) {
  const auto keys = random_keys<Cell>(600 * kThoroughness, 3, 8 * sizeof(Cell) - kValueBits);
  const hash::KeyTableOptions options = {.load_factor = load_factor, .value_bits = kValueBits};
  ChangedTable<Cell> table(engine, options);
  std::mt19937_64 random(static_cast<uint64_t>(load_factor * 100));
  for (uint32_t round = 1; round <= 12; ++round) {
    auto erased = some_of(keys, random() % (keys.size() / 2), random());
    if (!erased.empty()) erased.push_back(erased.front());
    // Some keys are erased and added at the same time; no key may be stored with another value.
    std::vector<Cell> added;
    const auto held = table.keys();
    for (const Cell key : some_of(keys, random() % keys.size(), random()))
      if (!std::ranges::binary_search(held, key) || std::ranges::find(erased, key) != erased.end())
        added.push_back(key);
    if (!added.empty()) added.push_back(added.front());
    table.change(erased, added, round);
    table.expect_holds(keys);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ChangesOfLines, FollowAMapAtEveryLoadFactor) {
  const auto engine = test_engine();
  for (const double load_factor : kLoadFactors) {
    change_at_random<uint32_t>(*engine, load_factor);
    change_at_random<uint64_t>(*engine, load_factor);
  }
}

// Half of the keys are erased and as many others added, ten times; of blocks of neighbors, too.
TEST(ChangesOfLines, LeaveTheCellsOfABuildHoweverManyThreadsThereAre) {
  const auto all = test_engine(), one = test_engine({.threads = 1});
  const uint64_t count = 400 * kThoroughness;
  auto clustered = random_keys<uint64_t>(3 * count, 9);
  for (size_t i = 0; i < clustered.size(); ++i) clustered[i] = (clustered[i - i % 10] >> 12 << 8) + i % 10;
  for (const auto& keys : {random_keys<uint64_t>(3 * count, 8, 60), clustered})
    for (const double load_factor : kLoadFactors) {
      const hash::KeyTableOptions options = {.load_factor = load_factor, .value_bits = kValueBits};
      ChangedTable<uint64_t> table(*all, options), other(*one, options);
      const std::vector<uint64_t> first(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(count));
      table.build(first);
      other.build(first);
      for (uint32_t round = 1; round <= 10; ++round) {
        const auto held = table.keys(), erased = some_of(held, count / 2, round);
        std::vector<uint64_t> others;
        for (const uint64_t key : keys)
          if (!std::ranges::binary_search(held, key)) others.push_back(key);
        const auto added = some_of(others, count / 2, round);
        table.change(erased, added, round);
        other.change(erased, added, round);
        ASSERT_EQ(table.cells(), other.cells()) << load_factor << " " << round;
        table.expect_cells_of_a_build(*one, options);
        if (HasFatalFailure()) return;
      }
      table.expect_holds(keys);
    }
}

TEST(ChangesOfLines, GrowFromNothingAndLeaveNothing) {
  const auto engine = test_engine();
  ChangedTable<uint64_t> table(*engine, {.value_bits = kValueBits});
  const auto keys = random_keys<uint64_t>(3000, 5, 60);
  for (const size_t count : {1, 10, 100, 3000}) {
    table.change({}, std::vector<uint64_t>(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(count)), 1);
    table.expect_holds(keys);
  }
  table.change(keys, {}, 2);
  table.expect_holds(keys);
  for (const uint64_t cell : table.cells()) ASSERT_EQ(cell, UINT64_MAX);
  table.change(keys, {}, 3);
  table.change({}, {}, 4);
  table.change({}, keys, 5);
  table.expect_holds(keys);
}

TEST(ChangesOfLines, EraseAndReplaceTheKeyThatIsAllOnes) {
  const auto engine = test_engine();
  ChangedTable<uint64_t> table(*engine, {.value_bits = kValueBits});
  const std::vector<uint64_t> keys = {5, table.apart_key(), 77}, all = {5, 6, 77, table.apart_key()};
  table.build(keys);
  for (uint32_t round = 1; round < 20; ++round) {
    table.change(all, round % 3 == 0 ? std::vector<uint64_t>{6} : keys, round);
    table.expect_holds(all);
  }
}

// More keys compete for some buckets than these have cells, so the change fails in the middle and begins again. Added keys
// are greater than those that compete already, so that it is stored keys for which there is no place.
TEST(ChangesOfLines, LoseNoKeyIfThereIsNoPlace) {
  const auto engine = test_engine();
  const hash::KeyTableOptions options = {.load_factor = 0.8};
  ChangedTable<uint64_t> table(*engine, options);
  const auto keys = random_keys<uint64_t>(5000, 5);
  auto built = keys, adversarial = adversarial_keys(options);
  std::ranges::sort(adversarial);
  const auto middle = adversarial.begin() + 400;
  built.insert(built.end(), adversarial.begin(), middle);
  table.build(built);
  table.change(some_of(keys, 1000, 1), std::vector<uint64_t>(middle, adversarial.end()), 1);
  table.expect_holds(adversarial);
}

TEST(ChangesOfLines, StoreAKeyOnceThatComesOften) {
  const auto engine = test_engine();
  for (const uint64_t different : {1, 7, 100, 3000}) {
    ChangedTable<uint64_t> table(*engine, {.load_factor = 0.95});
    const auto stored = random_keys<uint64_t>(60000, 6), keys = random_keys<uint64_t>(different, 7);
    table.build(stored);
    std::vector<uint64_t> often;
    for (uint64_t i = 0; i < 20000; ++i) often.push_back(i % 3 == 0 ? stored.back() : keys[i % different]);
    often.insert(often.end(), keys.begin(), keys.end());
    table.change(some_of(stored, 30000, 1), often, 0);
    table.expect_holds(keys);
  }
}

TEST(ChangesOfLines, AreRefusedIfAStoredKeyComesWithAnotherValue) {
  const auto engine = test_engine();
  const auto table = make_any_key_table<uint64_t>(engine->handle(), {.value_bits = kValueBits});
  for (const uint64_t key : {uint64_t{5}, UINT64_MAX >> kValueBits}) {
    table->build({key << 4 | 2, 7 << 4});
    EXPECT_THROW(table->change({7}, {key << 4 | 3}), Error);
    EXPECT_EQ(table->find({key, 7}), std::vector<uint32_t>(2, hash::kNoSlot));
    EXPECT_EQ(table->change({7}, {key << 4 | 3})->keys, 1u);
  }
}

TEST(ChangesOfOtherTables, LeaveThemAsTheyAre) {
  const auto engine = test_engine();
  for (const std::string& name : hash::key_table_names()) {
    if (name == "lines") continue;
    const auto table = make_any_key_table<uint64_t>(engine->handle(), {.table = name});
    table->build({5, 6});
    EXPECT_FALSE(table->change({5}, {7})) << name;
    EXPECT_NE(table->find({5}).front(), hash::kNoSlot) << name;
  }
}

}  // namespace
}  // namespace vox
