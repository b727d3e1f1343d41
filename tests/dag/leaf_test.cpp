#include "libvox/dag/leaf.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "libvox/base/morton.h"
#include "tests/common/random.h"

namespace vox {
namespace {

// The material of each voxel by its bit, or none if the voxel is empty.
using Voxels = std::vector<std::optional<uint32_t>>;

// Returns the words of a leaf as leaf.h describes them, made voxel by voxel.
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

}  // namespace
}  // namespace vox
