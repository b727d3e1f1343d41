// Compares the merging of levels with maps from words to numbers.
#include "libvox/rounds/merge_level.h"

#include <gtest/gtest.h>

#include <map>

#include "libvox/device/cpu_device.h"
#include "tests/common/random.h"

namespace vox {
namespace {

using device::CpuDevice;
using rounds::LevelSource;
using Node = std::vector<uint32_t>;

// The nodes of one source; their children are indices in `below`.
struct Nodes {
  std::vector<uint32_t> words, below;
  std::vector<uint8_t> sizes;

  void add(const Node& node) {
    words.insert(words.end(), node.begin(), node.end());
    sizes.push_back(static_cast<uint8_t>(node.size()));
  }
};

// Returns nodes of few different words, many of which are equal, over `kinds` nodes below.
Nodes random_nodes(Random& random, uint32_t count, uint32_t kinds) {
  Nodes nodes;
  for (uint32_t i = 0; i < kinds; ++i) nodes.below.push_back(random.below(kinds));
  for (uint32_t i = 0; i < count; ++i) {
    Node node = {random.below(3)};
    for (uint32_t child = 1 + random.below(kinds < 4 ? 8 : 3); child > 0; --child)
      node.push_back(random.below(kinds));
    nodes.add(node);
  }
  return nodes;
}

std::vector<Node> split(std::span<const uint32_t> words, std::span<const uint8_t> sizes) {
  std::vector<Node> nodes;
  size_t at = 0;
  for (const uint8_t size : sizes) {
    nodes.emplace_back(words.begin() + static_cast<ptrdiff_t>(at),
                       words.begin() + static_cast<ptrdiff_t>(at + size));
    at += size;
  }
  EXPECT_EQ(at, words.size());
  return nodes;
}

// Returns the nodes of a source with the child numbers of the merged level.
std::vector<Node> translated(const Nodes& source) {
  std::vector<Node> nodes = split(source.words, source.sizes);
  if (source.below.empty()) return nodes;
  for (Node& node : nodes)
    for (size_t w = 1; w < node.size(); ++w) node[w] = source.below[node[w]];
  return nodes;
}

void expect_merged(const std::vector<Nodes>& from, const rounds::MergeOptions& options) {
  CpuDevice device(uint64_t{4} << 30, false);
  const rounds::SpillPlace place;
  std::vector<LevelSource> sources;
  for (const Nodes& nodes : from) sources.push_back({nodes.words, nodes.sizes, nodes.below});
  const rounds::RoundLevel merged = rounds::LevelMerger<CpuDevice>(device, place, options).run(sources);
  const std::vector<Node> unique = split(merged.words.values(), merged.sizes.values());
  std::map<Node, uint32_t> number_of;
  for (uint32_t i = 0; i < unique.size(); ++i)
    ASSERT_TRUE(number_of.emplace(unique[i], i).second) << "a node comes twice";
  std::map<Node, uint32_t> expected;
  for (size_t s = 0; s < from.size(); ++s) {
    const std::vector<Node> nodes = translated(from[s]);
    ASSERT_EQ(sources[s].numbers.size(), nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      ASSERT_TRUE(number_of.contains(nodes[i]));
      ASSERT_EQ(sources[s].numbers.values()[i], number_of[nodes[i]]);
      expected.emplace(nodes[i], 0);
    }
  }
  EXPECT_EQ(unique.size(), expected.size());
}

TEST(LevelMerger, EqualNodesOfAllRoundsAreOne) {
  Random random(1);
  const rounds::MergeOptions ways[] = {{},
                                       {.nodes_at_once = 7},
                                       {.nodes_at_once = 100, .least_portions = 2},
                                       {.nodes_at_once = 64, .least_portions = 31},
                                       {.nodes_at_once = 0, .least_portions = 5}};
  for (const rounds::MergeOptions& options : ways)
    for (const uint32_t kinds : {1u, 3u, 40u, 5000u}) {
      SCOPED_TRACE(testing::Message() << options.least_portions << " portions, " << kinds << " kinds");
      expect_merged({random_nodes(random, 2000, kinds), random_nodes(random, 1, kinds),
                     random_nodes(random, 3000, kinds)},
                    options);
    }
}

TEST(LevelMerger, SourcesMayBeEmptyOrHaveTheNumbersAlready) {
  Random random(2);
  Nodes leaves = random_nodes(random, 500, 6);
  leaves.below.clear();
  expect_merged({leaves, Nodes(), leaves}, {.nodes_at_once = 50, .least_portions = 3});
  expect_merged({Nodes(), Nodes()}, {});
  expect_merged({}, {});
}

TEST(LevelMerger, OwnersAreEmptied) {
  CpuDevice device(uint64_t{4} << 30, false);
  const rounds::SpillPlace place;
  for (const uint32_t portions : {1u, 4u}) {
    rounds::RoundLevel level = {{place, 6}, {place, 2}};
    std::ranges::fill(level.words.append(6), 5u);
    std::ranges::fill(level.sizes.append(2), uint8_t{3});
    std::vector<LevelSource> sources(1);
    sources[0] = {level.words.values(), level.sizes.values(), {}, &level};
    const rounds::RoundLevel merged =
        rounds::LevelMerger<CpuDevice>(device, place, {.least_portions = portions}).run(sources);
    EXPECT_EQ(merged.nodes(), 1u);
    EXPECT_EQ(level.nodes(), 0u);
  }
}

TEST(UniqueNodes, MoreThanThereIsRoomForAreRefused) {
  CpuDevice device(uint64_t{4} << 30, false);
  const std::vector<uint32_t> words = {1, 2, 1, 3, 1, 4};
  const std::vector<uint8_t> sizes = {2, 2, 2};
  for (const rounds::UniqueRoom room : {rounds::UniqueRoom{2, 100}, rounds::UniqueRoom{3, 5}}) {
    rounds::UniqueNodes<CpuDevice> unique(device, room);
    rounds::NodeStream<CpuDevice> stream(device, words, sizes, 10);
    std::vector<uint32_t> numbers(3);
    EXPECT_THROW(unique.number(stream.next(), nullptr, 3, 0, numbers.data()), rounds::TooManyNodes);
  }
}

}  // namespace
}  // namespace vox
