// Compression counts, compared with a DAG whose nodes are dense cubes of voxels that are turned voxel by voxel.
#include "libvox/measure/compression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/measure/dense_cubes.h"

namespace vox {
namespace {

// The nodes of a level up to symmetries: every different cube, and its class. Classes are numbered as a depth-first walk
// meets them.
struct Classes {
  struct Member {
    uint32_t number;  // of the class
    uint32_t turn;    // the least symmetry that makes the cube from its class's
  };
  std::map<std::string, Member> members;
  std::vector<Cube> cubes;
};

class BruteForce {
 public:
  BruteForce(const Cube& scene, uint32_t symmetries) : symmetries_(symmetries) {
    for (uint32_t side = scene.side; side >= 4; side /= 2) levels_.emplace_back();
    if (scene.filled()) visit(scene, 0);
  }

  uint64_t nodes(size_t level) const { return levels_[level].cubes.size(); }

  // How many nodes have so many references, the most first.
  std::vector<measure::ReferenceCount> references(size_t level) const {
    std::map<uint64_t, uint64_t, std::greater<>> counts;
    for (const uint64_t references : references_to(level)) ++counts[references];
    std::vector<measure::ReferenceCount> result;
    for (const auto& [references, nodes] : counts) result.push_back({references, nodes});
    return result;
  }

  // Encodes all levels, decodes them, and returns the bytes of each.
  std::vector<uint64_t> encoded_bytes(const Cube& scene) {
    encoded_.assign(levels_.size(), {});
    places_.assign(levels_.size(), {});
    for (size_t level = levels_.size(); level-- > 0;) encode(level);
    Cube decoded = {scene.side, std::string(scene.voxels.size(), '.')};
    if (scene.filled()) decode(0, 0, decoded, visit(scene, 0).turn, {0, 0, 0});
    EXPECT_TRUE(decoded.voxels == scene.voxels) << "the encoded levels hold another scene";
    std::vector<uint64_t> bytes;
    for (const std::vector<uint16_t>& level : encoded_) bytes.push_back(2 * level.size());
    return bytes;
  }

 private:
  Classes::Member visit(const Cube& cube, size_t level) {
    Classes& classes = levels_[level];
    const auto known = classes.members.find(cube.voxels);
    if (known != classes.members.end()) return known->second;
    if (level + 1 < levels_.size())
      for (uint32_t octant = 0; octant < 8; ++octant)
        if (const Cube child = part(cube, octant); child.filled()) visit(child, level + 1);
    Cube least = cube;
    for (uint32_t symmetry = 1; symmetry < symmetries_; ++symmetry)
      if (Cube image = turned(cube, symmetry); image.voxels < least.voxels) least = std::move(image);
    const auto number =
        static_cast<uint32_t>(std::find_if(classes.cubes.begin(), classes.cubes.end(),
                                           [&](const Cube& other) { return other.voxels == least.voxels; }) -
                              classes.cubes.begin());
    if (number == classes.cubes.size()) classes.cubes.push_back(least);
    uint32_t turn = 0;
    while (turned(least, turn).voxels != cube.voxels) ++turn;
    return classes.members[cube.voxels] = {number, turn};
  }

  // Calls f(octant, member) for each child of a stored node, all of which may be seen here for the first time.
  template <class F>
  void for_each_child(size_t level, const Cube& cube, const F& f) {
    for (uint32_t octant = 0; octant < 8; ++octant)
      if (const Cube child = part(cube, octant); child.filled()) f(octant, visit(child, level + 1));
  }

  std::vector<uint64_t> references_to(size_t level) const {
    if (level == 0) return {1};
    std::vector<uint64_t> references(levels_[level].cubes.size());
    auto* const self = const_cast<BruteForce*>(this);
    for (const Cube& cube : levels_[level - 1].cubes)
      self->for_each_child(level - 1, cube,
                           [&](uint32_t, const Classes::Member& child) { ++references[child.number]; });
    return references;
  }

  void encode(size_t level) {
    const bool leaves = level + 1 == levels_.size();
    std::vector<std::vector<uint16_t>> nodes;
    for (const Cube& cube : levels_[level].cubes) nodes.push_back(leaves ? leaf(cube) : node(level, cube));
    const std::vector<uint64_t> references = references_to(level);
    std::vector<uint32_t> order(nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return references[a] != references[b] ? references[a] > references[b]
                                            : nodes[a].size() < nodes[b].size();
    });
    places_[level].resize(nodes.size());
    for (const uint32_t number : order) {
      places_[level][number] = encoded_[level].size() / (leaves ? 4 : 1);
      encoded_[level].insert(encoded_[level].end(), nodes[number].begin(), nodes[number].end());
    }
  }

  static std::vector<uint16_t> leaf(const Cube& cube) {
    std::vector<uint16_t> words(4);
    for (uint32_t bit = 0; bit < 64; ++bit)
      if (cube.at(cube_place(bit)) == '#')
        words[bit / 16] = static_cast<uint16_t>(words[bit / 16] | 1u << bit % 16);
    return words;
  }

  std::vector<uint16_t> node(size_t level, const Cube& cube) {
    std::vector<uint16_t> words(1);
    for_each_child(level, cube, [&](uint32_t octant, const Classes::Member& child) {
      const uint64_t pointer = places_[level + 1][child.number] << turn_bits() | child.turn;
      uint32_t units = 1;
      while (pointer >> 16 * units != 0) ++units;
      words[0] = static_cast<uint16_t>(words[0] | units << 2 * octant);
      for (uint32_t i = 0; i < units; ++i) words.push_back(static_cast<uint16_t>(pointer >> 16 * i));
    });
    return words;
  }

  // Fills the voxels of a node that lies at `place` and is turned, at `corner` of the scene.
  void decode(size_t level, uint64_t place, Cube& scene, uint32_t turn, const Int3& corner) const {
    const uint32_t side = scene.side >> level;
    const std::vector<uint16_t>& words = encoded_[level];
    if (level + 1 == levels_.size()) {
      Cube cube = {4, std::string(64, '.')};
      for (uint32_t bit = 0; bit < 64; ++bit)
        if ((words[4 * place + bit / 16] >> bit % 16 & 1) != 0) cube.at(cube_place(bit)) = '#';
      cube = turned(cube, turn);
      for_each_voxel(4, [&](const Int3& v) { scene.at(corner + v) = cube.at(v); });
      return;
    }
    size_t at = place + 1;
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const uint32_t units = words[place] >> 2 * octant & 3;
      if (units == 0) continue;
      uint64_t pointer = 0;
      for (uint32_t i = 0; i < units; ++i) pointer |= uint64_t{words[at++]} << 16 * i;
      const auto child_turn = static_cast<uint32_t>(pointer & ((1u << turn_bits()) - 1));
      decode(level + 1, pointer >> turn_bits(), scene, kSymmetryTables.products[turn][child_turn],
             corner + octant_corner(moved_octant(turn, octant), static_cast<int32_t>(side / 2)));
    }
  }

  uint32_t turn_bits() const { return measure::SharedDag::turn_bits_of(symmetries_); }

  uint32_t symmetries_;
  std::vector<Classes> levels_;
  std::vector<std::vector<uint16_t>> encoded_;
  std::vector<std::vector<uint64_t>> places_;
};

TEST(Compression, CountsTheNodesThatDifferAfterAllTurnsOfDenseCubes) {
  const std::unique_ptr<Engine> engine = test_engine();
  for (const CompressedScene& scene : sampled(scenes())) {
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const Cube cube = cube_of(scene, dag.side());
    for (const uint32_t symmetries : {1u, kMirrors, kSymmetries}) {
      SCOPED_TRACE(scene.name + ", " + std::to_string(symmetries) + " symmetries");
      const measure::SharedDag shared = measure::shared_under(*engine, dag, symmetries);
      BruteForce expected(cube, symmetries);
      const std::vector<uint64_t> bytes = expected.encoded_bytes(cube);
      ASSERT_EQ(shared.levels.size(), dag.levels.size());
      for (size_t level = 0; level < dag.levels.size(); ++level) {
        SCOPED_TRACE("level " + std::to_string(level));
        const measure::SharedLevel& counted = shared.levels[level];
        EXPECT_EQ(counted.nodes, expected.nodes(level));
        EXPECT_EQ(counted.encoded_bytes, dag.empty() ? 0 : bytes[level]);
        if (dag.empty()) continue;
        EXPECT_EQ(counted.references, expected.references(level));
        uint64_t references = 0;
        if (level + 1 < dag.levels.size())
          for (const measure::ReferenceCount& count : expected.references(level + 1))
            references += count.references * count.nodes;
        EXPECT_EQ(counted.pointers(), references);
      }
    }
  }
}

// Reads a stream of a DAG without pointers back into the words of its levels, one level after the other.
class StreamReader {
 public:
  StreamReader(const measure::PointerlessStream& stream, uint32_t inner_levels)
      : stream_(stream), levels_(inner_levels + 1) {
    if (stream.leaves.empty()) return;
    uint64_t nodes = 1;
    for (uint32_t level = 0; level < inner_levels; ++level) nodes = read_level(levels_[level], nodes);
    for (uint64_t leaf = 0; leaf < nodes; ++leaf)
      for (uint64_t half = 0; half < 2; ++half) {
        uint32_t word = 0;
        for (uint64_t byte = 0; byte < 4; ++byte)
          word |= uint32_t{stream.leaves[8 * leaf + 4 * half + byte]} << 8 * byte;
        levels_.back().push_back(word);
      }
    bits_ += 64 * nodes;
  }

  const std::vector<uint32_t>& words(size_t level) const { return levels_[level]; }
  uint64_t bits() const { return bits_; }

 private:
  // Returns the number of nodes of the next level.
  uint64_t read_level(std::vector<uint32_t>& words, uint64_t nodes) {
    uint64_t next = 0;
    for (uint64_t node = 0; node < nodes; ++node) {
      const uint32_t mask = stream_.masks[mask_++];
      words.push_back(mask);
      bits_ += 8;
      for (int child = 0; child < std::popcount(mask); ++child, ++bit_) {
        ++bits_;
        const bool is_first = (stream_.first[bit_ / 8] >> bit_ % 8 & 1) != 0;
        words.push_back(static_cast<uint32_t>(is_first ? next++ : next - 1 - reference()));
        // As many bits as the greatest of the numbers from 0 to next - 1 has.
        for (uint64_t known = is_first ? 0 : next - 1; known > 0; known /= 2) ++bits_;
      }
    }
    return next;
  }

  uint64_t reference() {
    uint64_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
      const uint8_t byte = stream_.references[reference_++];
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
  }

  const measure::PointerlessStream& stream_;
  std::vector<std::vector<uint32_t>> levels_;
  size_t mask_ = 0, bit_ = 0, reference_ = 0;
  uint64_t bits_ = 0;
};

TEST(Compression, StreamsWithoutPointersHoldTheWholeDag) {
  for (const CompressedScene& scene : scenes()) {
    SCOPED_TRACE(scene.name);
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const measure::PointerlessStream stream = measure::pointerless_stream(dag);
    const StreamReader reader(stream, dag.depth());
    EXPECT_EQ(reader.bits(), stream.bits);
    for (size_t level = 0; level < dag.levels.size(); ++level) {
      std::vector<uint32_t> words(dag.levels[level].words.begin(), dag.levels[level].words.end());
      for (uint64_t node = 0; level < dag.depth() && node < dag.levels[level].nodes; ++node) {
        uint32_t& header = words[dag.levels[level].places[node]];
        header = dag::child_mask(header);  // that a node is full follows from its children
      }
      EXPECT_EQ(reader.words(level), words) << "level " << level;
    }
  }
}

// The nodes of an octree down to single blocks of 2³ voxels, and the words of two ways to write it.
struct OctreeCounts {
  uint64_t nodes = 0, nodes_to_leaves = 0, words_2 = 0, words_4 = 0;
};
void count_octree(const Cube& cube, OctreeCounts& counts) {
  if (!cube.filled()) return;
  ++counts.nodes;
  if (cube.side == 2) {
    ++counts.words_2;  // its mask
    return;
  }
  if (cube.side >= 4) ++counts.nodes_to_leaves;
  uint64_t children = 0;
  for (uint32_t octant = 0; octant < 8; ++octant) children += part(cube, octant).filled();
  counts.words_2 += 1 + children;
  counts.words_4 += cube.side == 4 ? 2 : 1 + children;
  for (uint32_t octant = 0; octant < 8; ++octant) count_octree(part(cube, octant), counts);
}

TEST(Compression, FormsOfTheOctreeAndOrdersOfFormsAreAsTheirDefinitionsSay) {
  const std::unique_ptr<Engine> engine = test_engine();
  for (const CompressedScene& scene : scenes()) {
    SCOPED_TRACE(scene.name);
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const measure::CompressionStats stats = measure::measure_compression(
        *engine, dag, [](std::span<const uint8_t> bytes) { return bytes.size() / 2; });
    std::map<std::string, measure::CompressionForm> forms;
    for (const measure::CompressionForm& form : stats.forms) forms[form.size.name] = form;
    OctreeCounts octree;
    count_octree(cube_of(scene, dag.side()), octree);
    EXPECT_EQ(forms["octree_masks"].size.bytes, octree.nodes);
    EXPECT_EQ(forms["octree_2"].size.bytes, 4 * octree.words_2);
    EXPECT_EQ(forms["octree_4"].size.bytes, 4 * octree.words_4);
    EXPECT_EQ(forms["octree_4"].nodes, octree.nodes_to_leaves);
    EXPECT_EQ(forms["svdag_4"].size.bytes, dag.bytes());
    EXPECT_TRUE(stats.is_complete);
    // The forms of the octree follow from the counts of a scene with materials, too.
    const dag::FrozenDag colored = dense_dag(scene.resolution, true, scene.grid);
    for (const measure::CompressionForm& form :
         measure::octree_forms(colored, measure::count_dag(colored)).forms) {
      EXPECT_EQ(form.size.bytes, forms[form.size.name].size.bytes) << form.size.name;
      EXPECT_EQ(form.nodes, forms[form.size.name].nodes) << form.size.name;
    }
    // More symmetries never leave more nodes, and no code beats the entropy by more than a rounded byte. A whole stream
    // also has the sizes of its parts.
    EXPECT_GE(forms["svdag_4"].nodes, forms["ussvdag"].nodes);
    EXPECT_GE(forms["ussvdag"].nodes, forms["symmetric"].nodes);
    for (const auto& [encoded, bound] : {std::pair("esvdag", "entropy"),
                                         {"ssvdag", "entropy_mirrors"},
                                         {"symmetric_encoded", "entropy_symmetric"}})
      EXPECT_LE(forms[bound].size.bytes, forms[encoded].size.bytes) << encoded;
  }
}

TEST(Compression, FormsThatDoNotFitIntoMemoryAreLeftOut) {
  const CompressedScene scene = scenes().back();
  const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
  const auto half = [](std::span<const uint8_t> bytes) { return bytes.size() / 2; };
  const std::unique_ptr<Engine> engine = test_engine(), small = test_engine({.memory_limit = 1});
  const measure::CompressionStats all = measure::measure_compression(*engine, dag, half);
  const auto expect_part = [&](const measure::CompressionStats& stats) {
    EXPECT_FALSE(stats.is_complete);
    EXPECT_LT(stats.forms.size(), all.forms.size());
    for (const measure::CompressionForm& form : stats.forms) {
      const auto same = std::ranges::find(
          all.forms, form.size.name, [](const measure::CompressionForm& each) { return each.size.name; });
      ASSERT_NE(same, all.forms.end());
      EXPECT_EQ(form.size.bytes, same->size.bytes) << form.size.name;
      EXPECT_EQ(form.nodes, same->nodes) << form.size.name;
    }
  };
  const measure::CompressionStats on_small = measure::measure_compression(*small, dag, half);
  expect_part(on_small);
  EXPECT_FALSE(on_small.shared[0]);
  EXPECT_TRUE(on_small.lossy_changed_voxels);
  const measure::CompressionStats within = measure::measure_compression(*engine, dag, half, {}, 1);
  expect_part(within);
  EXPECT_TRUE(within.shared[0]);
  EXPECT_TRUE(within.moved_nodes.empty());
  EXPECT_FALSE(within.lossy_changed_voxels);
}

}  // namespace
}  // namespace vox
