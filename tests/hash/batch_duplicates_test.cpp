// Tests both ways of finding duplicates inside a batch.
#include <gtest/gtest.h>

#include <map>

#include "tests/hash/any_device.h"

namespace vox {
namespace {

// checked_leaders() returns the leaders of a batch after checking them: equal items, and no others, have the
// same leader, which is one of them and its own leader.
class BatchDuplicates : public testing::TestWithParam<LeaderFinder> {
 protected:
  std::vector<uint32_t> checked_leaders(const Batch& batch);

 private:
  std::unique_ptr<AnyDevice> device_ = make_any_device();
};

std::vector<uint32_t> BatchDuplicates::checked_leaders(const Batch& batch) {
  std::vector<uint32_t> leaders = device_->leaders(batch, GetParam());

  std::map<Item, uint32_t> leader_of;
  for (uint64_t i = 0; i < batch.size(); ++i) {
    const uint32_t leader = leaders[i];
    if (leader >= batch.size()) {
      ADD_FAILURE() << "no leader for " << i;
      return {};
    }
    EXPECT_EQ(leaders[leader], leader);
    EXPECT_EQ(batch.item(leader), batch.item(i));
    EXPECT_EQ(leader_of.emplace(batch.item(i), leader).first->second, leader);
  }
  return leaders;
}

INSTANTIATE_TEST_SUITE_P(Ways, BatchDuplicates,
                         testing::Values(LeaderFinder::OpenAddressing, LeaderFinder::Slabs),
                         [](const auto& info) {
                           return info.param == LeaderFinder::Slabs ? "slabs" : "open_addressing";
                         });

TEST_P(BatchDuplicates, AnEmptyBatchAndASingleItemAreFine) {
  EXPECT_TRUE(checked_leaders({}).empty());
  EXPECT_EQ(checked_leaders(Batch({{1, 2}})), std::vector<uint32_t>{0});
}

TEST_P(BatchDuplicates, ItemsThatAreAllEqualShareOneLeader) {
  const auto leaders = checked_leaders(Batch(std::vector<Item>(20000, Item{7, 0, 9})));
  EXPECT_EQ(leaders, std::vector<uint32_t>(20000, leaders[0]));
}

TEST_P(BatchDuplicates, ItemsThatAreAllDifferentLeadThemselves) {
  Random random(1);
  const auto leaders = checked_leaders(Batch(unique_items(random, 20000, 3)));
  for (uint32_t i = 0; i < 20000; ++i) ASSERT_EQ(leaders[i], i);
}

TEST_P(BatchDuplicates, RandomItemsOfAllSizesAreGroupedByContent) {
  Random random(2);
  Batch batch;
  for (int i = 0; i < 40000; ++i) batch.add(random_item(random, 2 + random.below(9), 2 + random.below(30)));
  checked_leaders(batch);
}

TEST_P(BatchDuplicates, AnItemIsNotTheBeginningOfALongerOne) {
  Batch batch;
  for (uint32_t i = 0; i < 1000; ++i)
    for (uint32_t size = 2; size <= 10; ++size) batch.add(Item(size, 1 + i % 10), 5);  // hashes collide
  checked_leaders(batch);
}

TEST_P(BatchDuplicates, DuplicatesOfABucketWithManySlabsAreFound) {
  Random random(4);
  Batch batch;
  const auto items = unique_items(random, 1000, 5);
  for (int round = 0; round < 3; ++round)
    for (const Item& item : items) batch.add(item, 77);
  checked_leaders(batch);
}

TEST_P(BatchDuplicates, ItemsThatDifferInTheirLastWordOnlyAreToldApart) {
  Batch batch;
  for (uint32_t i = 0; i < 20000; ++i) {
    Item item(10, UINT32_MAX);  // such as a completely filled leaf
    item.back() = i % 500;
    batch.add(item, i % 50);
  }
  checked_leaders(batch);
}

TEST_P(BatchDuplicates, DifferentItemsWithTheSameHashHaveDifferentLeaders) {
  Random random(3);
  Batch batch;
  for (const Item& item : unique_items(random, 300, 4)) {
    batch.add(item, UINT64_MAX);  // in the table's last slot, so the search continues at the first
    batch.add(item, UINT64_MAX);
  }
  checked_leaders(batch);
}

}  // namespace
}  // namespace vox
