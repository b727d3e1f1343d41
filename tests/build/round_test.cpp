// Tests rounds: the part of a scene that a device has built, moved to the host and back to a store.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "libvox/base/error.h"
#include "libvox/build/device_merge.h"
#include "libvox/build/merge_level.h"
#include "libvox/build/round.h"
#include "libvox/device/cpu_device.h"
#include "tests/common/random.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

using device::CpuDevice;
using Built = voxelize::BuiltCells<CpuDevice>;

constexpr uint64_t kMemory = uint64_t{4} << 30;

Built built_cells(CpuDevice& device, const Soup& soup, uint32_t resolution, bool materials) {
  const auto grid = unit_grid(resolution);
  const voxelize::BuildOptions options = {.materials = materials};
  bool taken = false;
  const auto next = [&](std::span<const uint32_t> starts) -> std::optional<voxelize::Piece> {
    if (std::exchange(taken, true)) return std::nullopt;
    return voxelize::Piece{0, starts.size() - 1};
  };
  return voxelize::build_cells(device, soup.scene, soup.indexed, grid, options, {}, {.next = next});
}

void expect_equal_rounds(const build::Round& a, const build::Round& b) {
  EXPECT_EQ(a.level, b.level);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (size_t level = 0; level < a.levels.size(); ++level) {
    EXPECT_TRUE(std::ranges::equal(a.levels[level].words.values(), b.levels[level].words.values()));
    EXPECT_TRUE(std::ranges::equal(a.levels[level].sizes.values(), b.levels[level].sizes.values()));
  }
  ASSERT_EQ(a.roots.size(), b.roots.size());
  for (size_t i = 0; i < a.roots.size(); ++i) {
    EXPECT_EQ(a.roots[i].code, b.roots[i].code);
    EXPECT_EQ(a.roots[i].number, b.roots[i].number);
    EXPECT_EQ(a.roots[i].material, b.roots[i].material);
    EXPECT_TRUE(a.roots[i].digest == b.roots[i].digest);
  }
}

// Freezes the round, loads it into a store that holds other things, and freezes it again.
void expect_survives(const Soup& soup, uint32_t resolution, bool materials) {
  SCOPED_TRACE(resolution);
  CpuDevice device(kMemory, false);
  const build::Round once = build::frozen_round(device, built_cells(device, soup, resolution, materials), {});
  Built again = built_cells(device, bumpy_sphere({9, 9, 9}, 8, 5, 0.2, 3), resolution, materials);
  again.pointers = build::load_round(device, again.store, once);
  again.codes.clear();
  for (const build::RoundRoot& root : once.roots) again.codes.push_back(root.code);
  expect_equal_rounds(once, build::frozen_round(device, again, {}));
}

TEST(Round, LoadedNodesAreThoseThatWereFrozen) {
  expect_survives(textured_sphere(600, 9, 1), 600, true);
  expect_survives(textured_sphere(550, 9, 2), 550, false);
  expect_survives(textured_sphere(200, 9, 3), 200, true);
  expect_survives(textured_sphere(4, 5, 4), 4, true);
}

TEST(Round, NothingIsARoundToo) {
  expect_survives(Soup(), 600, true);
}

// A scene of one chunk cell has one root, and its order is canonical.
TEST(Round, WordsOfOneCellAreThoseOfTheFrozenScene) {
  CpuDevice device(kMemory, false);
  for (const uint32_t resolution : {4u, 100u, 256u}) {
    const Soup soup = textured_sphere(resolution, 9, 5);
    const build::Round round = build::frozen_round(device, built_cells(device, soup, resolution, true), {});
    const dag::FrozenDag dag =
        voxelize::build_scene(device, soup.scene, soup.indexed, unit_grid(resolution), {}, {}).dag;
    ASSERT_EQ(round.roots.size(), 1u);
    ASSERT_EQ(round.levels.size(), dag.levels.size());
    for (size_t level = 0; level < dag.levels.size(); ++level) {
      EXPECT_TRUE(std::ranges::equal(round.levels[level].words.values(), dag.levels[level].words));
      EXPECT_EQ(round.levels[level].nodes(), dag.levels[level].nodes);
      for (uint64_t i = 0; i < dag.levels[level].nodes; ++i)
        ASSERT_EQ(round.levels[level].sizes.values()[i],
                  dag.levels[level].places[i + 1] - dag.levels[level].places[i]);
    }
    EXPECT_TRUE(dag::scene_digest(resolution, dag.depth(), true, &round.roots[0].digest) == dag.digest);
  }
}

// Completely filled chunk cells are recognized.
TEST(Round, RootsSayWhatTheyAreFilledWith) {
  const Soup filled = filled_chunk_cell();
  CpuDevice device(kMemory, false);
  const build::Round round = build::frozen_round(device, built_cells(device, filled, 512, false), {});
  for (const build::RoundRoot& root : round.roots) EXPECT_EQ(root.material, root.code == 0 ? 0 : -1);
  EXPECT_EQ(round.roots[0].code, 0u);
}

// A round from a file may contain anything.
TEST(Round, WhatDoesNotHoldTogetherIsFound) {
  CpuDevice device(kMemory, false);
  build::Round round =
      build::frozen_round(device, built_cells(device, textured_sphere(600, 9, 1), 600, true), {});
  const size_t dag_levels = round.result.dag.levels.size();
  const auto holds = [&] { return build::holds_together(round, {dag_levels, true}); };
  const auto expect_found = [&](auto& value, auto wrong) {
    const auto right = std::exchange(value, static_cast<std::remove_reference_t<decltype(value)>>(wrong));
    EXPECT_FALSE(holds()) << +wrong;
    value = right;
    EXPECT_TRUE(holds());
  };
  EXPECT_TRUE(holds());
  EXPECT_FALSE(build::holds_together(round, {dag_levels, false}));
  EXPECT_FALSE(build::holds_together(round, {dag_levels + 1, true}));
  EXPECT_FALSE(build::holds_together({}, {dag_levels, true}));
  for (size_t l = 0; l < round.levels.size(); ++l) {
    build::RoundLevel& level = round.levels[l];
    for (const uint64_t node : {uint64_t{0}, level.nodes() / 2, level.nodes() - 1})
      for (const int size : {0, 1, 255}) expect_found(level.sizes.data()[node], size);
    if (l + 1 == round.levels.size()) continue;
    expect_found(level.words.data()[1], round.levels[l + 1].nodes());
    expect_found(level.words.data()[1], UINT32_MAX);
    expect_found(level.words.data()[0], level.words.data()[0] | 1u << 13);
    expect_found(level.words.data()[0], 0u);
  }
  expect_found(round.levels.back().words.data()[0], ~round.levels.back().words.data()[0]);
  expect_found(round.roots[0].number, round.levels[0].nodes());
  expect_found(round.roots[0].code, uint64_t{1} << 3 * round.level);
  ASSERT_GT(round.roots.size(), 1u);
  expect_found(round.roots[0].code, round.roots.back().code);
  for (const int material : {-2, 16}) expect_found(round.roots[0].material, material);
  for (const size_t levels : {size_t{0}, dag_levels - 1, dag_levels + 1}) {
    round.result.dag.levels.resize(levels);
    EXPECT_FALSE(holds()) << levels;
  }
  round.result.dag.levels.resize(dag_levels);
  EXPECT_TRUE(holds());
}

TEST(Round, NodesOfNothingAreFound) {
  const auto round_of = [](uint32_t size, uint32_t mask) {
    build::Round round;
    round.result.dag.levels.resize(2);
    for (const uint32_t words : {size, 2u}) {
      build::RoundLevel& level = round.levels.emplace_back();
      level.words = {SpillPlace(), words};
      std::ranges::fill(level.words.append(words), 0u);
      level.sizes = {SpillPlace(), 1};
      level.sizes.append(1)[0] = static_cast<uint8_t>(words);
    }
    if (size > 1) round.levels[0].words.data()[0] = 1;  // its only child is the leaf
    round.levels[1].words.data()[0] = mask;
    return round;
  };
  EXPECT_TRUE(build::holds_together(round_of(2, 1), {2, false}));
  EXPECT_FALSE(build::holds_together(round_of(1, 1), {2, false}));
  EXPECT_FALSE(build::holds_together(round_of(2, 0), {2, false}));
}

TEST(Round, WordsMayLieInAFolder) {
  const auto folder = std::filesystem::temp_directory_path() / "vox_round_test";
  std::filesystem::create_directories(folder);
  CpuDevice device(kMemory, false);
  const Soup soup = textured_sphere(600, 9, 1);
  const build::Round in_memory = build::frozen_round(device, built_cells(device, soup, 600, true), {});
  const build::Round in_files =
      build::frozen_round(device, built_cells(device, soup, 600, true), SpillPlace(folder));
  expect_equal_rounds(in_memory, in_files);
  build::Round moved = build::frozen_round(device, built_cells(device, soup, 600, true), {});
  build::move_levels(moved, SpillPlace(folder));
  expect_equal_rounds(in_memory, moved);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove(folder);
}

// Compares the merging of levels with maps from words to numbers.

using LevelSource = build::LevelSource<CpuDevice>;
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

build::RoundLevel level_of(const std::vector<uint32_t>& words, const std::vector<uint8_t>& sizes) {
  build::RoundLevel level = {{SpillPlace(), words.size()}, {SpillPlace(), sizes.size()}};
  std::ranges::copy(words, level.words.append(words.size()).begin());
  std::ranges::copy(sizes, level.sizes.append(sizes.size()).begin());
  return level;
}

build::NodeNumbers<CpuDevice> numbers_of(CpuDevice& device, const std::vector<uint32_t>& values) {
  build::NodeNumbers<CpuDevice> numbers(device, SpillPlace(), values.size(), build::NumbersLie::OnDevice);
  std::ranges::copy(values, numbers.load(device, 0, values.size()).data);
  return numbers;
}

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

void expect_merged(const std::vector<Nodes>& from, const build::MergeOptions& options) {
  CpuDevice device(uint64_t{4} << 30, false);
  const SpillPlace place;
  std::vector<LevelSource> sources;
  for (const Nodes& nodes : from)
    sources.push_back({level_of(nodes.words, nodes.sizes), numbers_of(device, nodes.below)});
  const build::RoundLevel merged = build::LevelMerger<CpuDevice>(device, place, options).run(sources);
  const std::vector<Node> unique = split(merged.words.values(), merged.sizes.values());
  std::map<Node, uint32_t> number_of;
  for (uint32_t i = 0; i < unique.size(); ++i)
    ASSERT_TRUE(number_of.emplace(unique[i], i).second) << "a node comes twice";
  std::map<Node, uint32_t> expected;
  for (size_t s = 0; s < from.size(); ++s) {
    const std::vector<Node> nodes = translated(from[s]);
    ASSERT_EQ(sources[s].numbers.size(), nodes.size());
    EXPECT_EQ(sources[s].nodes.nodes(), 0u);
    const std::vector<uint32_t> numbers = sources[s].numbers.on_host(device);
    for (size_t i = 0; i < nodes.size(); ++i) {
      ASSERT_TRUE(number_of.contains(nodes[i]));
      ASSERT_EQ(numbers[i], number_of[nodes[i]]);
      expected.emplace(nodes[i], 0);
    }
  }
  EXPECT_EQ(unique.size(), expected.size());
}

TEST(LevelMerger, EqualNodesOfAllRoundsAreOne) {
  Random random(1);
  const build::MergeOptions ways[] = {{},
                                      {.nodes_at_once = 7},
                                      {.nodes_at_once = 100, .least_portions = 2},
                                      {.nodes_at_once = 64, .least_portions = 31},
                                      {.nodes_at_once = 0, .least_portions = 5}};
  for (const build::MergeOptions& options : ways)
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

// The table begins too small for the nodes, for their words, or for both.
TEST(UniqueNodes, MoreThanAreExpectedFindRoom) {
  CpuDevice device(uint64_t{4} << 30, false);
  Random random(3);
  const Nodes nodes = random_nodes(random, 3000, 40);
  const std::vector<Node> all = split(nodes.words, nodes.sizes);
  for (const build::UniqueRoom room :
       {build::UniqueRoom{0, 0}, build::UniqueRoom{2, 100000}, build::UniqueRoom{3000, 5}}) {
    build::UniqueNodes<CpuDevice> unique(device, room);
    build::NodeStream<CpuDevice> stream(device, nodes.words, nodes.sizes, 100);
    std::vector<uint32_t> numbers(all.size());
    while (!stream.done()) {
      const build::NodePiece piece = stream.next();
      unique.number(piece, nullptr, piece.count, 0, numbers.data() + piece.first);
    }
    std::map<Node, uint32_t> number_of;
    for (size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(number_of.emplace(all[i], numbers[i]).first->second, numbers[i]);
    EXPECT_EQ(number_of.size(), unique.nodes());
    for (const auto& [node, number] : number_of)
      ASSERT_EQ(node, Node(unique.word_data() + unique.offset_data()[number],
                           unique.word_data() + unique.offset_data()[number + 1]));
  }
}

// Every third node is taken, and of the rest every third again.
TEST(NodeSieve, KeepsWhatIsPutBackAndFreesTheRest) {
  CpuDevice device(uint64_t{4} << 30, false);
  Random random(4);
  for (const SpillPlace& place : {SpillPlace(), SpillPlace("/tmp")}) {
    const Nodes nodes = random_nodes(random, 1000, 40);
    build::RoundLevel level = {{place, nodes.words.size()}, {place, nodes.sizes.size()}};
    std::ranges::copy(nodes.words, level.words.append(nodes.words.size()).begin());
    std::ranges::copy(nodes.sizes, level.sizes.append(nodes.sizes.size()).begin());
    std::vector<Node> expected = split(nodes.words, nodes.sizes);
    for (int pass = 0; pass < 2; ++pass) {
      build::NodeSieve<CpuDevice> sieve(device, level);
      std::vector<Node> left;
      while (!sieve.done()) {
        const build::NodePiece piece = sieve.next(70);
        std::vector<uint32_t> chosen;
        for (uint32_t i = 0; i < piece.count; ++i)
          if ((piece.first + i) % 3 != 0) chosen.push_back(i);
        for (const uint32_t i : chosen) left.push_back(expected[piece.first + i]);
        sieve.put_back(piece, chosen.data(), chosen.size());
        EXPECT_EQ(sieve.nodes_left(), left.size());
      }
      sieve.finish();
      expected = left;
      EXPECT_EQ(split(level.words.values(), level.sizes.values()), expected);
    }
    EXPECT_EQ(level.nodes(), 444u);
  }
}

}  // namespace
}  // namespace vox
