// Tests the levels that rank 0 builds on the host above the nodes of all ranks, and the words of nodes with
// many owners.
#include "libvox/ranks/top_level.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libvox/ranks/spread_node.h"
#include "tests/common/random.h"

namespace vox::ranks {
namespace {

TopNode node_at(uint64_t code, uint64_t id, int32_t material) {
  return {.code = code, .id = id, .digest = {id * 3, id * 5}, .material = material};
}

// Returns eight equal children of one parent.
std::vector<TopNode> full_family(uint64_t parent, int32_t material) {
  std::vector<TopNode> children;
  for (uint64_t octant = 0; octant < 8; ++octant)
    children.push_back(node_at(parent << 3 | octant, node_id(3, 7), material));
  return children;
}

TEST(TopLevel, ParentsAreThoseOfTheirChildren) {
  Random random(1);
  std::vector<TopNode> children;
  for (uint64_t code = 0; code < 4096; ++code)
    if (random.below(3) == 0)
      children.push_back(node_at(code, node_id(random.below(kMostRanks), random.below(1 << 20)), -1));
  const TopLevel level = parents_of(children);
  size_t parents = 0;
  for (uint64_t code = 0; code < 512; ++code) {
    std::vector<TopNode> own;
    std::ranges::copy_if(children, std::back_inserter(own),
                         [&](const TopNode& c) { return c.code >> 3 == code; });
    if (own.empty()) continue;
    ASSERT_LT(parents, level.nodes.size());
    const TopNode& parent = level.nodes[parents];
    const uint32_t* words = &level.words[level.offsets[parents]];
    EXPECT_EQ(parent.code, code);
    EXPECT_EQ(parent.material, -1);
    ASSERT_EQ(level.offsets[parents + 1] - level.offsets[parents], own.size() + 2);
    uint32_t mask = 0;
    dag::Digest digest = dag::start_digest(2);
    for (const TopNode& child : own) mask |= 1u << child.code % 8;
    dag::combine(digest, mask);
    for (size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(node_id(child_owner(child_owners(words), static_cast<uint32_t>(i)), words[1 + i]), own[i].id);
      dag::combine(digest, own[i].digest.low);
      dag::combine(digest, own[i].digest.high);
    }
    EXPECT_EQ(plain_header(words[0]), mask);
    EXPECT_EQ(parent.digest, digest);
    ++parents;
  }
  EXPECT_EQ(parents, level.nodes.size());
}

TEST(TopLevel, AParentIsHomogeneousWhereAllOfItIsOfOneMaterial) {
  std::vector<TopNode> children = full_family(0, 5), mixed = full_family(1, 5), unknown = full_family(2, -1);
  mixed[3].material = 6;
  children.insert(children.end(), mixed.begin(), mixed.end());
  children.insert(children.end(), unknown.begin(), unknown.end());
  std::vector<TopNode> seven = full_family(3, 5);
  children.insert(children.end(), seven.begin(), seven.end() - 1);
  const TopLevel level = parents_of(children);
  ASSERT_EQ(level.nodes.size(), 4u);
  EXPECT_EQ(level.nodes[0].material, 5);
  EXPECT_EQ(plain_header(level.words[0]), dag::homogeneous_header(5));
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(level.nodes[i].material, -1);
    EXPECT_FALSE(dag::is_homogeneous(level.words[level.offsets[i]]));
  }
}

TEST(TopLevel, NothingIsAboveNothing) {
  const TopLevel level = parents_of({});
  EXPECT_TRUE(level.nodes.empty());
  EXPECT_EQ(level.offsets, std::vector<uint32_t>{0});
}

}  // namespace
}  // namespace vox::ranks
