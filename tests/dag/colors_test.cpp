// Values apart from the DAG, compared with dense grids: colors, and values of voxels inside solids.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/digests.h"
#include "libvox/dag/walk.h"
#include "libvox/scene/oklab.h"
#include "tests/common/random.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

uint32_t color_at(Int3 v) {
  const uint64_t hash = mix64(static_cast<uint64_t>(v.x / 3) << 40 | static_cast<uint64_t>(v.y / 2) << 20 |
                              static_cast<uint64_t>(v.z));
  return static_cast<uint32_t>(hash) & 0xffffff;
}

// Calls visit(place) for each filled voxel of the grid in Morton order.
template <class Visit>
void for_each_voxel(uint32_t resolution, const DenseGrid& grid, Visit visit) {
  for (uint64_t code = 0; code < uint64_t{1} << 3 * 7; ++code) {
    const Int3 v = morton_decode(code);
    const auto [x, y, z] =
        std::array{static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z)};
    if (x < resolution && y < resolution && z < resolution && grid(x, y, z) != dag::kEmptyVoxel) visit(v);
  }
}

struct Colored {
  dag::VoxelScene scene;
  std::map<std::array<int32_t, 3>, uint32_t> color_of;
};

Colored colored(uint32_t resolution, const DenseGrid& grid) {
  Colored result;
  result.scene.dag = dense_dag(resolution, false, grid);
  std::vector<uint32_t> colors;
  for_each_voxel(resolution, grid, [&](Int3 v) {
    colors.push_back(color_at(v));
    result.color_of[{v.x, v.y, v.z}] = color_at(v);
  });
  result.scene.colors = attributes::packed_values(colors);
  return result;
}

uint32_t color_of(const dag::VoxelScene& scene, Int3 v) {
  const dag::VoxelNumbers numbers(scene.dag);
  const Int3 corner = {v.x / 4 * 4, v.y / 4 * 4, v.z / 4 * 4};
  uint64_t number = numbers.first_of_leaf(corner);
  for (uint32_t bit = 0; bit < cube_bit(v); ++bit) {
    const Int3 other = corner + cube_place(bit);
    if (dag::voxel_at(scene.dag, static_cast<uint32_t>(other.x), static_cast<uint32_t>(other.y),
                      static_cast<uint32_t>(other.z)) != dag::kEmptyVoxel)
      ++number;
  }
  return (*scene.colors)[number];
}

const std::vector<std::pair<uint32_t, DenseGrid>>& grids() {
  static const std::vector<std::pair<uint32_t, DenseGrid>> all = {
      {64, shell}, {61, shell}, {128, blocks}, {4, [](uint32_t x, uint32_t, uint32_t) {
                                                  return x > 1 ? 0 : -1;
                                                }}};
  return all;
}

TEST(VoxelNumbers, CountAsADepthFirstWalk) {
  for (const auto& [resolution, grid] : grids()) {
    const dag::FrozenDag dag = dense_dag(resolution, false, grid);
    const dag::VoxelNumbers numbers(dag);
    EXPECT_EQ(numbers.voxels(0, 0), dag.voxels);
    uint64_t number = 0;
    for_each_voxel(resolution, grid, [&](Int3 v) {
      const Int3 corner = {v.x / 4 * 4, v.y / 4 * 4, v.z / 4 * 4};
      if (number == 0 || cube_bit(v) == 0) {
        ASSERT_EQ(numbers.first_of_leaf(corner), number);
      } else {
        ASSERT_LE(numbers.first_of_leaf(corner), number);
      }
      ++number;
    });
    EXPECT_EQ(number, dag.voxels);
  }
}

TEST(Colors, OfAPaletteAreTheNearestEntries) {
  for (const auto& [resolution, grid] : grids()) {
    const Colored made = colored(resolution, grid);
    const dag::VoxelScene scene = dag::with_palette(made.scene);
    EXPECT_FALSE(scene.colors);
    EXPECT_EQ(scene.dag.voxels, made.scene.dag.voxels);
    EXPECT_NO_THROW(dag::verify(scene.dag));
    const scene::NearestEntry nearest(scene.palette);
    for (const auto& [v, color] : made.color_of)
      ASSERT_EQ(dag::voxel_at(scene.dag, static_cast<uint32_t>(v[0]), static_cast<uint32_t>(v[1]),
                              static_cast<uint32_t>(v[2])),
                nearest(scene::unpacked_color(color)));
    double shares = 0;
    for (const double share : scene.shares) shares += share;
    EXPECT_NEAR(shares, 1, 1e-12);
  }
}

// A block of 32³ voxels whose colors are mixed has their light, and so has each eighth of it, nearly.
TEST(Colors, ThatAreMixedFromAPaletteGiveTheLightOfTheirVoxelsTogether) {
  scene::Palette inks;
  inks.count = 5;
  inks.colors = {{{0, 0, 0}, {255, 255, 255}, {230, 30, 30}, {40, 60, 220}, {250, 220, 20}}};
  for (const scene::Rgb8 wanted :
       {scene::Rgb8{128, 128, 128}, {200, 120, 110}, {60, 60, 90}, {230, 30, 30}}) {
    dag::VoxelScene full;
    full.dag = dense_dag(32, false, everywhere);
    attributes::ValueWriter writer;
    for (uint64_t i = 0; i < full.dag.voxels; ++i) writer.put(scene::packed_color(wanted));
    full.colors = attributes::with_table(writer.finish());
    const dag::VoxelScene mixed = dag::with_palette(std::move(full), {.palette = inks, .dither = true});
    EXPECT_NO_THROW(dag::verify(mixed.dag));
    const Vec3d light = scene::srgb_to_linear(wanted);
    const auto mean = [&](Int3 corner, int32_t side) {
      Vec3d sum = {0, 0, 0};
      for (int32_t z = 0; z < side; ++z)
        for (int32_t y = 0; y < side; ++y)
          for (int32_t x = 0; x < side; ++x) {
            const int entry =
                dag::voxel_at(mixed.dag, static_cast<uint32_t>(corner.x + x),
                              static_cast<uint32_t>(corner.y + y), static_cast<uint32_t>(corner.z + z));
            sum = sum + scene::srgb_to_linear(inks.colors[static_cast<size_t>(entry)]);
          }
      return sum * (1. / (side * side * side));
    };
    const auto apart = [&](Vec3d a) { return length(a - light); };
    EXPECT_LT(apart(mean({0, 0, 0}, 32)), 0.03) << int(wanted.r);
    for (const int32_t at : {0, 8, 24})
      EXPECT_LT(apart(mean({at, 8, 16}, 8)), 0.06) << int(wanted.r) << ' ' << at;
  }
}

TEST(Colors, ThatAreFewerAreTheNearestOfTheirTable) {
  const Colored made = colored(64, shell);
  const attributes::PackedValues& colors = *made.scene.colors;
  for (const uint32_t count : {17u, 100u}) {
    const attributes::PackedValues fewer = dag::with_fewer_colors(colors, count);
    EXPECT_NO_THROW(attributes::verify(fewer));
    ASSERT_EQ(fewer.count, colors.count);
    ASSERT_LE(fewer.table.size(), count);
    ASSERT_GT(fewer.table.size(), count / 2);
    const auto place = [](uint32_t color) {
      return scene::linear_to_oklab(scene::srgb_to_linear(scene::unpacked_color(color)));
    };
    const auto distance = [&](uint32_t a, uint32_t b) {
      const Vec3d apart = place(a) - place(b);
      return dot(apart, apart);
    };
    for (uint64_t i = 0; i < colors.count; i += 7) {
      double nearest = HUGE_VAL;
      for (const uint32_t color : fewer.table) nearest = std::min(nearest, distance(color, colors[i]));
      ASSERT_LE(distance(fewer[i], colors[i]), nearest * (1 + 1e-12));
    }
  }
  const attributes::PackedValues same = dag::with_fewer_colors(colors, attributes::kMostTabled);
  for (uint64_t i = 0; i < colors.count; ++i) ASSERT_EQ(same[i], colors[i]);
}

TEST(Colors, OfAPartAreThoseOfItsVoxels) {
  const Colored made = colored(64, shell);
  for (const VoxelBox& box : {VoxelBox{{3, 5, 7}, {31, 18, 60}}, VoxelBox{{0, 0, 0}, {64, 64, 64}},
                              VoxelBox{{11, 0, 20}, {12, 37, 21}}}) {
    const dag::VoxelScene part = dag::clipped(made.scene, box);
    EXPECT_NO_THROW(dag::verify(part.dag));
    ASSERT_EQ(part.colors->count, part.dag.voxels);
    for (const auto& [v, color] : made.color_of) {
      const Int3 at = {v[0], v[1], v[2]};
      if (intersection(box, cube_at(at, 1)).empty()) continue;
      ASSERT_EQ(color_of(part, at), color);
    }
  }
}

TEST(Colors, OfACoarserSceneAreMeansInLinearLight) {
  for (uint32_t halvings = 1; halvings <= 4; ++halvings) {
    const Colored made = colored(64, shell);
    const dag::VoxelScene coarse = dag::coarser(made.scene, halvings);
    ASSERT_EQ(coarse.colors->count, coarse.dag.voxels);
    struct Sum {
      Vec3d light = {0, 0, 0};
      double count = 0;
    };
    std::map<std::array<int32_t, 3>, Sum> sums;
    for (const auto& [v, color] : made.color_of) {
      Sum& sum = sums[{v[0] >> halvings, v[1] >> halvings, v[2] >> halvings}];
      sum.light = sum.light + scene::srgb_to_linear(scene::unpacked_color(color));
      sum.count += 1;
    }
    ASSERT_EQ(sums.size(), coarse.dag.voxels);
    for (const auto& [v, sum] : sums) {
      const scene::Rgb8 expected = scene::linear_to_srgb(sum.light * (1 / sum.count));
      const scene::Rgb8 found = scene::unpacked_color(color_of(coarse, {v[0], v[1], v[2]}));
      for (const auto channel : {&scene::Rgb8::r, &scene::Rgb8::g, &scene::Rgb8::b})
        ASSERT_NEAR(found.*channel, expected.*channel, 1);
    }
  }
}

TEST(Colors, OfNamedMaterialsAreTheMostFrequentInACoarserScene) {
  for (uint32_t halvings = 1; halvings <= 4; ++halvings) {
    Colored made = colored(64, shell);
    made.scene.named_colors = {{"one", {1, 2, 3}}};
    std::map<std::array<int32_t, 3>, std::map<uint32_t, uint64_t>> counts;
    for (const auto& [v, color] : made.color_of)
      ++counts[{v[0] >> halvings, v[1] >> halvings, v[2] >> halvings}][color];
    const dag::VoxelScene coarse = dag::coarser(made.scene, halvings);
    ASSERT_EQ(counts.size(), coarse.dag.voxels);
    for (const auto& [v, voxels_of] : counts) {
      uint32_t best = 0;
      uint64_t most = 0;
      for (const auto& [color, voxels] : voxels_of)
        if (voxels > most) best = color, most = voxels;
      ASSERT_EQ(color_of(coarse, {v[0], v[1], v[2]}), best);
    }
  }
}

TEST(Colors, HaveADigestOfTheirOwn) {
  const Colored made = colored(64, shell);
  const dag::Digest digest = dag::digest_of(*made.scene.colors);
  EXPECT_EQ(dag::to_string(digest), "5bf7adeae43d9e9c19d082e49a107510");
  std::vector<uint32_t> values(made.scene.colors->count);
  attributes::read_values(*made.scene.colors, 0, values);
  values[values.size() / 2] ^= 1;
  EXPECT_NE(dag::digest_of(attributes::packed_values(values)), digest);
}

TEST(Colors, OfSomeVoxelsAreTheirs) {
  const Colored known = colored(60, shell);
  const dag::FrozenDag part = dense_dag(60, false, [](uint32_t x, uint32_t y, uint32_t z) {
    return (x + y / 2 + z) % 5 < 2 ? shell(x, y, z) : dag::kEmptyVoxel;
  });
  const dag::VoxelScene some = dag::part_of(known.scene, part);
  EXPECT_EQ(some.dag.digest, part.digest);
  uint64_t number = 0;
  dag::for_each_leaf(part, cube_at({0, 0, 0}, 64), [&](Int3 corner, uint64_t mask, const uint32_t*) {
    for (; mask != 0; mask &= mask - 1)
      ASSERT_EQ((*some.colors)[number++],
                color_at(corner + cube_place(static_cast<uint32_t>(lowest_bit(mask)))));
  });
  EXPECT_EQ(number, some.colors->count);
}

double delta_e(uint32_t a, uint32_t b) {
  const auto place = [](uint32_t color) {
    return scene::linear_to_oklab(scene::srgb_to_linear(scene::unpacked_color(color)));
  };
  const Vec3d apart = place(a) - place(b);
  return scene::kDeltaE * square_root(dot(apart, apart));
}

std::set<uint32_t> different_in_block(const attributes::PackedValues& colors, uint64_t first) {
  std::set<uint32_t> different;
  for (uint64_t i = first; i < std::min(first + attributes::kBlockValues, colors.count); ++i)
    different.insert(colors[i]);
  return different;
}

TEST(NearColors, ChangeNoColorByMoreThanIsAllowed) {
  Random random(5);
  for (const uint32_t kinds : {2000u, 200'000u}) {  // with a table, and without one
    std::vector<uint32_t> pool(kinds), values;
    for (uint32_t& color : pool)
      color = 0x808080 + random.below(60) * 0x10000 + random.below(60) * 0x100 + random.below(60);
    for (int i = 0; i < 20'007; ++i)
      values.push_back(random.below(3) == 0 && i > 0 ? values.back() : pool[random.below(kinds)]);
    const attributes::PackedValues exact = attributes::with_table(attributes::packed_values(values));
    EXPECT_EQ(exact.table.empty(), kinds > 65'536 && attributes::different_values(exact).size() > 65'536);
    uint64_t before = exact.bytes();
    for (const double most : {0.5, 2., 6., 100.}) {
      const dag::NearColors near = dag::near_colors(exact, most);
      ASSERT_EQ(near.colors.count, exact.count);
      EXPECT_NO_THROW(attributes::verify(near.colors));
      double sum = 0, largest = 0;
      for (uint64_t i = 0; i < exact.count; ++i) {
        const double error = delta_e(near.colors[i], exact[i]);
        sum += error, largest = std::max(largest, error);
      }
      EXPECT_LE(largest, most + 1e-9);
      EXPECT_NEAR(near.mean_error, sum / static_cast<double>(exact.count), 1e-9);
      for (uint64_t first = 0; first < exact.count; first += attributes::kBlockValues)
        ASSERT_LE(different_in_block(near.colors, first).size(), different_in_block(exact, first).size());
      EXPECT_LE(near.colors.bytes(), before);
      before = near.colors.bytes();
    }
    EXPECT_LT(20 * before, exact.bytes());
  }
}

// Blocks of colors around a few centers that are far apart keep one color for each.
TEST(NearColors, AreAsFewAsClustersInABlock) {
  Random random(6);
  std::vector<uint32_t> values;
  for (int i = 0; i < 64 * 30; ++i)
    values.push_back(0x202020 + 0x606060 * random.below(3) + random.below(3) * 0x10101);
  const attributes::PackedValues exact = attributes::packed_values(values);
  const dag::NearColors near = dag::near_colors(exact, 3);
  for (uint64_t first = 0; first < exact.count; first += attributes::kBlockValues)
    ASSERT_EQ(different_in_block(near.colors, first).size(), 3u);
}

// The values of voxels inside solids, compared with a search along the rows of a dense grid.

struct Grids {
  uint32_t resolution;
  DenseGrid surface, solid;
  std::map<std::array<int32_t, 4>, bool> cubes = {};  // true for cubes, by corner and side, that have surface

  bool is_surface(Int3 v) const {
    return surface(static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z)) >= 0;
  }
  bool has_surface(Int3 corner, int32_t side) {
    const auto [known, is_new] = cubes.try_emplace({corner.x, corner.y, corner.z, side});
    if (is_new) known->second = finds_surface(corner, side);
    return known->second;
  }
  bool finds_surface(Int3 corner, int32_t side) const {
    const auto end = static_cast<int32_t>(resolution);
    for (int32_t z = corner.z; z < std::min(corner.z + side, end); ++z)
      for (int32_t y = corner.y; y < std::min(corner.y + side, end); ++y)
        for (int32_t x = corner.x; x < std::min(corner.x + side, end); ++x)
          if (is_surface({x, y, z})) return true;
    return false;
  }
  // Returns the place on whose ray the value of an inside voxel lies: the corner of the largest cube of the octree around it
  // that has no surface, or the voxel's own.
  Int3 ray_of(Int3 v, uint32_t side) {
    for (; side >= 4; side /= 2) {
      const auto s = static_cast<int32_t>(side);
      const Int3 corner = {v.x / s * s, v.y / s * s, v.z / s * s};
      if (!has_surface(corner, s)) return corner;
    }
    return v;
  }
};

std::vector<Grids> random_grids() {
  std::vector<Grids> grids;
  for (const uint64_t seed : {1, 2, 3})
    for (const uint32_t resolution : {4u, 30u, 32u, 70u}) {
      const auto random = [seed](uint32_t x, uint32_t y, uint32_t z, uint64_t of) {
        return mix64(mix64(uint64_t{x} << 40 | uint64_t{y} << 20 | z) + seed * 10 + of);
      };
      const DenseGrid surface = [=](uint32_t x, uint32_t y, uint32_t z) {
        return random(x / 8, y / 8, z / 8, 1) % (resolution > 32 ? 200 : 3) == 0 &&
                       random(x, y, z, 2) % 5 == 0
                   ? 0
                   : dag::kEmptyVoxel;
      };
      const DenseGrid solid = [=](uint32_t x, uint32_t y, uint32_t z) {
        return surface(x, y, z) >= 0 || random(x / 4, y / 4, z / 4, 3) % 3 != 0 ? 0 : dag::kEmptyVoxel;
      };
      grids.push_back({resolution, surface, solid});
    }
  return grids;
}

TEST(InsideValues, AreThoseOfTheLastSurfaceVoxelOnTheRay) {
  for (Grids& grids : random_grids()) {
    const dag::FrozenDag surface = dense_dag(grids.resolution, false, grids.surface),
                         solid = dense_dag(grids.resolution, false, grids.solid);
    std::vector<uint32_t> colors(surface.voxels);
    for (size_t i = 0; i < colors.size(); ++i) colors[i] = static_cast<uint32_t>(mix64(i)) & 0xffffff;
    std::map<std::array<int32_t, 3>, uint32_t> of_surface;
    size_t number = 0;
    dag::for_each_leaf(surface, cube_at({0, 0, 0}, surface.side()),
                       [&](Int3 corner, uint64_t mask, const uint32_t*) {
                         for (; mask != 0; mask &= mask - 1) {
                           const Int3 v = corner + cube_place(static_cast<uint32_t>(lowest_bit(mask)));
                           of_surface[{v.x, v.y, v.z}] = colors[number++];
                         }
                       });
    const auto last_before = [&](Int3 v) {
      for (--v.x; v.x >= 0; --v.x)
        if (const auto found = of_surface.find({v.x, v.y, v.z}); found != of_surface.end())
          return found->second;
      return colors.empty() ? 0 : colors[0];
    };
    for (const std::optional<uint32_t> interior :
         {std::optional<uint32_t>(), std::optional<uint32_t>(0x123456)}) {
      const attributes::PackedValues values =
          dag::inside_values(solid, surface, attributes::packed_values(colors), interior, UINT64_MAX);
      ASSERT_EQ(values.count, solid.voxels);
      uint64_t at = 0;
      dag::for_each_leaf(
          solid, cube_at({0, 0, 0}, solid.side()), [&](Int3 corner, uint64_t mask, const uint32_t*) {
            for (; mask != 0; mask &= mask - 1) {
              const Int3 v = corner + cube_place(static_cast<uint32_t>(lowest_bit(mask)));
              const uint32_t expected = grids.is_surface(v) ? of_surface.at({v.x, v.y, v.z})
                                        : interior          ? *interior
                                                            : last_before(grids.ray_of(v, solid.side()));
              ASSERT_EQ(values[at++], expected) << v.x << ' ' << v.y << ' ' << v.z;
            }
          });
    }
    if (solid.voxels > 0) {
      EXPECT_THROW(dag::inside_values(solid, surface, attributes::packed_values(colors), {}, 10),
                   OutOfMemory);
    }
  }
}

}  // namespace
}  // namespace vox
