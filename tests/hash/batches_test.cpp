// Compares linked batches (linked_batches.h), whose items refer to items of the batch before, with a map.

#include "tests/common/random.h"
#include "tests/hash/any_device.h"

namespace vox {
namespace {

// Returns the pointer of each item that has words.
Pointers settled(const InsertedBatches& result, size_t number) {
  Pointers pointers = result.pointers[number];
  if (result.leaders.empty()) return pointers;
  for (size_t i = 0; i < pointers.size(); ++i)
    if (const uint32_t leader = result.leaders[number][i]; leader < pointers.size())
      pointers[i] = result.pointers[number][leader];
  return pointers;
}

Item linked_item(const LinkedBatch& batch, uint64_t i, const Pointers& before) {
  Item item = batch.items.item(i);
  if (batch.links[i] != LinkedBatch::kNoLink) item.back() = before[batch.links[i]];
  return item;
}

class BatchesOfItems : public TablesTest {
 protected:
  static constexpr uint64_t kNobody = UINT32_MAX;

  bool is_sector() const { return GetParam() == "sector"; }

  // Inserts batches and compares the results with a map, to which it adds new items. Returns how often there
  // was no room.
  static uint32_t insert(AnyTables& tables, const std::vector<LinkedBatch>& batches, Known& known) {
    const InsertedBatches result = tables.insert_batches(batches);
    Pointers before;
    for (size_t number = 0; number < batches.size(); ++number) {
      const LinkedBatch& batch = batches[number];
      std::vector<Item> items;
      for (uint64_t i = 0; i < batch.size(); ++i) items.push_back(linked_item(batch, i, before));
      if (!result.leaders.empty()) expect_leaders(items, result.leaders[number], result.pointers[number]);
      before = settled(result, number);
      expect_pointers(items, before, result.work[number], known);
      if (HasFailure()) {
        ADD_FAILURE() << "in batch " << number << " of " << batches.size() << ", stops: " << result.stops;
        return result.stops;
      }
    }
    EXPECT_EQ(result.first_item, before.at(0));
    EXPECT_EQ(tables.items(), known.size());
    return result.stops;
  }

  // Expects that the tables hold the known items at their known pointers, each at a place of its own.
  static void expect_holds(AnyTables& tables, const Known& known) {
    Batch batch;
    Pointers pointers;
    for (const auto& [item, pointer] : known) {
      batch.add(item);
      pointers.push_back(pointer);
    }
    ASSERT_EQ(tables.items(), known.size());
    ASSERT_TRUE(all_different(pointers));
    ASSERT_TRUE(tables.find_all(batch) == pointers);
    ASSERT_NO_FATAL_FAILURE(expect_items_at(tables, batch, pointers));
  }

  // The batch's items are new to the tables, or duplicates of others in the batch, or stored already. Some
  // have no words, and some depend on the batch before.
  static LinkedBatch random_batch(Random& random, uint32_t count, const LinkedBatch* before,
                                  const Known& known) {
    std::vector<Item> stored;
    for (auto it = known.begin(); it != known.end() && stored.size() < 1000; ++it)
      stored.push_back(it->first);
    LinkedBatch batch;
    while (batch.size() < count) {
      const uint32_t kind = random.below(10);
      if (kind == 0)
        batch.add({});
      else if (kind < 3 && !stored.empty())
        batch.add(stored[random.below(static_cast<uint32_t>(stored.size()))]);
      else if (kind < 6 && batch.size() > 0)
        add_again(batch, random.below(static_cast<uint32_t>(batch.size())));
      else
        batch.add(random_item(random, hash::kMinItemWords + random.below(hash::kMaxItemWords - 1),
                              3 + random.below(50)),
                  LinkedBatch::kNoLink);
      if (before && before->size() > 0 && batch.items.item(batch.size() - 1).size() > 2 &&
          random.below(2) == 0)
        batch.links.back() = random.below(static_cast<uint32_t>(before->size()));
    }
    return batch;
  }
  static std::vector<LinkedBatch> random_batches(Random& random, const std::vector<uint32_t>& sizes,
                                                 const Known& known) {
    std::vector<LinkedBatch> batches;
    for (uint32_t size : sizes)
      batches.push_back(random_batch(random, size, batches.empty() ? nullptr : &batches.back(), known));
    return batches;
  }
  static LinkedBatch batch_of(const std::vector<Item>& items) {
    LinkedBatch batch;
    for (const Item& item : items) batch.add(item);
    return batch;
  }

  // Adds to `known` those items of a batch that the tables hold.
  static void learn_stored(AnyTables& tables, const LinkedBatch& batch, Known& known) {
    Batch items;
    for (uint64_t i = 0; i < batch.size(); ++i)
      if (const Item item = batch.items.item(i); !item.empty()) items.add(item);
    const Pointers found = tables.find_all(items);
    for (uint64_t i = 0; i < items.size(); ++i)
      if (found[i] != hash::kNullPointer) known.emplace(items.item(i), found[i]);
  }

 private:
  static void add_again(LinkedBatch& batch, uint64_t i) { batch.add(batch.items.item(i), batch.links[i]); }

  static void expect_leaders(const std::vector<Item>& items, const Chosen& leaders,
                             const Pointers& pointers) {
    Known leader_of;
    for (size_t i = 0; i < items.size(); ++i) {
      ASSERT_TRUE(leaders[i] == i || pointers[i] == hash::kNullPointer) << i;
      if (items[i].empty()) {
        ASSERT_EQ(leaders[i], kNobody) << i;
      } else {
        ASSERT_LT(leaders[i], items.size()) << i;
        ASSERT_EQ(items[leaders[i]], items[i]) << i;
        ASSERT_EQ(leader_of.emplace(items[i], leaders[i]).first->second, leaders[i]) << i;
      }
    }
  }
  static void expect_pointers(const std::vector<Item>& items, const Pointers& pointers,
                              const hash::InternWork& work, Known& known) {
    const size_t stored = known.size();
    std::unordered_set<Item, ItemHash> distinct;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].empty()) {
        ASSERT_EQ(pointers[i], hash::kNullPointer) << i;
      } else {
        distinct.insert(items[i]);
        ASSERT_EQ(known.emplace(items[i], pointers[i]).first->second, pointers[i]) << i;
      }
    }
    EXPECT_EQ(work.distinct, distinct.size());
    EXPECT_EQ(work.inserted, known.size() - stored);
  }
};
VOX_FOR_ALL_TABLES(BatchesOfItems);

TEST_P(BatchesOfItems, AgreeWithAMap) {
  for (const uint32_t load_factor : {1u, 8u, 96u}) {
    const auto tables = make({.load_factor = load_factor});
    Random random(load_factor);
    Known known;
    for (uint32_t round = 0; round < 2 + kThoroughness; ++round) {
      std::vector<uint32_t> sizes(1 + random.below(6));
      for (uint32_t& size : sizes) size = std::array{0u, 1u, 2u, 40u, 600u, 2500u}[random.below(6)];
      sizes.back() += 1;
      const uint32_t stops = insert(*tables, random_batches(random, sizes, known), known);
      EXPECT_GE(stops, round == 0 && is_sector() ? 1u : 0u) << "of tables without buckets";
      ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << "round " << round;
      ASSERT_FALSE(HasFailure()) << "round " << round;
    }
  }
}

TEST_P(BatchesOfItems, AgreeWithAMapWhereATableOfSlabsFindsDuplicates) {
  if (is_sector()) GTEST_SKIP() << "it finds duplicates in its own way";
  const auto tables = make({.load_factor = 8, .duplicates = hash::Duplicates::Slabs});
  Random random(11);
  Known known;
  for (int round = 0; round < 6; ++round) {
    insert(*tables, random_batches(random, {40, 0, 2500, 600, 1}, known), known);
    ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << "round " << round;
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

// Items that are stored already take no further room.
TEST_P(BatchesOfItems, ThatAreStoredChangeNothing) {
  const auto tables = make();
  Random random(1);
  Known known;
  const auto batches = random_batches(random, {3000, 2000, 100}, known);
  insert(*tables, batches, known);
  const Known before = known;
  const uint64_t range = tables->pointer_range();
  EXPECT_EQ(insert(*tables, batches, known), 0u);
  EXPECT_EQ(known, before);
  EXPECT_EQ(tables->pointer_range(), range);
  expect_holds(*tables, known);
}

// Each batch is larger than all previous ones together, so the number of buckets becomes too small again and
// again.
TEST_P(BatchesOfItems, OutgrowTheirBuckets) {
  const auto tables = make({.load_factor = 4});
  Random random(2);
  Known known;
  uint32_t stops = 0;
  for (uint32_t count = 100; count < 30000; count *= 3)
    stops += insert(*tables, random_batches(random, {count / 3, count, 2 * count}, known), known);
  EXPECT_GE(stops, is_sector() ? 4u : 0u);
  expect_holds(*tables, known);
}

// All items of one size are in one bucket. Behind its line are overflow sectors, more than there is room for
// at first.
TEST_P(BatchesOfItems, FindTheirPlacesInLongBuckets) {
  const auto tables = make({.load_factor = 1000000});
  hash::SizeCounts one_each = {};
  for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words) one_each[words] = 1;
  tables->expect(one_each);
  Random random(3);
  Known known;
  uint32_t stops = 0;
  for (const uint32_t count : {500u, 9000u, 30000u, 20u})
    stops += insert(*tables, random_batches(random, {count, count / 2, 1}, known), known);
  if (is_sector()) {
    EXPECT_GE(stops, 2u);
    for (const hash::TableMemory& memory : tables->memory()) EXPECT_EQ(memory.buckets, 1u);
  }
  expect_holds(*tables, known);
}

// There are more items of one size than the 2^19 of a superblock, and the free places run out in the middle
// of a batch.
TEST_P(BatchesOfItems, GoOnBehindTheLastPlaceOfASuperblock) {
  if (kThreadSanitizer) GTEST_SKIP() << "half a million items";
  const auto tables = make();
  Known known;
  uint32_t next = 0;
  auto numbered = [&](uint32_t count) {
    std::vector<Item> items(count);
    for (Item& item : items) item = {++next, 7};
    return batch_of(items);
  };
  for (const uint32_t count : {1000u, 100000u, 300000u, 50000u})
    insert(*tables, {numbered(count), numbered(count / 4), numbered(1)}, known);
  EXPECT_GT(tables->pointer_range(), 1u << 19);
  expect_holds(*tables, known);
}

TEST_P(BatchesOfItems, TakeTurnsWithInsertionsAndSweeps) {
  for (const uint32_t load_factor : {8u, 96u, 1000000u}) {
    const auto tables = make({.load_factor = load_factor});
    Random random(4 + load_factor);
    Known known;
    for (uint32_t round = 0; round < 5 + kThoroughness; ++round) {
      insert(*tables, random_batches(random, {1000, 100, 3000}, known), known);
      ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << "round " << round;
      const std::vector<Item> others = unique_items(random, random.below(500), 5, 1000000);
      const Pointers pointers = tables->insert_all(Batch(others));
      for (size_t i = 0; i < others.size(); ++i) known.emplace(others[i], pointers[i]);
      ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << "round " << round;
      const uint32_t kept_of_ten = std::array{10u, 9u, 5u, 1u, 0u}[random.below(round % 5 == 4 ? 5 : 4)];
      std::erase_if(known, [&](const auto&) { return random.below(10) >= kept_of_ten; });
      Pointers kept;
      for (const auto& [item, pointer] : known) kept.push_back(pointer);
      tables->sweep(kept);
      ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << "round " << round;
      ASSERT_FALSE(HasFailure()) << "round " << round;
    }
  }
}

// All items of one size are removed together with their superblock; the sectors of their long bucket remain.
// The next batches are so small that each takes some of these sectors.
TEST_P(BatchesOfItems, TakeOverflowSectorsThatASweepHasLeft) {
  const auto tables = make({.load_factor = 1000000});
  hash::SizeCounts one_each = {};
  one_each[3] = one_each[5] = one_each[6] = one_each[7] = 1;
  tables->expect(one_each);
  Random random(7);
  Known known;
  insert(*tables, {batch_of(unique_items(random, 1000, 3))}, known);
  for (const uint32_t words : {5u, 6u, 7u}) {
    insert(*tables, {batch_of(unique_items(random, 3000, words))}, known);
    std::erase_if(known, [&](const auto& one) { return one.first.size() == words; });
    Pointers kept;
    for (const auto& [item, pointer] : known) kept.push_back(pointer);
    tables->sweep(kept);
    for (const uint32_t count : {30u, 50u, 700u, 45u, 25u, 2000u, 1u}) {
      insert(*tables, {batch_of(unique_items(random, count, 3)), batch_of(unique_items(random, 40, 3))},
             known);
      ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << words << " words, " << count;
      ASSERT_FALSE(HasFailure()) << words << " words, " << count;
    }
  }
}

// An item that has received a place may stay although its batch is abandoned, but no other item may be put
// there.
TEST_P(BatchesOfItems, ThatAreAbandonedLeaveTheTablesWhole) {
  const auto tables = make({.load_factor = 16});
  Random random(5);
  Known known;
  for (uint32_t round = 0; round < 3 + kThoroughness / 2; ++round) {
    const uint32_t count = round % 3 == 0 ? 200 : 3000;
    std::vector<LinkedBatch> batches;
    for (uint32_t size : {count, count / 2, 3 * count})
      batches.push_back(random_batch(random, size, nullptr, known));
    tables->abandon_batches(batches);
    for (const LinkedBatch& batch : batches) learn_stored(*tables, batch, known);
    ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << "round " << round;
    const auto others = unique_items(random, count, 4, 1000000);
    const Pointers pointers = tables->insert_all(Batch(others));
    for (size_t i = 0; i < others.size(); ++i) known.emplace(others[i], pointers[i]);
    ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << "round " << round;
    insert(*tables, batches, known);
    ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known)) << "round " << round;
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

// Memory that batches have requested and not used must be released some time.
TEST_P(BatchesOfItems, LeaveNoMemoryBehindWhenAllHaveGone) {
  const auto tables = make({.load_factor = 1000000});
  Random random(6);
  const uint64_t used = device().bytes_used();
  uint64_t after_first = 0;
  for (int round = 0; round < 4; ++round) {
    Known known;
    const std::vector<uint32_t> sizes = {2000 * kThoroughness, 4000 * kThoroughness, 5000 * kThoroughness};
    insert(*tables, random_batches(random, sizes, known), known);
    tables->sweep({});
    EXPECT_EQ(tables->items(), 0u);
    EXPECT_EQ(tables->pointer_range(), 0u);
    if (round == 0) after_first = device().bytes_used();
    EXPECT_EQ(device().bytes_used(), after_first) << "round " << round;
  }
  EXPECT_LE(after_first, used + (1 << 20));  // memory whose size does not depend on the items
}

}  // namespace
}  // namespace vox
