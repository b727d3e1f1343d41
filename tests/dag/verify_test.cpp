// Breaks each rule of a canonical DAG once and expects the error that names it.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>

#include "libvox/base/error.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/levels.h"
#include "libvox/dag/verify.h"
#include "libvox/device/cpu_device.h"
#include "libvox/hash/table_options.h"
#include "libvox/ranks/ranks.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

template <class Check>
std::string problem_in(const Check& check) {
  try {
    check();
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

class Verify : public testing::Test {
 protected:
  static void SetUpTestSuite() { engine_ = test_engine(); }
  static void TearDownTestSuite() { engine_.reset(); }

  // Returns the error for a DAG with these words. Three ranks must throw the same error and, for every DAG that
  // check_structure() accepts, the device too.
  static std::string problem_of(dag::FrozenDag dag) {
    std::string misplaced = problem_in([&] { dag::place_nodes(dag); });
    if (misplaced != "none") return misplaced;
    std::string problem = problem_in([&] { dag::verify(dag); });
    for (const uint64_t memory : {UINT64_MAX, uint64_t{0}})
      EXPECT_EQ(problem_in([&] {
                  ranks::run_thread_ranks(3, [&](ranks::Ranks& ranks) { dag::verify(dag, memory, ranks); });
                }),
                problem);
    if (problem_in([&] { dag::check_structure(dag); }) == "none") {
      EXPECT_EQ(problem_in([&] { dag::verify_on(engine_->handle(), dag); }), problem);
    }
    return problem;
  }

 private:
  inline static std::unique_ptr<Engine> engine_;
};

// Returns a DAG with two inner levels, of one and two nodes, and three leaves:
//
//   level 0   root   mask 0x81 → A, B
//   level 1   A      mask 0x03 → a, b
//             B      mask 0x05 → b, c
//   leaves    a, b, c
dag::FrozenDag small_dag() {
  return dense_dag(16, true, [](uint32_t x, uint32_t y, uint32_t z) {
    if (x == 1 && y == 0 && z == 0) return 1;                       // leaf a
    if (x == 5 && y <= 1 && z == 0) return 2;                       // leaf b
    if (x == 9 && y >= 8 && y <= 9 && z == 8) return 2;             // leaf b again
    if (x >= 8 && x < 12 && y >= 12 && z >= 8 && z < 12) return 3;  // leaf c, full
    return dag::kEmptyVoxel;
  });
}

struct Rule {
  std::string name;
  std::function<void(dag::FrozenDag&)> break_it;
  std::string expected;  // part of the message
};

TEST_F(Verify, TheSmallDagIsWhatTheRulesBelowAssume) {
  dag::FrozenDag dag = small_dag();
  EXPECT_EQ(problem_of(dag), "none");
  EXPECT_EQ(dag.levels[0].words, (Words{0x81, 0, 1}));
  EXPECT_EQ(dag.levels[1].words, (Words{0x03, 0, 1, 0x05, 1, 2}));
  ASSERT_EQ(dag.levels[2].words.size(), 3u + 3 + 10);
  EXPECT_EQ(dag.levels[2].words[5], 0x22u);
}

TEST_F(Verify, EachBrokenRuleIsNamed) {
  const Rule rules[] = {
      {"number out of range", [](dag::FrozenDag& d) { d.levels[1].words[2] = 3; },
       "level 1, word 2: points to node 3 of level 2, which has only 3"},
      {"huge number", [](dag::FrozenDag& d) { d.levels[0].words[1] = UINT32_MAX; },
       "level 0, word 1: points to node 4294967295 of level 1, which has only 2"},
      {"node beyond the end", [](dag::FrozenDag& d) { d.levels[1].words.pop_back(); },
       "level 1, word 3: a node has 3 words, but only 2 are left"},
      {"leaf beyond the end", [](dag::FrozenDag& d) { d.levels[2].words.resize(7); },
       "level 2, word 6: a node has 2 words, but only 1"},
      {"two roots",
       [](dag::FrozenDag& d) {
         d.levels[0].words.insert(d.levels[0].words.end(), {0x01, 0});
       },
       "more than one root"},
      {"unreachable node",
       [](dag::FrozenDag& d) {
         d.levels[2].words.insert(d.levels[2].words.end(), {8, 0, 1});
       },
       "level 2: no pointer leads to node 3"},
      {"order", [](dag::FrozenDag& d) { std::swap(d.levels[0].words[1], d.levels[0].words[2]); },
       "level 0, word 1: points to node 1 of level 1, but node 0 comes next"},
      {"reserved bit", [](dag::FrozenDag& d) { d.levels[0].words[0] |= 1u << 13; },
       "level 0, word 0: reserved bits"},
      {"homogeneous flag", [](dag::FrozenDag& d) { d.levels[1].words[0] |= 0x100; },
       "level 1, word 0: the header is 0x0103, but the node's content requires 0x0003"},
      {"homogeneous material", [](dag::FrozenDag& d) { d.levels[1].words[0] |= 0x200; },
       "the header is 0x0203"},
      {"leaf without voxels",
       [](dag::FrozenDag& d) {
         d.levels[2].words.insert(d.levels[2].words.end(), {0, 0});
         d.levels[1].words[5] = 3;
         d.levels[1].words.push_back(2);
         d.levels[1].words[3] = 0x0d;
         std::swap(d.levels[1].words[5], d.levels[1].words[6]);
       },
       "level 2, word 16: a leaf has no voxels"},
      {"padding", [](dag::FrozenDag& d) { d.levels[2].words[5] = 0x122; }, "level 2, word 3: the padding"},
      {"equal leaves",
       [](dag::FrozenDag& d) {
         for (int i : {0, 1, 2})
           d.levels[2].words[static_cast<size_t>(i) + 3] = d.levels[2].words[static_cast<size_t>(i)];
       },
       "level 2, word 3: equal to the node at word 0"},
      {"outside", [](dag::FrozenDag& d) { d.resolution = 15; },
       "a voxel at y = 15 is filled, but the resolution is 15"},
      {"too few levels", [](dag::FrozenDag& d) { d.resolution = 17; },
       "3 levels at resolution 17, expected 4"},
      {"no levels", [](dag::FrozenDag& d) { d.levels.clear(); }, "0 levels at resolution 16"},
      {"resolution 0", [](dag::FrozenDag& d) { d.resolution = 0; }, "the resolution is 0"},
      {"resolution too large", [](dag::FrozenDag& d) { d.resolution = (1u << 20) + 1; },
       "the resolution is 1048577"},
      {"a level without words", [](dag::FrozenDag& d) { d.levels[2].words.clear(); },
       "level 2: has no words"},
      {"words below no root", [](dag::FrozenDag& d) { d.levels[0].words.clear(); }, "level 1: has words"},
      {"nodes", [](dag::FrozenDag& d) { d.levels[1].nodes = 3; },
       "the number of nodes of level 1 is 3, but the DAG holds 2"},
      {"octree nodes", [](dag::FrozenDag& d) { d.levels[2].svo_nodes = 3; },
       "the number of octree nodes of level 2 is 3, but the DAG holds 4"},
      {"voxels", [](dag::FrozenDag& d) { ++d.voxels; }, "the number of voxels is 70, but the DAG holds 69"},
      {"digest", [](dag::FrozenDag& d) { d.digest.low ^= 1; }, "the digest is"},
      {"another material", [](dag::FrozenDag& d) { d.levels[2].words[2] = 2; }, "the digest is"},
  };
  for (const Rule& rule : rules) {
    dag::FrozenDag dag = small_dag();
    rule.break_it(dag);
    EXPECT_NE(problem_of(dag).find(rule.expected), std::string::npos) << rule.name << ": " << problem_of(dag);
    // With no memory for what the nodes of a level need, which then lies in files.
    EXPECT_EQ(problem_in([&] { dag::verify(dag, 0); }), problem_in([&] { dag::verify(dag); })) << rule.name;
  }
}

// After a change of words, the nodes must be found again.
TEST_F(Verify, NodesThatAreNotWhereTheLevelSaysAreNamed) {
  dag::FrozenDag dag = small_dag();
  dag.levels[1].words[0] = 0x07;
  EXPECT_EQ(problem_in([&] { dag::check_structure(dag); }),
            "level 1, word 0: a node is not at the place that is stored for it");
  dag = small_dag();
  dag.levels[2].words.resize(7);
  EXPECT_EQ(problem_in([&] { dag::check_structure(dag); }),
            "level 2, word 7: a node is not at the place that is stored for it");
}

TEST_F(Verify, ANodeWithoutChildrenIsNamed) {
  dag::FrozenDag dag = small_dag();
  // Level 1 gets a third node, a header alone, between the two others.
  dag.levels[1].words = {0x03, 0, 1, 0x00, 0x05, 1, 2};
  dag.levels[0].words = {0x83, 0, 1, 2};
  EXPECT_NE(problem_of(dag).find("level 1, word 3: a node has no children"), std::string::npos)
      << problem_of(dag);
}

TEST_F(Verify, AFullCubeMustCarryTheFlag) {
  for (bool materials : {false, true}) {
    dag::FrozenDag dag = dense_dag(16, materials, [](uint32_t, uint32_t, uint32_t) { return 9; });
    EXPECT_EQ(dag.levels[1].words[0], dag::homogeneous_header(materials ? 9 : 0));
    dag.levels[1].words[0] = 0xff;
    EXPECT_NE(problem_of(dag).find("level 1, word 0: the header is 0x00ff"), std::string::npos);
    dag.levels[1].words[0] = dag::homogeneous_header(8);
    EXPECT_NE(problem_of(dag).find("level 1, word 0: the header is"), std::string::npos);
  }
}

TEST_F(Verify, EqualInnerNodesAreFound) {
  dag::FrozenDag dag = small_dag();
  dag.levels[1].words = {0x03, 0, 1, 0x05, 1, 2, 0x03, 0, 1};
  dag.levels[0].words = {0x85, 0, 1, 2};
  EXPECT_NE(problem_of(dag).find("level 1, word 6: equal to the node at word 0"), std::string::npos)
      << problem_of(dag);
}

// The digest and all counts of these DAGs are right, so nothing but the rule itself tells that it is broken.
TEST_F(Verify, ABrokenRuleIsNamedWhereDigestAndCountsAreRight) {
  dag::FrozenDag order = small_dag();
  const Words leaves = order.levels[2].words;
  order.levels[0].words = {0x81, 1, 0};
  order.levels[1].words = {0x05, 0, 1, 0x03, 2, 0};
  order.levels[2].words.assign(leaves.begin() + 3, leaves.end());
  order.levels[2].words.insert(order.levels[2].words.end(), leaves.begin(), leaves.begin() + 3);
  EXPECT_EQ(problem_of(order),
            "level 0, word 1: points to node 1 of level 1, but node 0 comes next in canonical order");

  dag::FrozenDag equal = small_dag();
  equal.levels[1].words = {0x03, 0, 1, 0x05, 2, 3};
  equal.levels[2].words.insert(equal.levels[2].words.begin() + 3, leaves.begin() + 3, leaves.begin() + 6);
  equal.levels[2].nodes = 4;
  EXPECT_EQ(problem_of(equal), "level 2, word 6: equal to the node at word 3");

  dag::FrozenDag outside = small_dag();
  outside.resolution = 15;
  outside.digest = dag::compute_digest(outside);
  EXPECT_EQ(problem_of(outside), "a voxel at y = 15 is filled, but the resolution is 15");
}

TEST_F(Verify, ScenesOfAllKindsAreRightOnTheDevice) {
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 8u, 37u, 64u})
      for (const bool materials : {false, true})
        EXPECT_EQ(problem_of(dense_dag(resolution, materials, grid)), "none");
}

// Each bit of the DAG is flipped, one at a time. Each flip changes the content, so verify() must throw.
TEST_F(Verify, EveryFlippedBitIsFound) {
  const dag::FrozenDag good = small_dag();
  for (size_t level = 0; level < good.levels.size(); ++level)
    for (size_t bit = 0; bit < 32 * good.levels[level].words.size(); ++bit) {
      dag::FrozenDag dag = good;
      dag.levels[level].words[bit / 32] ^= 1u << bit % 32;
      const std::string problem = problem_in([&] {
        dag::place_nodes(dag);
        dag::verify(dag);
      });
      EXPECT_NE(problem, "none") << "level " << level << ", bit " << bit;
      if (bit % 5 == 0) {
        EXPECT_EQ(problem_of(dag), problem);
      }
    }
}

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
