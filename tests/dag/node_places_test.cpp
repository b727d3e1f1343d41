#include "libvox/dag/node_places.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/dag/word_offsets.h"
#include "tests/dag/cut_dag.h"
#include "tests/dag/grids.h"
#include "tests/dag/same_dag.h"

namespace vox {
namespace {

constexpr dag::LevelForm kLeaves = {7, dag::NodeKind::Leaf, true};

// Leaves of 3 to 10 words with the word at which each begins.
struct ManyLeaves {
  Words words;
  std::vector<uint64_t> places;

  explicit ManyLeaves(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      places.push_back(words.size());
      const uint64_t mask = mix64(i + 1) >> (i * 7 % 61) | 1;
      words.push_back(static_cast<uint32_t>(mask));
      words.push_back(static_cast<uint32_t>(mask >> 32));
      words.resize(words.size() + dag::leaf_words(mask, true) - 2, 0x11111111u);
    }
    places.push_back(words.size());
  }
};

std::string problem_of(const ManyLeaves& leaves, uint64_t nodes, const std::vector<uint64_t>& starts) {
  try {
    const dag::NodePlaces places(leaves.words, kLeaves, nodes, starts);
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(NodePlaces, AreThoseOfALoopOverTheWords) {
  for (const uint64_t count : {1, 63, 64, 65, 4095, 4096, 4097, 10000}) {
    SCOPED_TRACE(count);
    const ManyLeaves leaves(count);
    const dag::NodeStarts found = dag::find_starts(leaves.words, kLeaves);
    ASSERT_EQ(found.nodes, count);
    const dag::NodePlaces places(leaves.words, kLeaves, found.nodes, found.starts);
    for (uint64_t i = 0; i <= count; ++i) ASSERT_EQ(places[i], leaves.places[i]) << i;
    EXPECT_EQ(places.words(), leaves.words.size());
    EXPECT_EQ(places.starts(), found.starts);
    hash::SizeCounts sizes = {};
    for (uint64_t i = 0; i < count; ++i) ++sizes[leaves.places[i + 1] - leaves.places[i]];
    EXPECT_EQ(places.sizes(), sizes);
  }
}

TEST(NodePlaces, StartsThatAreNotThoseOfTheWordsAreErrors) {
  const ManyLeaves leaves(10000);
  const std::vector<uint64_t> right = dag::find_starts(leaves.words, kLeaves).starts;
  ASSERT_EQ(right.size(), 3u);
  EXPECT_EQ(problem_of(leaves, 10000, right), "none");
  for (size_t i = 0; i < right.size(); ++i)
    for (const uint64_t wrong : {right[i] + 1, right[i] - 1, uint64_t{0}, uint64_t{leaves.words.size()},
                                 uint64_t{1} << 32, UINT64_MAX}) {
      if (wrong == right[i]) continue;
      std::vector<uint64_t> starts = right;
      starts[i] = wrong;
      EXPECT_NE(problem_of(leaves, 10000, starts), "none") << i << " " << wrong;
    }
  for (const uint64_t nodes : {uint64_t{0}, uint64_t{1}, uint64_t{9999}, uint64_t{10001}, uint64_t{12288},
                               uint64_t{12289}, uint64_t{1} << 32, UINT64_MAX})
    EXPECT_NE(problem_of(leaves, nodes, right), "none") << nodes;
  EXPECT_NE(problem_of(leaves, 10000, {right[0], right[1]}), "none");
}

// For a level of 2^34 words, a device knows first words only modulo 2^32. The test's blocks have 600 words
// each.
TEST(NodePlaces, OfLevelsWithMoreThan2To32WordsAreRestored) {
  constexpr uint64_t kWords = 600, kStep = (uint64_t{1} << 32) / kWords - 2;
  for (uint64_t begin = 0; begin < 4 * kStep; begin += kStep) {
    std::vector<dag::PlacesBlock> blocks(6);
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i].first = static_cast<uint32_t>((begin + i) * kWords);
    blocks[0].first = begin * kWords;
    blocks[5].steps[63] = 17;
    dag::restore_first_words(blocks);
    for (size_t i = 0; i < blocks.size(); ++i) ASSERT_EQ(blocks[i].first, (begin + i) * kWords);
    EXPECT_EQ(dag::NodePlacesRef{blocks.data()}[5 * 64 + 63], (begin + 5) * kWords + 17);
  }
}

TEST(DagParts, OneBehindTheOtherAreTheWhole) {
  const auto noise = [](uint32_t x, uint32_t y, uint32_t z) {
    return static_cast<int>(mix64(x + 100 * y + 10000 * z) % 16);
  };
  for (const bool materials : {false, true})
    for (const uint64_t count : {1, 2, 3, 7}) {
      for (const DenseGrid& grid :
           {DenseGrid(shell), DenseGrid(everywhere), DenseGrid(nowhere), DenseGrid(noise)}) {
        const dag::FrozenDag dag = dense_dag(72, materials, grid);
        dag::FrozenDag whole = dag::joined(parts_of(dag, count), dag.resolution, materials);
        dag::check_structure(whole);
        EXPECT_EQ(dag::compute_digest(whole), dag.digest);
        for (size_t level = 0; level < dag.levels.size(); ++level) {
          EXPECT_EQ(whole.levels[level].words, dag.levels[level].words);
          EXPECT_EQ(whole.levels[level].nodes, dag.levels[level].nodes);
        }
      }
    }
}

TEST(DagParts, ThatDoNotFollowOnEachOtherAreErrors) {
  const dag::FrozenDag dag = dense_dag(64, true, shell);
  const std::vector<dag::DagPart> parts = parts_of(dag, 3);
  const auto joined = [&](const auto& damage) {
    std::vector<dag::DagPart> damaged = parts;
    damage(damaged);
    return dag::joined(std::move(damaged), dag.resolution, true);
  };
  EXPECT_NO_THROW(joined([](auto&) {}));
  EXPECT_THROW(joined([](auto& list) { std::swap(list[1], list[2]); }), Error);
  EXPECT_THROW(joined([](auto& list) {
                 list.pop_back();
                 ++list[0].levels.back().nodes;
               }),
               Error);
  EXPECT_THROW(joined([](auto& list) { list[1].levels.pop_back(); }), Error);
  EXPECT_THROW(joined([](auto& list) { list[1].levels[4].words.pop_back(); }), Error);
}

TEST(WordOffsets, AreReadAsTheNumbersThatTheyWere) {
  for (const DenseGrid& grid : all_grids())
    for (const uint32_t resolution : {4u, 37u, 64u})
      for (const bool materials : {false, true}) {
        const dag::FrozenDag dag = dense_dag(resolution, materials, grid);
        dag::FrozenDag old = dag;
        for (uint32_t level = 0; level < dag.levels.size(); ++level)
          old.levels[level].words = dag::words_with_offsets(dag, level);
        dag::offsets_to_numbers(old);
        expect_equal(old, dag);
        EXPECT_NO_THROW(dag::verify(old));
      }
}

// In small scenes the offsets can be counted by hand: a leaf of one voxel has 3 words.
TEST(WordOffsets, AreWhereTheChildrenBegin) {
  const dag::FrozenDag dag = dense_dag(8, true, [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 4 * y && z == 4 * y     ? 1 + static_cast<int>(y)
           : y == 0 && z == 0 && x == 4 ? 9
                                        : dag::kEmptyVoxel;
  });
  EXPECT_EQ(dag::words_with_offsets(dag, 0), (Words{0x23, 0, 3, 6}));
}

}  // namespace
}  // namespace vox
