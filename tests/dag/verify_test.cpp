// Breaks each rule of a canonical DAG once and expects the error that names it.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "libvox/base/error.h"
#include "libvox/dag/structure.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/dag/grids.h"

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

  // Returns the error for a DAG with these words. For every DAG that check_structure() accepts, the device
  // must throw the same error.
  static std::string problem_of(dag::FrozenDag dag) {
    std::string misplaced = problem_in([&] { dag::place_nodes(dag); });
    if (misplaced != "none") return misplaced;
    std::string problem = problem_in([&] { dag::verify(dag); });
    if (problem_in([&] { dag::check_structure(dag); }) == "none") {
      EXPECT_EQ(problem_in([&] { engine_->verify(dag); }), problem);
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
       "level 2, word 6: a node of 2 words, but only 1"},
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
      EXPECT_NE(problem_of(dag), "none") << "level " << level << ", bit " << bit;
    }
}

}  // namespace
}  // namespace vox
