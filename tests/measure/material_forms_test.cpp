// The forms of materials, compared with a list of the materials of all voxels.
#include "libvox/measure/compression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/dag/derived.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

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
