// The savings of other forms of a scene, compared with dense cubes of voxels: nodes that become each other by
// symmetries and moves, nodes that coarser views show, and forms of materials.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/dag/derived.h"
#include "libvox/measure/compression.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"
#include "tests/measure/dense_cubes.h"

namespace vox {
namespace {

// Moves the voxels of a cube; none of them may leave it.
Cube moved(const Cube& cube, const Int3& by) {
  Cube to = {cube.side, std::string(cube.voxels.size(), '.')};
  for_each_voxel(cube.side, [&](const Int3& v) {
    if (cube.at(v) == '#') to.at(v + by) = '#';
  });
  return to;
}

// Moves the voxels of a filled cube down along each axis as far as they go.
Cube moved_down(const Cube& cube) {
  Int3 least = {INT32_MAX, INT32_MAX, INT32_MAX};
  for_each_voxel(cube.side, [&](const Int3& v) {
    if (cube.at(v) == '#') least = {std::min(least.x, v.x), std::min(least.y, v.y), std::min(least.z, v.z)};
  });
  return moved(cube, Int3{0, 0, 0} - least);
}

std::string canonical(const Cube& cube) {
  std::string least;
  for (uint32_t symmetry = 0; symmetry < kSymmetries; ++symmetry)
    if (const std::string image = moved_down(turned(cube, symmetry)).voxels; least.empty() || image < least)
      least = image;
  return least;
}

void collect(const Cube& cube, size_t level, std::vector<std::set<std::string>>& seen,
             std::vector<std::set<std::string>>& canonicals) {
  if (!cube.filled() || !seen[level].insert(cube.voxels).second) return;
  canonicals[level].insert(canonical(cube));
  if (cube.side == 4) return;
  for (uint32_t octant = 0; octant < 8; ++octant) collect(part(cube, octant), level + 1, seen, canonicals);
}

// The voxels of the stored nodes of a level, from those of the level below.
std::vector<Cube> cubes_of(const measure::TransformLevel& level, uint32_t side,
                           const std::vector<Cube>& below) {
  std::vector<Cube> cubes;
  size_t next = 0;
  for (const uint64_t mask : level.masks) {
    Cube cube = {side, std::string(size_t{side} * side * side, '.')};
    if (below.empty())
      for (uint32_t bit = 0; bit < 64; ++bit) {
        if ((mask >> bit & 1) != 0) cube.at(cube_place(bit)) = '#';
      }
    for (uint32_t octant = 0; octant < 8 && !below.empty(); ++octant) {
      if ((mask >> octant & 1) == 0) continue;
      const measure::MovedChild& child = level.children[next++];
      const Cube image = moved(turned(below[child.node], child.symmetry), child.move);
      const Int3 corner = octant_corner(octant, static_cast<int32_t>(side / 2));
      for_each_voxel(side / 2, [&](const Int3& v) { cube.at(corner + v) = image.at(v); });
    }
    cubes.push_back(std::move(cube));
  }
  return cubes;
}

// Pieces of 8 voxels a side that hold the same few voxels, moved and turned at random.
DenseGrid moved_pieces(uint64_t seed) {
  return [=](uint32_t x, uint32_t y, uint32_t z) {
    const uint64_t dice = mix64(seed + x / 8 + 100 * (y / 8) + 10000 * (z / 8));
    const auto off = [&](uint32_t v, uint32_t shift) {
      return static_cast<int64_t>(v % 8) - static_cast<int64_t>(dice >> shift & 3);
    };
    const std::array<int64_t, 3> at = {off(x, 8), off(y, 16), off(z, 24)};
    const int64_t a = at[dice % 3], b = at[(dice + 1) % 3], c = at[(dice + 2) % 3];
    return a >= 0 && a < 5 && b >= 0 && b <= a && c >= 0 && c < 2 + b % 2 ? 0 : dag::kEmptyVoxel;
  };
}

std::vector<CompressedScene> moved_scenes() {
  std::vector<CompressedScene> all = vox::scenes();
  all.push_back({"moved pieces", 32, moved_pieces(1)});
  all.push_back({"moved pieces in a part of the cube", 27, moved_pieces(2)});
  return all;
}

TEST(Transforms, DistinctNodesAreThoseOfDenseCubesThatAreTurnedAndMoved) {
  for (const CompressedScene& scene : sampled(moved_scenes())) {
    SCOPED_TRACE(scene.name);
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const measure::TransformDag found = measure::transform_dag(dag);
    std::vector<std::set<std::string>> seen(dag.levels.size()), canonicals(dag.levels.size());
    collect(cube_of(scene, dag.side()), 0, seen, canonicals);
    ASSERT_EQ(found.levels.size(), canonicals.size());
    for (size_t level = 0; level < canonicals.size(); ++level) {
      EXPECT_EQ(found.levels[level].distinct, canonicals[level].size()) << "level " << level;
      EXPECT_LE(found.levels[level].masks.size(), found.levels[level].distinct) << "level " << level;
    }
  }
}

TEST(Transforms, StoredNodesAndTheirTransformsMakeTheWholeScene) {
  uint64_t turns = 0, moves = 0;
  for (const CompressedScene& scene : moved_scenes()) {
    SCOPED_TRACE(scene.name);
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    const measure::TransformDag found = measure::transform_dag(dag);
    if (dag.empty()) {
      EXPECT_EQ(found.nodes(), 0u);
      continue;
    }
    std::vector<Cube> cubes;
    for (uint32_t level = dag.depth() + 1; level-- > 0;) {
      cubes = cubes_of(found.levels[level], dag.level_side(level), cubes);
      for (const measure::MovedChild& child : found.levels[level].children) {
        turns += child.symmetry != 0;
        moves += child.move != Int3{0, 0, 0};
      }
    }
    ASSERT_EQ(cubes.size(), 1u);
    EXPECT_TRUE(cubes[0].voxels == cube_of(scene, dag.side()).voxels);
  }
  EXPECT_GT(turns, 0u);
  EXPECT_GT(moves, 0u);
}

// The least sum of code lengths, found by trying all ways to take two symbols for one.
uint64_t least_bits(std::vector<uint64_t> counts) {
  if (counts.size() < 2) return 0;
  uint64_t least = UINT64_MAX;
  for (size_t a = 0; a < counts.size(); ++a)
    for (size_t b = a + 1; b < counts.size(); ++b) {
      std::vector<uint64_t> merged = counts;
      merged[a] += merged[b];
      const uint64_t both = merged[a];
      merged.erase(merged.begin() + static_cast<ptrdiff_t>(b));
      least = std::min(least, both + least_bits(merged));
    }
  return least;
}

TEST(Transforms, HuffmanCodesAreTheShortest) {
  Random random(7);
  for (uint32_t trial = 0; trial < 30; ++trial) {
    std::vector<uint64_t> counts(random.below(6));
    for (uint64_t& count : counts) count = 1 + random.below(20);
    EXPECT_EQ(measure::huffman_bits(counts), least_bits(counts));
  }
}

// A walk down of a single node: sizes that can be counted by hand.
TEST(Transforms, SizesOfOneLeafInACubeAreCountedByHand) {
  const dag::FrozenDag dag = dense_dag(
      8, false, [](uint32_t x, uint32_t y, uint32_t z) { return x + y + z == 0 ? 0 : dag::kEmptyVoxel; });
  const measure::TransformDag found = measure::transform_dag(dag);
  EXPECT_EQ(found.nodes(), 2u);
  // A header and a pointer of 16 bits, the leaf, and a table with one transform.
  EXPECT_EQ(found.table_bytes(), 2u + 2 + 8 + 8);
  // A mask of 8 bits and no bit for the pointer, the leaf, and the table's entry with the length of its code.
  EXPECT_EQ(found.huffman_bytes(), 1u + 8 + 9);
}

// Eight equal corners, each turned in its own way: the table has eight transforms, which are numbers of three bits.
TEST(Transforms, SizesOfEightTurnedLeavesAreCountedByHand) {
  const dag::FrozenDag dag = dense_dag(8, false, [](uint32_t x, uint32_t y, uint32_t z) {
    const auto near = [](uint32_t v) { return std::min(v, 7 - v); };
    return near(x) + 2 * near(y) + 4 * near(z) < 6 && near(x) < 2 ? 0 : dag::kEmptyVoxel;
  });
  const measure::TransformDag found = measure::transform_dag(dag);
  ASSERT_EQ(found.nodes(), 2u);
  EXPECT_EQ(found.table_bytes(), 2u + 8 * 2 + 8 + 8 * 8);
  EXPECT_EQ(found.huffman_bytes(), 1u + 3 + 8 + 8 * 9);
}

// Nodes that coarser views of nodes above show, compared with dense cubes of voxels.

// Returns the cube at half the side: a voxel is filled if one of its eight parts is.
Cube coarse(const Cube& cube) {
  const uint32_t half = cube.side / 2;
  Cube to = {half, std::string(size_t{half} * half * half, '.')};
  for_each_voxel(cube.side, [&](const Int3& v) {
    if (cube.at(v) == '#') to.at({v.x / 2, v.y / 2, v.z / 2}) = '#';
  });
  return to;
}

TEST(CrossLevel, FindsNodesInTheCoarserViewsOfNodesAbove) {
  uint64_t found = 0;
  for (const CompressedScene& scene : scenes()) {
    SCOPED_TRACE(scene.name);
    const dag::FrozenDag dag = dense_dag(scene.resolution, false, scene.grid);
    // All different filled cubes of each side, from the whole scene's down to 4.
    std::vector<std::set<std::string>> cubes(dag.levels.size());
    const std::function<void(const Cube&, size_t)> collect = [&](const Cube& cube, size_t level) {
      if (!cube.filled() || !cubes[level].insert(cube.voxels).second || cube.side == 4) return;
      for (uint32_t octant = 0; octant < 8; ++octant) collect(part(cube, octant), level + 1);
    };
    collect(cube_of(scene, dag.side()), 0);
    const measure::CrossLevel counted = measure::cross_level(dag);
    ASSERT_EQ(counted.nodes.size(), cubes.size());
    std::set<std::string> views;  // of all cubes above, at this side
    for (size_t level = 0; level < cubes.size(); ++level) {
      const uint32_t side = dag.level_side(static_cast<uint32_t>(level));
      std::set<std::string> here;
      if (level > 0) {
        for (const std::string& view : views) here.insert(coarse({side * 2, view}).voxels);
        for (const std::string& cube : cubes[level - 1]) here.insert(coarse({side * 2, cube}).voxels);
      }
      views = std::move(here);
      uint64_t left = 0;
      for (const std::string& cube : cubes[level]) left += !views.contains(cube);
      EXPECT_EQ(counted.nodes[level], left) << "side " << side;
      found += cubes[level].size() - left;
    }
  }
  EXPECT_GT(found, 0u);
}

// The forms of materials, compared with a list of the materials of all voxels.

using Materials = std::vector<uint32_t>;

// The materials of all filled voxels, in the order of their Morton codes.
Materials materials_of(uint32_t resolution, const DenseGrid& grid) {
  std::map<uint64_t, uint32_t> filled;
  for (uint32_t z = 0; z < resolution; ++z)
    for (uint32_t y = 0; y < resolution; ++y)
      for (uint32_t x = 0; x < resolution; ++x)
        if (const int material = grid(x, y, z); material >= 0)
          filled[morton_encode(x, y, z)] = static_cast<uint32_t>(material);
  Materials materials;
  for (const auto& [code, material] : filled) materials.push_back(material);
  return materials;
}

// Materials in blocks, written and read as compression.h says.
class Blocks {
 public:
  explicit Blocks(const Materials& materials) {
    for (size_t begin = 0; begin < materials.size(); begin += 64) {
      if (begin % 512 == 0) headers_.push_back({.first_bit = bits_.size()});
      const std::vector block(
          materials.begin() + static_cast<ptrdiff_t>(begin),
          materials.begin() + static_cast<ptrdiff_t>(std::min(begin + 64, materials.size())));
      const std::set<uint32_t> palette(block.begin(), block.end());
      for (const uint32_t material : palette)
        headers_.back().palettes[begin / 64 % 8] |= static_cast<uint16_t>(1u << material);
      for (const uint32_t material : block)
        for (uint32_t bit = 0; bit < index_bits(palette.size()); ++bit)
          bits_.push_back(std::distance(palette.begin(), palette.find(material)) >> bit & 1);
    }
  }

  uint32_t material(size_t voxel) const {
    const Header& header = headers_[voxel / 512];
    uint64_t at = header.first_bit;
    for (size_t block = 0; block < voxel / 64 % 8; ++block)
      at += 64 * index_bits(static_cast<size_t>(std::popcount(header.palettes[block])));
    uint32_t palette = header.palettes[voxel / 64 % 8], index = 0;
    const uint32_t width = index_bits(static_cast<size_t>(std::popcount(palette)));
    for (uint32_t bit = 0; bit < width; ++bit) index |= uint32_t{bits_[at + voxel % 64 * width + bit]} << bit;
    for (; index > 0; --index) palette &= palette - 1;
    return static_cast<uint32_t>(std::countr_zero(palette));
  }

  uint64_t bytes() const { return headers_.size() * sizeof(Header) + (bits_.size() + 7) / 8; }

 private:
  struct Header {
    uint64_t first_bit;
    uint16_t palettes[8] = {};
  };
  static uint32_t index_bits(size_t materials) {
    return materials > 8 ? 4 : materials > 4 ? 3 : materials > 2 ? 2 : materials > 1 ? 1 : 0;
  }

  std::vector<Header> headers_;
  std::vector<bool> bits_;
};

double entropy_of(const Materials& symbols) {
  std::map<uint32_t, double> counts;
  for (const uint32_t symbol : symbols) ++counts[symbol];
  double bits = 0;
  for (const auto& [symbol, count] : counts)
    bits -= count * std::log2(count / static_cast<double>(symbols.size()));
  return bits;
}

struct MaterialScene {
  const char* name;
  uint32_t resolution;
  DenseGrid grid;
};

// Large scenes are counted in several parts; the layers make whole nodes of one material there.
std::vector<MaterialScene> scenes() {
  const uint32_t large = kThoroughness == 10 ? 112 : 70;
  return {{"noise of all materials", 32,
           [](uint32_t x, uint32_t y, uint32_t z) {
             return std::max(static_cast<int>(mix32(x + 32 * y + 1024 * z + 1) % 24) - 8, dag::kEmptyVoxel);
           }},
          {"layers", large, [](uint32_t, uint32_t y, uint32_t) { return static_cast<int>(y / 16 % 5); }},
          {"patches on a plane", 64,
           [](uint32_t x, uint32_t y, uint32_t z) {
             return y == z / 2 ? static_cast<int>(mix32(x / 8 * 64 + z / 8) % 16) : dag::kEmptyVoxel;
           }},
          {"one material", 20, [](uint32_t x, uint32_t, uint32_t) { return x == 3 ? 7 : dag::kEmptyVoxel; }},
          {"one voxel", 8, [](uint32_t x, uint32_t y, uint32_t z) { return x + y + z == 0 ? 15 : -1; }},
          {"nothing", 8, [](uint32_t, uint32_t, uint32_t) { return dag::kEmptyVoxel; }}};
}

TEST(MaterialForms, AreThoseOfTheListOfAllMaterials) {
  for (const MaterialScene& scene : scenes()) {
    SCOPED_TRACE(scene.name);
    const Materials materials = materials_of(scene.resolution, scene.grid);
    const dag::FrozenDag dag = dense_dag(scene.resolution, true, scene.grid);
    const dag::FrozenDag geometry = dag::without_materials(dag);
    std::map<std::string, uint64_t> bytes;
    for (const measure::SceneSize& form : measure::material_forms(dag, geometry))
      bytes[form.name] = form.bytes;

    uint64_t runs = 0;
    std::map<uint32_t, Materials> after;  // the materials that follow each one
    for (size_t i = 0; i < materials.size(); ++i) {
      runs += i == 0 || materials[i - 1] != materials[i];
      if (i > 0) after[materials[i - 1]].push_back(materials[i]);
    }
    double entropy_after = 0;
    for (const auto& [before, following] : after) entropy_after += entropy_of(following);

    ASSERT_EQ(dag.voxels, materials.size());
    EXPECT_EQ(bytes["leaves"], dag.bytes() - geometry.bytes());
    EXPECT_EQ(bytes["nibbles"], (materials.size() + 1) / 2);
    EXPECT_EQ(bytes["runs"], (runs * (4 + static_cast<uint64_t>(std::bit_width(materials.size()))) + 7) / 8);
    EXPECT_NEAR(static_cast<double>(bytes["entropy"]), entropy_of(materials) / 8, 1.01);
    EXPECT_NEAR(static_cast<double>(bytes["entropy_after"]), entropy_after / 8, 1.01);
    const Blocks blocks(materials);
    EXPECT_EQ(bytes["blocks"], blocks.bytes());
    for (size_t voxel = 0; voxel < materials.size(); ++voxel)
      ASSERT_EQ(blocks.material(voxel), materials[voxel]) << "voxel " << voxel;
  }
}

TEST(ColorForms, AreThoseOfTheListCountedOneByOne) {
  Random random(7);
  for (const uint32_t kinds : {1u, 3u, 200u, 5000u}) {
    std::vector<uint32_t> colors;
    while (colors.size() < 60000)
      colors.insert(colors.end(), 1 + random.below(6), random.below(kinds) * 977 & 0xffffff);
    const attributes::PackedValues packed = attributes::packed_values(colors);
    std::map<uint32_t, uint64_t> counts;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> pairs;
    std::map<uint32_t, uint64_t> before;
    uint64_t runs = 0;
    for (size_t i = 0; i < colors.size(); ++i) {
      ++counts[colors[i]];
      if (i == 0 || colors[i] != colors[i - 1]) ++runs;
      if (i > 0) ++pairs[{colors[i - 1], colors[i]}], ++before[colors[i - 1]];
    }
    double alone = 0, after = 0;
    for (const auto& [color, count] : counts)
      alone -= double(count) * std::log2(double(count) / double(colors.size()));
    for (const auto& [pair, count] : pairs)
      after -= double(count) * std::log2(double(count) / double(before[pair.first]));
    std::map<std::string, uint64_t> sizes;
    for (const measure::SceneSize& form : measure::color_forms(packed)) sizes[form.name] = form.bytes;
    EXPECT_EQ(sizes["blocks"], packed.bytes());
    EXPECT_EQ(sizes["list"], 3 * colors.size());
    EXPECT_EQ(sizes["runs"], (runs * (std::bit_width(colors.size()) + 24) + 7) / 8);
    EXPECT_NEAR(double(sizes["entropy"]), alone / 8, 2);
    if (counts.size() <= 4096) {
      EXPECT_NEAR(double(sizes["entropy_after"]), after / 8, 2);
    } else {
      EXPECT_EQ(sizes.count("entropy_after"), 0u);
    }
  }
}

}  // namespace
}  // namespace vox
