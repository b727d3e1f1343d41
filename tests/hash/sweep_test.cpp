// Tests the removal of items: unmarked items disappear, marked ones keep their places, and free places are
// used again.
#include <map>
#include <set>

#include "tests/common/random.h"
#include "tests/hash/any_device.h"

namespace vox {
namespace {

uint64_t allocated_bytes(AnyTables& tables) {
  uint64_t sum = 0;
  for (const hash::TableMemory& memory : tables.memory()) sum += memory.allocated_bytes();
  return sum;
}

class Sweep : public TablesTest {
 protected:
  // Some items get hashes that all lead to the first bucket, so that it becomes long.
  static Batch batch_of(const std::vector<Item>& items) {
    Batch batch;
    for (const Item& item : items) {
      const uint64_t hash = hash::hash_words(item.data(), static_cast<uint32_t>(item.size()));
      batch.add(item, item.back() % 64 == 0 ? hash & 0xffffffff : hash);
    }
    return batch;
  }

  static void insert(AnyTables& tables, const std::vector<Item>& items, Known& known) {
    const Batch batch = batch_of(items);
    const Pointers pointers = tables.insert_all(batch);
    std::unordered_set<uint32_t> places;
    for (const auto& [item, pointer] : known) places.insert(pointer);
    for (uint64_t i = 0; i < items.size(); ++i) {
      ASSERT_TRUE(places.insert(pointers[i]).second) << "two items at one place";
      known.emplace(items[i], pointers[i]);
    }
    ASSERT_NO_FATAL_FAILURE(expect_items_at(tables, batch, pointers));
  }

  // Keeps the items for which keep(item) is true, and returns the others.
  template <class Keep>
  std::vector<Item> sweep(AnyTables& tables, Known& known, const Keep& keep) {
    Pointers kept;
    std::vector<Item> gone;
    Known left;
    for (const auto& [item, pointer] : known)
      if (keep(item)) {
        kept.push_back(pointer);
        left.emplace(item, pointer);
      } else {
        gone.push_back(item);
      }
    const uint64_t used_before = device().bytes_used();
    const hash::SweepResult result = tables.sweep(kept);
    EXPECT_EQ(result.items_removed, gone.size());
    const uint64_t used = device().bytes_used();
    EXPECT_EQ(result.bytes_returned, used_before > used ? used_before - used : 0);
    known = left;
    return gone;
  }

  static void expect_holds(AnyTables& tables, const Known& known, const std::vector<Item>& gone) {
    std::vector<Item> items;
    Pointers pointers;
    for (const auto& [item, pointer] : known) {
      items.push_back(item);
      pointers.push_back(pointer);
    }
    const Batch batch = batch_of(items);
    ASSERT_EQ(tables.items(), known.size());
    ASSERT_EQ(tables.find_all(batch), pointers);
    ASSERT_NO_FATAL_FAILURE(expect_items_at(tables, batch, pointers));
    ASSERT_EQ(tables.find_all(batch_of(gone)), no_pointers(gone.size()));
    expect_memory_recounted(tables, known);
  }

  static void expect_memory_recounted(AnyTables& tables, const Known& known) {
    std::map<uint32_t, uint64_t> items_of_size;
    for (const auto& [item, pointer] : known) ++items_of_size[static_cast<uint32_t>(item.size())];
    const auto memory = tables.memory();
    ASSERT_EQ(memory.size(), items_of_size.size());
    for (const hash::TableMemory& one : memory) {
      EXPECT_EQ(one.items, items_of_size[one.item_words]);
      EXPECT_EQ(one.item_bytes, one.items * one.item_words * 4);
      EXPECT_EQ(one.empty_bytes % (one.item_words * 4), 0u);
      uint64_t buckets = 0, slabs = 0;
      for (size_t length = 0; length < one.chain_lengths.size(); ++length) {
        buckets += one.chain_lengths[length];
        slabs += length * one.chain_lengths[length];
      }
      EXPECT_EQ(buckets, one.buckets);
      if (GetParam() == "sector")
        EXPECT_EQ(slabs, one.slabs);
      else
        EXPECT_EQ(one.slabs, slabs_with_items(known, one.item_words));
    }
  }
  // Empty slabs must have left their buckets.
  static uint64_t slabs_with_items(const Known& known, uint32_t words) {
    std::set<uint32_t> slabs;
    for (const auto& [item, pointer] : known)
      if (item.size() == words) slabs.insert(pointer >> hash::kSlotBits);
    return slabs.size();
  }
};
VOX_FOR_ALL_TABLES(Sweep);

TEST_P(Sweep, OfEmptyTablesChangesNothing) {
  const auto tables = make();
  EXPECT_EQ(tables->sweep({}).items_removed, 0u);
  Known known;
  insert(*tables, {{1, 2}, {3, 4, 5}}, known);
  expect_holds(*tables, known, {});
}

TEST_P(Sweep, WithAllItemsMarkedChangesNothing) {
  const auto tables = make();
  Random random(1);
  Known known;
  for (uint32_t words : {2u, 6u, 10u}) insert(*tables, unique_items(random, 3000, words), known);
  const uint64_t bytes = allocated_bytes(*tables);
  EXPECT_TRUE(sweep(*tables, known, [](const Item&) { return true; }).empty());
  expect_holds(*tables, known, {});
  EXPECT_EQ(allocated_bytes(*tables), bytes);
}

TEST_P(Sweep, WithNothingMarkedGivesAllMemoryBack) {
  const auto tables = make();
  Random random(2);
  const uint64_t used = device().bytes_used();
  for (int round = 0; round < 3; ++round) {
    Known known;
    std::vector<Item> items;
    for (uint32_t words = hash::kMinItemWords; words <= hash::kMaxItemWords; ++words)
      for (const Item& item : unique_items(random, 2000, words)) items.push_back(item);
    insert(*tables, items, known);
    const uint64_t range = tables->pointer_range();
    const auto gone = sweep(*tables, known, [](const Item&) { return false; });
    EXPECT_EQ(gone.size(), items.size());
    EXPECT_EQ(tables->items(), 0u);
    EXPECT_EQ(tables->pointer_range(), 0u);
    EXPECT_LE(device().bytes_used(), used + (1 << 20));  // memory whose size does not depend on the items
    expect_holds(*tables, known, gone);
    insert(*tables, gone, known);
    EXPECT_EQ(tables->pointer_range(), range);  // the numbers of superblocks are used again
    expect_holds(*tables, known, {});
    sweep(*tables, known, [](const Item&) { return false; });
  }
}

// Each round inserts items that are new or were removed before, sweeps with random marks, and checks all
// items.
TEST_P(Sweep, RoundsOfInsertionAndRemovalAgreeWithAMap) {
  for (const uint32_t load_factor : {8u, 96u}) {
    const auto tables = make({.load_factor = load_factor});
    Random random(3 + load_factor);
    Known known;
    std::set<Item> gone;
    for (int round = 0; round < (load_factor == 8 ? 50 : 20); ++round) {
      std::set<Item> items;
      const uint32_t size_of_batch = std::array{1u, 30u, 300u, 1500u}[random.below(4)];
      for (uint32_t i = 0; i < size_of_batch; ++i)
        items.insert(random_item(random, 2 + random.below(2) * 3 + random.below(2)));
      for (const Item& item : gone)
        if (random.below(3) == 0) items.insert(item);
      for (const auto& [item, pointer] : known) items.erase(item);
      for (const Item& item : items) gone.erase(item);
      ASSERT_NO_FATAL_FAILURE(insert(*tables, {items.begin(), items.end()}, known)) << "round " << round;
      const uint32_t kept_of_ten = std::array{10u, 9u, 5u, 1u, 0u}[random.below(round % 10 == 9 ? 5 : 4)];
      for (const Item& item :
           sweep(*tables, known, [&](const Item&) { return random.below(10) < kept_of_ten; }))
        gone.insert(item);
      ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known, {gone.begin(), gone.end()})) << "round " << round;
    }
  }
}

// When buckets are split, the new ones share the slabs of the old ones.
TEST_P(Sweep, OfATableThatHasOutgrownItsBucketsKeepsWhatIsMarked) {
  for (const uint32_t kept_of_ten : {0u, 1u, 5u}) {
    const auto tables = make({.load_factor = 16});
    Random random(4);
    Known known;
    for (uint32_t count : {500u, 3000u, 20000u}) insert(*tables, unique_items(random, count, 5), known);
    for (int round = 0; round < 3; ++round) {
      const auto gone = sweep(*tables, known, [&](const Item&) { return random.below(10) < kept_of_ten; });
      ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known, gone));
      insert(*tables, gone, known);
      ASSERT_NO_FATAL_FAILURE(expect_holds(*tables, known, {}));
    }
  }
}

TEST_P(Sweep, FreedPlacesAreUsedAgain) {
  const auto tables = make();
  Random random(5);
  Known known;
  insert(*tables, unique_items(random, 10000, 4), known);
  const uint64_t bytes = allocated_bytes(*tables);
  for (int round = 0; round < 30; ++round) {
    const auto gone = sweep(*tables, known, [&](const Item&) { return random.below(4) != 0; });
    ASSERT_NO_FATAL_FAILURE(insert(*tables, unique_items(random, gone.size(), 4), known));
  }
  expect_holds(*tables, known, {});
  // There may be a few more bytes if a bucket has become fuller than any was before. More than 20 times as
  // many items have come and gone.
  EXPECT_LT(allocated_bytes(*tables), bytes * 5 / 4);
}

TEST_P(Sweep, ItemsThatComeBackTakeNoMoreMemoryThanBefore) {
  const auto tables = make();
  Random random(6);
  Known known;
  insert(*tables, unique_items(random, 20000, 6), known);
  const hash::TableMemory before = tables->memory().at(0);
  insert(*tables, sweep(*tables, known, [&](const Item&) { return random.below(3) != 0; }), known);
  const hash::TableMemory after = tables->memory().at(0);
  EXPECT_EQ(after.slabs, before.slabs);
  EXPECT_EQ(after.empty_bytes, before.empty_bytes);
  EXPECT_EQ(after.allocated_bytes(), before.allocated_bytes());
}

// Items that are inserted together at the end lie together, so whole superblocks become empty.
TEST_P(Sweep, SuperblocksWithoutItemsGoBackAndTheirNumbersComeAgain) {
  const auto tables = make();
  Random random(7);
  Known known;
  insert(*tables, unique_items(random, 3000, 3), known);
  const Known first = known;
  const uint64_t range = tables->pointer_range(), used = device().bytes_used();
  std::vector<Item> others;
  for (uint32_t words : {5u, 7u})
    for (const Item& item : unique_items(random, 2000, words)) others.push_back(item);
  for (int round = 0; round < 3; ++round) {
    insert(*tables, others, known);
    const uint64_t bytes = allocated_bytes(*tables);
    EXPECT_EQ(tables->pointer_range(), range + (2u << 19));
    sweep(*tables, known, [&](const Item& item) { return first.contains(item); });
    EXPECT_EQ(tables->pointer_range(), range);
    EXPECT_LT(allocated_bytes(*tables), bytes / 2);
    EXPECT_LE(device().bytes_used(), used + (1 << 20));
    expect_holds(*tables, known, others);
  }
}

// Some of the items are in a bucket that gets many more of them than it has room for at first.
TEST_P(Sweep, ItemsThatComeAndGoTakeTheSameMemoryEachTime) {
  const auto tables = make();
  Random random(9);
  Known known;
  auto in_one_bucket = [&](uint32_t count, uint32_t words) {
    std::vector<Item> items = unique_items(random, count, words);
    for (Item& item : items) item.back() = 64;  // see batch_of()
    return items;
  };
  insert(*tables, in_one_bucket(1000, 3), known);
  const Known first = known;
  std::vector<Item> others = in_one_bucket(1000, 3);
  for (const Item& item : in_one_bucket(3000, 5)) others.push_back(item);
  uint64_t bytes = 0;
  for (int round = 0; round < 20; ++round) {
    insert(*tables, others, known);
    if (round < 2) bytes = allocated_bytes(*tables);
    EXPECT_EQ(allocated_bytes(*tables), bytes);
    sweep(*tables, known, [&](const Item& item) { return first.contains(item); });
  }
  expect_holds(*tables, known, others);
}

TEST_P(Sweep, WithAllItemsMarkedDoesNotChangeHowATableGrows) {
  const auto swept = make({.load_factor = 16}), other = make({.load_factor = 16});
  Random random(10);
  Known known;
  for (uint32_t count : {100u, 2000u, 3000u, 20000u, 30000u}) {
    const auto items = unique_items(random, count, 4);
    insert(*swept, items, known);
    other->insert_all(batch_of(items));
    sweep(*swept, known, [](const Item&) { return true; });
    EXPECT_EQ(swept->memory().at(0).buckets, other->memory().at(0).buckets);
  }
}

// There is a bucket for every item, so most items have a slab of their own. The first batch is so large that
// the table begins with a whole superblock, even if each group of a GPU holds one more slab, but not with
// two. The other batches are so small that all slabs of the superblock are taken before there is another. An
// allocator that did not clear the marks of full blocks would then search for ever.
TEST_P(Sweep, FullBlocksOfSlabsAreOpenAgain) {
  const auto tables = make({.load_factor = 1});
  hash::SizeCounts expected = {};
  expected[4] = 19000;
  tables->expect(expected);
  Random random(11);
  const Batch batch(unique_items(random, 2 * expected[4], 4));
  Pointers pointers(batch.size());
  auto insert_until_grown = [&](uint32_t first) {
    for (uint32_t i = first; i < batch.size() && tables->pointer_range() <= 1 << 19;) {
      const uint64_t most = i == 0 ? 8000 : i < 30000 ? 500 : 20;
      Chosen chosen(std::min<uint64_t>(most, batch.size() - i));
      std::iota(chosen.begin(), chosen.end(), i);
      const Pointers inserted = tables->insert(batch, chosen);
      for (uint32_t item : chosen) pointers[item] = inserted[item];
      i += static_cast<uint32_t>(chosen.size());
    }
  };
  insert_until_grown(0);
  for (int round = 0; round < 2; ++round) {
    const Pointers kept(pointers.begin(), pointers.begin() + 1000);
    tables->sweep(kept);
    EXPECT_EQ(tables->items(), kept.size());
    EXPECT_EQ(tables->pointer_range(), 1u << 19);
    insert_until_grown(1000);
  }
}

// More items of one size than the 2^19 of a superblock are inserted at once, so runs cross the superblocks'
// borders. The superblocks are then returned and taken again one after another.
TEST_P(Sweep, BucketsLoseWhatTheyHadInASuperblockThatGoes) {
  if (kThreadSanitizer) GTEST_SKIP() << "a million items";
  const auto tables = make();
  Batch batch;
  for (uint32_t i = 0; i < 1100000; ++i) batch.add({1 + i, 7});
  Pointers pointers = tables->insert_all(batch);
  const uint64_t range = tables->pointer_range();
  const uint32_t superblocks = static_cast<uint32_t>(range >> 19);
  ASSERT_GE(superblocks, 3u);
  for (const uint32_t gone : {1u, 0u, 2u, superblocks - 1}) {  // the first of these is in the middle
    const uint64_t bytes = allocated_bytes(*tables);
    Pointers kept, found;
    Chosen missing;
    for (uint32_t i = 0; i < batch.size(); ++i) {
      const bool stays = pointers[i] >> 19 != gone;
      found.push_back(stays ? pointers[i] : hash::kNullPointer);
      if (stays)
        kept.push_back(pointers[i]);
      else
        missing.push_back(i);
    }
    ASSERT_FALSE(missing.empty());
    EXPECT_EQ(tables->sweep(kept).items_removed, missing.size());
    EXPECT_LE(allocated_bytes(*tables) + (3 << 20), bytes);
    ASSERT_TRUE(tables->find_all(batch) == found) << gone;
    const Pointers again = tables->insert(batch, missing);
    for (uint32_t i : missing) pointers[i] = again[i];
    ASSERT_TRUE(tables->find_all(batch) == pointers) << gone;
    EXPECT_LE(tables->pointer_range(), range + (2u << 19));
  }
  EXPECT_EQ(tables->items(), batch.size());
  EXPECT_TRUE(all_different(pointers));  // no pointer is shared, because each item was found at its own
}

}  // namespace
}  // namespace vox
