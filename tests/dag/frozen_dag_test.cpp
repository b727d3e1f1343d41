#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/morton.h"
#include "libvox/dag/digests.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/node.h"
#include "libvox/dag/walk.h"
#include "libvox/ranks/ranks.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

void expect_holds(const dag::FrozenDag& dag, const DenseGrid& grid) {
  uint64_t voxels = 0;
  for (uint32_t z = 0; z < dag.side() + 2; ++z)
    for (uint32_t y = 0; y < dag.side() + 2; ++y)
      for (uint32_t x = 0; x < dag.side() + 2; ++x) {
        bool inside = x < dag.resolution && y < dag.resolution && z < dag.resolution;
        int expected = inside ? grid(x, y, z) : dag::kEmptyVoxel;
        voxels += expected != dag::kEmptyVoxel;
        if (!dag.materials && expected != dag::kEmptyVoxel) expected = 0;
        ASSERT_EQ(dag::voxel_at(dag, x, y, z), expected) << x << " " << y << " " << z;
      }
  EXPECT_EQ(dag.voxels, voxels);
}

TEST(FrozenDag, HoldsEveryVoxelOfADenseGrid) {
  for (auto* grid : {shell, blocks, everywhere, nowhere})
    for (uint32_t resolution : {1u, 4u, 5u, 16u, 37u, 64u})
      for (bool materials : {false, true}) {
        SCOPED_TRACE(testing::Message() << "R " << resolution << ", materials " << materials);
        dag::FrozenDag dag = dense_dag(resolution, materials, grid);
        expect_holds(dag, grid);
        EXPECT_NO_THROW(dag::verify(dag));
        EXPECT_EQ(dag::to_string(dag::compute_digest(dag)), dag::to_string(dag.digest));
      }
}

TEST(FrozenDag, ASolidCubeIsOneNodeALevel) {
  dag::FrozenDag dag = dense_dag(64, true, everywhere);
  ASSERT_EQ(dag.levels.size(), 5u);
  EXPECT_EQ(dag.unique_nodes(), 5u);
  EXPECT_EQ(dag.svo_nodes(), 1u + 8 + 64 + 512 + 4096);
  EXPECT_EQ(dag.levels[0].words, (Words{dag::homogeneous_header(5), 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(dag.levels[4].words.size(), 10u);
}

TEST(FrozenDag, LevelsFollowFromTheResolution) {
  EXPECT_EQ(dag::empty_dag(4, true).levels.size(), 1u);
  EXPECT_EQ(dag::empty_dag(5, true).side(), 8u);
  EXPECT_EQ(dag::empty_dag(65536, true).levels.size(), 15u);
  EXPECT_EQ(dag::empty_dag(65537, true).side(), 131072u);
  EXPECT_EQ(dag::empty_dag(1u << 20, true).depth(), 18u);
  EXPECT_EQ(dag::empty_dag(1u << 20, true).level_side(18), 4u);
}

// In a solid cube of 2^20 voxels a side, counts reach 2^60.
TEST(FrozenDag, CountsOfTheLargestSceneFit) {
  dag::FrozenDag dag = dag::empty_dag(1u << 20, false);
  dag.levels[18] = {.words = {UINT32_MAX, UINT32_MAX}, .nodes = 1, .svo_nodes = uint64_t{1} << 54};
  for (uint32_t level = 0; level < 18; ++level) {
    dag.levels[level] = {
        .words = {dag::homogeneous_header(0)}, .nodes = 1, .svo_nodes = uint64_t{1} << 3 * level};
    dag.levels[level].words.resize(9, 0);
  }
  dag.voxels = uint64_t{1} << 60;
  dag::place_nodes(dag);
  dag.digest = dag::compute_digest(dag);
  EXPECT_NO_THROW(dag::verify(dag));
  EXPECT_EQ(dag::voxel_at(dag, 0xfffff, 0xabcde, 3), 0);
  EXPECT_EQ(dag::voxel_at(dag, 0x100000, 0, 0), dag::kEmptyVoxel);
}

// Version 1 of the digest is stable for ever, so a change that breaks this test renames every scene. The
// first two figures were computed by a separate program from the text in frozen_dag.h.
TEST(FrozenDag, DigestsAreThoseOfVersion1) {
  EXPECT_EQ(dag::to_string(dag::empty_dag(64, true).digest), "52824a575afe4bb8cc99b05a076cf776");
  EXPECT_EQ(dag::to_string(dag::compute_digest(dense_dag(8, true, everywhere))),
            "7369d8045a4b643086c38cf5dbaa46ba");
  EXPECT_EQ(dag::to_string(dag::compute_digest(dense_dag(64, true, shell))),
            "c8fe4aba266df26e1f7f8b27de16e7c0");
  EXPECT_EQ(dag::to_string(dag::compute_digest(dense_dag(64, false, shell))),
            "ee5e67146c1ce026e0456cb7da994028");
}

TEST(FrozenDag, DigestsDifferWhereVoxelsMaterialsOrResolutionDo) {
  auto one_more = [](uint32_t x, uint32_t y, uint32_t z) {
    return x == 1 && y == 2 && z == 3 ? 1 : shell(x, y, z);
  };
  auto other_material = [](uint32_t x, uint32_t y, uint32_t z) {
    int value = shell(x, y, z);
    return x == 30 && y == 30 && value != dag::kEmptyVoxel ? value ^ 1 : value;
  };
  dag::Digest digest = dense_dag(60, true, shell).digest;
  EXPECT_NE(dense_dag(60, true, one_more).digest, digest);
  EXPECT_NE(dense_dag(60, true, other_material).digest, digest);
  EXPECT_NE(dense_dag(61, true, shell).digest, digest);
  EXPECT_NE(dag::empty_dag(60, true).digest, dag::empty_dag(60, false).digest);
}

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

// Five groups of siblings: eight and seven of one material, eight of two materials, eight without one, and one alone.
TEST(NodesAbove, AreHomogeneousOnlyAboveEightNodesOfOneMaterial) {
  std::vector<dag::TopNode> nodes;
  for (uint64_t code = 0; code < 33; ++code) {
    if (code == 13) continue;
    const int32_t material = code == 20 ? 4 : code >= 24 && code < 32 ? -1 : 3;
    nodes.push_back({.code = code, .digest = {code + 1, code + 2}, .material = material});
  }
  const dag::NodesAbove above = dag::nodes_above(nodes);
  EXPECT_EQ(above.starts, (std::vector<uint64_t>{0, 8, 15, 23, 31, 32}));
  EXPECT_EQ(above.headers, (std::vector<uint32_t>{dag::homogeneous_header(3), 0xdf, 0xff, 0xff, 0x01}));
  ASSERT_EQ(above.nodes.size(), 5u);
  for (uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(above.nodes[i].code, i);
    EXPECT_EQ(above.nodes[i].material, i == 0 ? 3 : -1) << i;
    const dag::Digest expected =
        dag::node_digest(above.headers[i], [&](uint32_t c) { return nodes[above.starts[i] + c].digest; });
    EXPECT_EQ(dag::to_string(above.nodes[i].digest), dag::to_string(expected)) << i;
  }
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

// The material of each voxel by its bit, or none if the voxel is empty.
using Voxels = std::vector<std::optional<uint32_t>>;

// Returns the words of a leaf as node.h describes them, made voxel by voxel.
std::vector<uint32_t> expected_words(const Voxels& voxels, bool materials) {
  std::vector<uint32_t> words = {0, 0};
  uint32_t filled = 0;
  for (uint32_t bit = 0; bit < 64; ++bit) {
    if (!voxels[bit]) continue;
    words[bit / 32] |= 1u << bit % 32;
    if (!materials) continue;
    if (filled % 8 == 0) words.push_back(0);
    words.back() |= *voxels[bit] << 4 * (filled++ % 8);
  }
  return words;
}

Voxels random_voxels(Random& random, uint32_t materials) {
  Voxels voxels(64);
  const uint32_t share = random.below(65);
  for (auto& voxel : voxels)
    if (random.below(64) < share) voxel = random.below(materials);
  return voxels;
}

uint64_t mask_of(const Voxels& voxels) {
  uint64_t mask = 0;
  for (uint32_t bit = 0; bit < 64; ++bit) mask |= uint64_t{voxels[bit].has_value()} << bit;
  return mask;
}

TEST(Leaf, WritersMakeTheWordsThatTheFormatSays) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Voxels voxels = random_voxels(random, 16);
    for (const bool materials : {false, true}) {
      const std::vector<uint32_t> expected = expected_words(voxels, materials);
      std::vector<uint32_t> words(hash::kMaxItemWords, 0xdeadbeef);
      dag::LeafWriter writer(words.data(), materials);
      for (uint32_t bit = 0; bit < 64; ++bit)
        if (voxels[bit]) writer.put(bit, *voxels[bit]);
      EXPECT_EQ(writer.mask(), mask_of(voxels));
      ASSERT_EQ(writer.finish(), expected.size());
      for (size_t w = 0; w < words.size(); ++w)
        ASSERT_EQ(words[w], w < expected.size() ? expected[w] : 0xdeadbeef) << w;
    }
  }
}

TEST(Leaf, ALeafOfOneMaterialIsWrittenAsVoxelByVoxel) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    Voxels voxels = random_voxels(random, 1);
    const auto material = random.below(16);
    for (auto& voxel : voxels)
      if (voxel) voxel = material;
    for (const bool materials : {false, true}) {
      std::vector<uint32_t> words(dag::leaf_words(mask_of(voxels), materials));
      dag::write_leaf_of_one_material(words.data(), mask_of(voxels), materials, material);
      EXPECT_EQ(words, expected_words(voxels, materials));
    }
  }
}

TEST(Leaf, ReadersFindEveryVoxelAgain) {
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    const Voxels voxels = random_voxels(random, 16);
    const std::vector<uint32_t> words = expected_words(voxels, true);
    ASSERT_EQ(dag::leaf_mask(words.data()), mask_of(voxels));
    EXPECT_EQ(dag::leaf_padding(words.data()), 0u);
    uint32_t rank = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      if (!voxels[bit]) continue;
      EXPECT_EQ(dag::leaf_material(words.data(), bit), *voxels[bit]);
      EXPECT_EQ(dag::ranked_material(dag::leaf_materials(words.data()), rank++), *voxels[bit]);
    }
  }
}

TEST(Leaf, OnlyFullLeavesOfOneMaterialHaveAFilling) {
  Voxels voxels(64, 5);
  EXPECT_EQ(dag::leaf_filling(expected_words(voxels, true).data(), true), 5);
  EXPECT_EQ(dag::leaf_filling(expected_words(voxels, false).data(), false), 0);
  for (uint32_t bit = 0; bit < 64; ++bit) {
    voxels[bit] = 6;
    EXPECT_EQ(dag::leaf_filling(expected_words(voxels, true).data(), true), -1);
    EXPECT_EQ(dag::leaf_filling(expected_words(voxels, false).data(), false), 0);
    voxels[bit].reset();
    EXPECT_EQ(dag::leaf_filling(expected_words(voxels, true).data(), true), -1);
    EXPECT_EQ(dag::leaf_filling(expected_words(voxels, false).data(), false), -1);
    voxels[bit] = 5;
  }
}

TEST(Leaf, PaddingIsWhatStandsBehindTheLastMaterial) {
  for (uint32_t filled = 1; filled <= 64; ++filled) {
    Voxels voxels(64);
    for (uint32_t bit = 0; bit < filled; ++bit) voxels[bit] = 15;
    std::vector<uint32_t> words = expected_words(voxels, true);
    EXPECT_EQ(dag::leaf_padding(words.data()), 0u);
    if (filled % 8 == 0) continue;
    words.back() |= 0x80000000;
    EXPECT_NE(dag::leaf_padding(words.data()), 0u);
  }
}

TEST(Leaf, FilledBlocksAreTheOctantsThatHoldAVoxel) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t mask = mask_of(random_voxels(random, 1));
    uint32_t expected = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const Int3 block = {morton_decode(bit).x / 2, morton_decode(bit).y / 2, morton_decode(bit).z / 2};
      if (mask >> bit & 1)
        expected |= 1u << morton_encode(static_cast<uint32_t>(block.x), static_cast<uint32_t>(block.y),
                                        static_cast<uint32_t>(block.z));
    }
    EXPECT_EQ(dag::filled_blocks(mask), expected);
  }
}

// Passes all calls on, and keeps the greatest number of bytes that one exchange sends and receives.
class MeasuredRanks final : public ranks::Ranks {
 public:
  explicit MeasuredRanks(ranks::Ranks& ranks) : ranks_(ranks) {}

  uint32_t rank() const override { return ranks_.rank(); }
  uint32_t count() const override { return ranks_.count(); }
  void exchange(const void* send, std::span<const uint64_t> send_sizes, void* receive,
                std::span<const uint64_t> receive_sizes) override {
    const auto sum = [](std::span<const uint64_t> sizes) { return std::reduce(sizes.begin(), sizes.end()); };
    most = std::max(most, sum(send_sizes) + sum(receive_sizes));
    ranks_.exchange(send, send_sizes, receive, receive_sizes);
  }
  std::vector<uint64_t> gather(uint64_t value) override { return ranks_.gather(value); }
  void broadcast(void* bytes, uint64_t size) override { ranks_.broadcast(bytes, size); }
  uint64_t take(uint64_t count) override { return ranks_.take(count); }
  void restart() override { ranks_.restart(); }
  void fail() noexcept override { ranks_.fail(); }
  ranks::Traffic traffic() const override { return ranks_.traffic(); }

  uint64_t most = 0;

 private:
  ranks::Ranks& ranks_;
};

TEST(FrozenDag, RanksCountItWithinTheirMemory) {
  const dag::FrozenDag dag = dense_dag(100, true, [](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t random = mix64(x + (y + z * uint64_t{100}) * 100);
    return random % 4 == 0 ? static_cast<int>(random >> 60) : dag::kEmptyVoxel;
  });
  ASSERT_GT(dag.levels.back().nodes, 10000u);
  const uint64_t memory = dag.levels.back().nodes * 4;  // enough for the uses of a quarter of the leaves
  ranks::run_thread_ranks(2, [&](ranks::Ranks& ranks) {
    MeasuredRanks measured(ranks);
    EXPECT_EQ(dag::octree_counts(dag, memory, measured).voxels, dag.voxels);
    EXPECT_LE(measured.most, memory + 64);  // each rank's share is rounded to whole nodes
  });
}

}  // namespace
}  // namespace vox
