#include "libvox/dag/load.h"

#include <gtest/gtest.h>

#include <set>

#include "libvox/dag/freeze.h"
#include "libvox/device/cpu_device.h"
#include "libvox/hash/table_list.h"
#include "tests/dag/grids.h"

namespace vox {
namespace {

// Calls f(store) with a new store for each variant of tables.
using UseStore = std::function<void(dag::DagStore<device::CpuDevice>&)>;
void for_each_store(device::CpuDevice& device, const hash::TableOptions& options, const UseStore& f) {
  for (const std::string& table : hash::table_names()) {
    SCOPED_TRACE(table);
    dag::DagStore<device::CpuDevice> store(device, {.table = table, .load_factor = options.load_factor});
    f(store);
  }
}

dag::FrozenDag frozen(device::CpuDevice& device, const dag::DagStore<device::CpuDevice>& store, uint32_t root,
                      const dag::FrozenDag& like) {
  dag::FrozenDag dag = dag::empty_dag(like.resolution, like.materials);
  dag::Freezer(device, store, dag).run(root);
  return dag;
}

void expect_same_words(const dag::FrozenDag& a, const dag::FrozenDag& b) {
  EXPECT_EQ(dag::to_string(a.digest), dag::to_string(b.digest));
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (size_t level = 0; level < a.levels.size(); ++level) {
    EXPECT_TRUE(a.levels[level].words == b.levels[level].words) << "level " << level;
    EXPECT_EQ(a.levels[level].nodes, b.levels[level].nodes) << "level " << level;
  }
}

// Counts by brute force the leaves and nodes with different words, where nodes have the pointers of one
// store. This is the number of items that the store must hold.
uint64_t different_items(const dag::DagStore<device::CpuDevice>& store, uint32_t root,
                         const dag::FrozenDag& dag) {
  std::set<std::vector<uint32_t>> items;
  std::set<uint32_t> level_pointers = {root};
  for (uint32_t level = 0; level <= dag.depth(); ++level) {
    std::set<uint32_t> below;
    for (const uint32_t pointer : level_pointers) {
      const hash::ItemRef item = store.ref().item(pointer);
      const bool leaf = level == dag.depth();
      const uint32_t size =
          leaf ? dag::leaf_words(dag::leaf_mask(item), dag.materials) : dag::node_words(item[0]);
      std::vector<uint32_t> words;
      for (uint32_t i = 0; i < size; ++i) words.push_back(item[i]);
      if (!leaf) below.insert(words.begin() + 1, words.end());
      items.insert(words);
    }
    level_pointers = below;
  }
  return items.size();
}

TEST(DagLoader, AStoreGivesBackTheSceneThatWasLoaded) {
  device::CpuDevice device(0, false);
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 5u, 37u, 64u})
      for (const bool materials : {false, true}) {
        SCOPED_TRACE(testing::Message() << "R " << resolution << ", materials " << materials);
        const dag::FrozenDag dag = dense_dag(resolution, materials, grid);
        for_each_store(device, {}, [&](auto& store) {
          const uint32_t root = dag::DagLoader(device, store, dag).insert().root;
          EXPECT_EQ(root == hash::kNullPointer, dag.empty());
          expect_same_words(frozen(device, store, root, dag), dag);
        });
      }
}

TEST(DagLoader, TheTablesHoldEachDifferentItemOnce) {
  device::CpuDevice device(0, false);
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(everywhere), dust(3)})
    for (const bool materials : {false, true}) {
      const dag::FrozenDag dag = dense_dag(64, materials, grid);
      for_each_store(device, {.load_factor = 16}, [&](auto& store) {
        const dag::StoreWork work = dag::DagLoader(device, store, dag).insert();
        EXPECT_EQ(store.items(), different_items(store, work.root, dag));
        uint64_t items = 0, inserted = 0;
        for (size_t level = 0; level < dag.levels.size(); ++level) {
          EXPECT_EQ(work.levels[level].items, dag.levels[level].nodes);
          items += work.levels[level].items;
          inserted += work.levels[level].inserted;
        }
        EXPECT_EQ(items, dag.unique_nodes());
        EXPECT_EQ(inserted, store.items());
      });
    }
}

// A leaf {1, m} equals a node {1, pointer} if the second word of its mask happens to be the pointer. This
// scene has such a pair: a leaf a = {1, 0}, which goes first into an empty store and therefore gets the same
// pointer as in a scene of its own; a leaf {1, pointer to a}; and above each leaf a node with one child.
TEST(DagLoader, ANodeThatIsEqualToALeafIsStoredOnce) {
  device::CpuDevice device(0, false);
  dag::FrozenDag alone = dag::empty_dag(4, false);
  alone.levels[0] = {.words = {1, 0}, .nodes = 1, .svo_nodes = 1};
  dag::place_nodes(alone);
  int tables = 0;
  for (const std::string& table : hash::table_names()) {
    SCOPED_TRACE(table);
    dag::DagStore<device::CpuDevice> store(device, {.table = table});
    const uint32_t a = dag::DagLoader(device, store, alone).insert().root;
    dag::FrozenDag dag = dag::empty_dag(16, false);
    dag.levels[2] = {.words = {1, 0, 1, a}, .nodes = 2, .svo_nodes = 2};
    dag.levels[1] = {.words = {1, 0, 1, 1}, .nodes = 2, .svo_nodes = 2};
    dag.levels[0] = {.words = {3, 0, 1}, .nodes = 1, .svo_nodes = 1};
    dag::place_nodes(dag);
    dag::DagStore<device::CpuDevice> fresh(device, {.table = table});
    const dag::StoreWork work = dag::DagLoader(device, fresh, dag).insert();
    const hash::ItemRef root = fresh.ref().item(work.root);
    // If a lies elsewhere, this table shows nothing.
    if (a == 0 || fresh.ref().item(root[1])[1] != a) continue;
    ++tables;
    EXPECT_EQ(fresh.items(), 4u);
    EXPECT_EQ(work.levels[1].inserted, 1u);
    EXPECT_EQ(different_items(fresh, work.root, dag), 4u);
  }
  EXPECT_GT(tables, 0);
}

TEST(DagLoader, ScenesInOneStoreShareWhatTheyHaveInCommon) {
  device::CpuDevice device(0, false);
  const dag::FrozenDag first = dense_dag(64, true, shell), second = dense_dag(64, true, blocks);
  for_each_store(device, {}, [&](auto& store) {
    const uint32_t root = dag::DagLoader(device, store, first).insert().root;
    const uint64_t items = store.items();
    EXPECT_EQ(dag::DagLoader(device, store, first).insert().root, root);
    EXPECT_EQ(store.items(), items);
    const uint32_t other = dag::DagLoader(device, store, second).insert().root;
    expect_same_words(frozen(device, store, root, first), first);
    expect_same_words(frozen(device, store, other, second), second);
  });
}

TEST(DagLoader, FindsEveryItemWhereItWasStored) {
  device::CpuDevice device(0, false);
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  for_each_store(device, {}, [&](auto& store) {
    dag::DagLoader loader(device, store, dag);
    const uint32_t root = loader.insert().root;
    const dag::StoreWork found = loader.find();
    EXPECT_EQ(found.root, root);
    EXPECT_EQ(found.levels.back().items, dag.levels.back().nodes);
    EXPECT_EQ(found.levels.back().inserted, 0u);
  });
}

TEST(DagLoader, ConcurrentLoadsOfManyItemsGiveTheSceneBack) {
  device::CpuDevice device(0, false);
  const dag::FrozenDag dag = dense_dag(100, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return static_cast<int>(mix64(x + 100 * y + 10000 * z) % 16);
  });
  ASSERT_GT(dag.unique_nodes(), 15000u);
  for_each_store(device, {}, [&](auto& store) {
    expect_same_words(frozen(device, store, dag::DagLoader(device, store, dag).insert().root, dag), dag);
  });
}

// A file that repeats a leaf is not canonical, but its digest is still the scene's.
TEST(DagLoader, RepeatedNodesDoNoHarm) {
  device::CpuDevice device(0, false);
  dag::FrozenDag dag = dag::empty_dag(8, false);
  dag.levels[0] = {.words = {3, 0, 1}, .nodes = 1, .svo_nodes = 1};
  dag.levels[1] = {.words = {1, 1, 1, 1}, .nodes = 2, .svo_nodes = 2};
  dag::place_nodes(dag);
  dag.digest = dag::compute_digest(dag);
  for_each_store(device, {}, [&](auto& store) {
    const uint32_t root = dag::DagLoader(device, store, dag).insert().root;
    EXPECT_EQ(dag::to_string(frozen(device, store, root, dag).digest), dag::to_string(dag.digest));
  });
}

// Such nodes stay in the store until garbage is collected.
TEST(DagLoader, NodesThatNoPointerLeadsToDoNoHarm) {
  device::CpuDevice device(0, false);
  const dag::FrozenDag good = dense_dag(8, false, [](uint32_t x, uint32_t y, uint32_t z) {
    return y + z == 0 && (x == 1 || x == 5) ? 0 : dag::kEmptyVoxel;  // the same leaf, twice
  });
  for (const uint32_t used : {0u, 1u, 2u}) {
    dag::FrozenDag dag = good;
    Words& leaves = dag.levels[1].words;
    for (uint32_t i = 0; i < 3; ++i)
      if (i != used) leaves.insert(leaves.begin() + 2 * i, {4 + i, 1});
    for (size_t i : {1, 2}) dag.levels[0].words[i] = used;
    dag::place_nodes(dag);
    for_each_store(device, {}, [&](auto& store) {
      const uint32_t root = dag::DagLoader(device, store, dag).insert().root;
      expect_same_words(frozen(device, store, root, dag), good);
    });
  }
}

}  // namespace
}  // namespace vox
