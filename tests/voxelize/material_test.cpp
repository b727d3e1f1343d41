// Compares the materials of voxels with a search through all triangles, and with figures worked out by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/common/test_engine.h"
#include "tests/voxelize/brute_force.h"
#include "tests/voxelize/soup.h"

namespace vox::brute {

// Finds the materials that a voxel may have by docs/architecture.md, "Coverage and material": it examines
// every triangle of the scene for every voxel. If rounding could decide (two planes are equally near, or a
// point lies on the edge of a texel), both answers are allowed.

struct Allowed {
  bool filled = false, empty = true;
  std::set<int> materials;

  bool decided() const { return filled != empty && materials.size() <= 1; }
  bool has(int8_t voxel) const {
    return voxel == dag::kEmptyVoxel ? empty : filled && materials.contains(voxel);
  }
};

// A triangle relative to a voxel's center, in voxels.
struct Seen {
  std::array<Vec3d, 3> v;
  Vec3d n;
};

inline Vec3d to_double(Vec3w p) {
  return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

inline Seen seen_from(const SnappedTriangle& t, Int3 voxel) {
  Seen seen;
  for (size_t i = 0; i < 3; ++i) seen.v[i] = to_double(t.v[i] - center_of(voxel)) * (1.0 / kVoxel);
  seen.n = cross(seen.v[1] - seen.v[0], seen.v[2] - seen.v[0]);
  return seen;
}

inline double plane_distance(const Seen& t) {
  return std::abs(dot(t.n, t.v[0])) / std::sqrt(dot(t.n, t.n));
}

// Returns the barycentric coordinates of the triangle's point that is closest to the center.
inline Vec3d closest_point(const Seen& t) {
  auto weights = [](size_t i, double wi, size_t j, double wj) {
    std::array<double, 3> w = {};
    w[i] += wi, w[j] += wj;
    return Vec3d{w[0], w[1], w[2]};
  };
  Vec3d area = {dot(cross(t.v[1], t.v[2]), t.n), dot(cross(t.v[2], t.v[0]), t.n),
                dot(cross(t.v[0], t.v[1]), t.n)};
  if (area.x >= 0 && area.y >= 0 && area.z >= 0) return area * (1 / dot(t.n, t.n));
  Vec3d best = {};
  double nearest = HUGE_VAL;
  for (size_t i = 0, j = 1; i < 3; ++i, j = (j + 1) % 3) {
    Vec3d edge = t.v[j] - t.v[i];
    double s = std::clamp(-dot(t.v[i], edge) / dot(edge, edge), 0.0, 1.0);
    Vec3d p = t.v[i] + edge * s;
    if (dot(p, p) < nearest) nearest = dot(p, p), best = weights(i, 1 - s, j, s);
  }
  return best;
}

inline double wrapped(double u, scene::Wrap wrap) {
  if (wrap == scene::Wrap::Clamp) return std::clamp(u, 0.0, 1.0);
  if (wrap == scene::Wrap::Repeat) return u - std::floor(u);
  double m = u - 2 * std::floor(u / 2);
  return m > 1 ? 2 - m : m;
}

// Returns the texel at u, and its neighbor if u lies within rounding of the edge between them.
inline std::set<uint32_t> texels_at(double u, uint32_t size, scene::Wrap wrap) {
  std::set<uint32_t> texels;
  double tolerance = 1e-7 * (1 / static_cast<double>(size) + std::abs(u));
  for (double moved : {u - tolerance, u, u + tolerance})
    texels.insert(std::min(static_cast<uint32_t>(wrapped(moved, wrap) * size), size - 1));
  return texels;
}

class MaterialReference {
 public:
  MaterialReference(const Soup& soup, const voxelize::Grid& grid, scene::Coverage coverage)
      : soup_(soup), grid_(grid), coverage_(coverage), snapped_(snap_scene(soup.scene, grid)) {}

  Allowed at(Int3 voxel) const {
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < snapped_.size(); ++i)
      if (in_range(voxel_range(snapped_[i], grid_.resolution), voxel) &&
          covers(snapped_[i], voxel, coverage_))
        candidates.push_back(candidate(i, voxel));
    Allowed allowed;
    double nearest = HUGE_VAL;
    for (const Candidate& c : candidates) {
      allowed.filled |= c.opaque;
      allowed.empty &= !c.opaque || c.hole;
      if (c.opaque && !c.hole) nearest = std::min(nearest, c.distance);
    }
    for (const Candidate& c : candidates)
      if (c.opaque && c.distance <= nearest + 1e-6 * nearest) allowed.materials.merge(std::set(c.materials));
    return allowed;
  }

 private:
  struct Candidate {
    double distance;
    bool opaque = false, hole = false;  // both if rounding decides
    std::set<int> materials = {};
  };

  Candidate candidate(size_t i, Int3 voxel) const {
    const scene::Triangle& triangle = soup_.scene.triangles[i];
    const scene::IndexedMaterial& material = soup_.indexed.materials[triangle.material];
    Seen seen = seen_from(snapped_[i], voxel);
    Candidate result = {.distance = plane_distance(seen)};
    if (material.texture == scene::kNone || triangle.texcoord[0] == scene::kNone) {
      result.hole = material.invisible && material.texture == scene::kNone;
      result.opaque = !result.hole;
      result.materials = {material.index};
      return result;
    }
    const scene::IndexedTexture& texture = soup_.indexed.textures[material.texture];
    Vec3d w = closest_point(seen);
    double u = w.x * uv(i, 0).x + w.y * uv(i, 1).x + w.z * uv(i, 2).x;
    double v = w.x * uv(i, 0).y + w.y * uv(i, 1).y + w.z * uv(i, 2).y;
    for (size_t l : mip_levels(i, texture)) {
      const scene::IndexedTexture::Level& level = texture.levels[l];
      for (uint32_t column : texels_at(u, level.width, material.wrap_u))
        for (uint32_t row : texels_at(v, level.height, material.wrap_v))
          add_texel(result, texture, level.first_texel + uint64_t{row} * level.width + column);
    }
    return result;
  }

  static void add_texel(Candidate& candidate, const scene::IndexedTexture& texture, uint64_t texel) {
    bool opaque = texture.opaque.empty() || (texture.opaque[texel / 32] >> texel % 32 & 1);
    (opaque ? candidate.opaque : candidate.hole) = true;
    if (opaque)
      candidate.materials.insert(static_cast<int>(texture.nibbles[texel / 8] >> texel % 8 * 4 & 15));
  }

  std::set<size_t> mip_levels(size_t i, const scene::IndexedTexture& texture) const {
    Vec3d a = corner(i, 0), normal = cross(corner(i, 1) - a, corner(i, 2) - a);
    Vec2<double> p = {uv(i, 1).x - uv(i, 0).x, uv(i, 1).y - uv(i, 0).y};
    Vec2<double> q = {uv(i, 2).x - uv(i, 0).x, uv(i, 2).y - uv(i, 0).y};
    double texels = std::abs(p.x * q.y - p.y * q.x) * texture.levels[0].width * texture.levels[0].height;
    double ratio = texels / std::sqrt(dot(normal, normal));
    std::set<size_t> levels;
    for (double r : {ratio * (1 - 1e-6), ratio * (1 + 1e-6)}) {
      size_t level = 0;
      while (level + 1 < texture.levels.size() && r >= 2 * std::pow(4, static_cast<double>(level))) ++level;
      levels.insert(level);
    }
    return levels;
  }

  Vec3d corner(size_t i, size_t c) const {
    return to_grid(soup_.scene.positions[soup_.scene.triangles[i].position[c]], grid_);
  }
  Vec2<double> uv(size_t i, size_t c) const {
    Vec2f p = soup_.scene.texcoords[soup_.scene.triangles[i].texcoord[c]];
    return {p.x, p.y};
  }

  const Soup& soup_;
  voxelize::Grid grid_;
  scene::Coverage coverage_;
  std::vector<SnappedTriangle> snapped_;
};

}  // namespace vox::brute

namespace vox {
namespace {

Dense build_soup(const Soup& soup, const voxelize::Grid& grid, const voxelize::BuildOptions& options = {}) {
  return to_dense(test_engine()->build(soup.scene, soup.indexed, grid, options).dag);
}

// Adds one triangle that covers a whole layer of a grid, with u along x and v along y: from uv0 at (0, 0) to
// uv1 at (side, side), where its longest edge passes.
void add_layer(Soup& soup, double side, double z, Vec2f uv0, Vec2f uv1, uint32_t material) {
  soup.add({Vec3d{0, 0, z}, Vec3d{2 * side, 0, z}, Vec3d{0, 2 * side, z}},
           {uv0, Vec2f{2 * uv1.x - uv0.x, uv0.y}, Vec2f{uv0.x, 2 * uv1.y - uv0.y}}, material);
}

// Returns a triangle that is long enough in every direction for closest points to be well defined.
Corners stout_corners(Random& random, double low, double high, double size) {
  for (;;) {
    Vec3d a = random.in_cube(low, high), b = a + random.in_cube(-size, size),
          c = a + random.in_cube(-size, size);
    Vec3d n = cross(b - a, c - a);
    double longest = std::sqrt(std::max({dot(b - a, b - a), dot(c - a, c - a), dot(c - b, c - b)}));
    if (std::sqrt(dot(n, n)) > 0.3 * longest) return {a, b, c};
  }
}

Soup random_textured_scene(Random& random, const voxelize::Grid& grid, uint32_t triangles) {
  Soup soup = textured_soup(random);
  uint32_t invisible = soup.add_material({.index = 1, .invisible = true});
  uint32_t plain = soup.add_material({.index = 14});
  for (uint32_t i = 0; i < triangles; ++i) {
    Corners corners = stout_corners(random, -2, grid.resolution + 2.0, grid.resolution * 0.4);
    for (Vec3d& p : corners) p = p * grid.voxel_size + grid.origin;
    uint32_t kind = random.below(10);
    if (kind == 0) soup.add(corners, random.below(2) ? invisible : plain);
    if (kind == 1) soup.add(corners, 1 + random.below(9));  // textured, but without coordinates
    if (kind > 1) soup.add(corners, random_uv(random), 1 + random.below(9));
  }
  return soup;
}

TEST(Material, IsThatOfTheNearestPlaneAtTheClosestPoint) {
  Random random(20);
  uint64_t decided = 0, all = 0;
  for (int round = 0; round < 40; ++round) {
    voxelize::Grid grid = {.resolution = 8 + random.below(30),
                           .origin = random.in_cube(-10, 10),
                           .voxel_size = random.uniform(0.1, 3)};
    scene::Coverage coverage = round % 2 ? scene::Coverage::Thin : scene::Coverage::Conservative;
    Soup soup = random_textured_scene(random, grid, 30);
    brute::MaterialReference reference(soup, grid, coverage);
    Dense actual = build_soup(soup, grid, {.coverage = coverage});
    auto last = static_cast<int32_t>(grid.resolution) - 1;
    brute::for_each_voxel({{0, 0, 0}, {last, last, last}}, [&](Int3 p) {
      brute::Allowed allowed = reference.at(p);
      ASSERT_TRUE(allowed.has(actual.at(p)))
          << "round " << round << ", voxel (" << p.x << ", " << p.y << ", " << p.z << ") has "
          << int{actual.at(p)} << ", allowed: " << testing::PrintToString(allowed.materials)
          << (allowed.empty ? " or empty" : "");
      if (!allowed.filled) return;
      decided += allowed.decided();
      ++all;
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(all, 20000u);
  EXPECT_GT(static_cast<double>(decided), 0.99 * static_cast<double>(all));
}

TEST(Material, OfEquallyNearTrianglesTheFirstDecides) {
  Random random(21);
  Soup soup(3);
  uint32_t later = soup.add_material({.index = 9});
  for (int i = 0; i < 30; ++i) soup.add(stout_corners(random, 0, 32, 12), 0);
  for (int i = 0; i < 30; ++i) {
    auto index = [&](size_t corner) { return soup.scene.triangles[static_cast<size_t>(i)].position[corner]; };
    soup.add({soup.scene.positions[index(0)], soup.scene.positions[index(1)], soup.scene.positions[index(2)]},
             later);
  }
  Dense twice = build_soup(soup, unit_grid(32));
  EXPECT_GT(std::ranges::count(twice.voxels, 3), 1000);
  EXPECT_EQ(std::ranges::count(twice.voxels, 9), 0);
}

TEST(Material, OfOverlappingWallsInOnePlaneTheFirstDecides) {
  Soup soup(3);
  uint32_t later = soup.add_material({.index = 9});
  soup.add({Vec3d{2, 0, 4.5}, Vec3d{6, 0, 4.5}, Vec3d{2, 8, 4.5}});
  soup.add({Vec3d{6, 8, 4.5}, Vec3d{6, 0, 4.5}, Vec3d{2, 8, 4.5}});
  add_layer(soup, 8, 4.5, {0, 0}, {1, 1}, later);
  Dense dense = build_soup(soup, unit_grid(8));
  for (int32_t x = 0; x < 8; ++x)
    EXPECT_EQ(dense.at({x, 3, 4}), x >= 2 && x <= 6 ? 3 : 9) << x;  // x = 6 snaps into voxel 6
}

std::string row_of(const Dense& dense, int32_t count, int32_t y, int32_t z) {
  std::string text;
  for (int32_t x = 0; x < count; ++x) {
    int material = dense.at({x, y, z});
    text += material == dag::kEmptyVoxel ? '.' : static_cast<char>('0' + material);
  }
  return text;
}

TEST(Material, WrapModesContinueTheTextureAsNamed) {
  for (auto [wrap, expected] : {std::pair{scene::Wrap::Repeat, "123412341234"},
                                {scene::Wrap::Clamp, "111112344444"},
                                {scene::Wrap::Mirror, "432112344321"}}) {
    Soup soup;
    soup.indexed.textures.push_back(blank_texture(4, 1));
    for (uint32_t texel = 0; texel < 4; ++texel)
      set_nibble(soup.indexed.textures[0].nibbles, texel, texel + 1);
    uint32_t material = soup.add_material({.texture = 0, .wrap_u = wrap, .wrap_v = wrap});
    // There is one texel for each voxel along u; v is stretched so that a texel is as large as a voxel.
    add_layer(soup, 12, 0.5, {-1, -5}, {2, 7}, material);
    EXPECT_EQ(row_of(build_soup(soup, unit_grid(12)), 12, 5, 0), expected);
  }
}

TEST(Material, RowsOfATextureRunDownFromVZero) {
  Soup soup;
  soup.indexed.textures.push_back(blank_texture(4, 4));
  for (uint32_t texel = 0; texel < 16; ++texel) set_nibble(soup.indexed.textures[0].nibbles, texel, texel);
  uint32_t material = soup.add_material({.texture = 0});
  add_layer(soup, 4, 0.5, {0, 0}, {1, 1}, material);
  Dense dense = build_soup(soup, unit_grid(4));
  for (int32_t y = 0; y < 4; ++y)
    for (int32_t x = 0; x < 4; ++x) EXPECT_EQ(dense.at({x, y, 0}), 4 * y + x);
}

TEST(Material, MipLevelIsTheOneWhoseTexelIsNearestToAVoxelInSize) {
  Soup soup;
  scene::IndexedTexture texture = blank_texture(64, 64);
  for (uint32_t level = 0; level < texture.levels.size(); ++level)
    for (uint64_t texel = 0; texel < uint64_t{4096} >> (2 * level); ++texel)
      set_nibble(texture.nibbles, texture.levels[level].first_texel + texel, level + 1);
  soup.indexed.textures.push_back(texture);
  uint32_t material = soup.add_material({.texture = 0});
  // The number of mip level 0's texels along the 8 voxels of the wall, and the level whose number there is
  // nearest to 8.
  for (auto [texels, level] : {std::pair{2.0, 0},
                               {8.0, 0},
                               {11.0, 0},
                               {11.5, 1},
                               {16.0, 1},
                               {22.0, 1},
                               {23.0, 2},
                               {64.0, 3},
                               {512.0, 6},
                               {1e6, 6}}) {
    auto span = static_cast<float>(texels / 64);
    soup.scene.triangles.clear();
    add_layer(soup, 8, 0.5, {0, 0}, {span, span}, material);
    EXPECT_EQ(row_of(build_soup(soup, unit_grid(8)), 8, 4, 0), std::string(8, static_cast<char>('1' + level)))
        << texels;
  }
}

TEST(Material, TransparentTexelsLeaveHoles) {
  Soup soup;
  scene::IndexedTexture texture = blank_texture(4, 1);
  for (uint32_t texel = 0; texel < 4; ++texel) set_nibble(texture.nibbles, texel, texel + 1);
  texture.opaque = {0b1010 | 1u << 4};
  soup.indexed.textures.push_back(texture);
  uint32_t material = soup.add_material({.texture = 0});
  add_layer(soup, 8, 0.5, {0, 0}, {2, 8}, material);
  EXPECT_EQ(row_of(build_soup(soup, unit_grid(8)), 8, 5, 0), ".2.4.2.4");
  // Holes remain holes if materials are not kept.
  EXPECT_EQ(row_of(build_soup(soup, unit_grid(8), {.materials = false}), 8, 5, 0), ".0.0.0.0");
  // The layer behind a hole is visible, even though it is farther from the center.
  uint32_t behind = soup.add_material({.index = 7});
  add_layer(soup, 8, 0.9, {0, 0}, {1, 1}, behind);
  EXPECT_EQ(row_of(build_soup(soup, unit_grid(8)), 8, 5, 0), "72747274");
}

TEST(Material, ATextureThatIsAllHolesLeavesNothing) {
  constexpr uint32_t kResolution = 600;  // several chunk cells, some with the visible triangle in them
  Soup soup;
  scene::IndexedTexture texture = blank_texture(8, 8);
  texture.opaque.assign((texel_count(texture) + 31) / 32, 0);
  soup.indexed.textures.push_back(texture);
  uint32_t glass = soup.add_material({.texture = 0});
  add_layer(soup, kResolution, 20.5, {0, 0}, {1, 1}, glass);
  auto engine = test_engine();
  for (scene::Coverage coverage : {scene::Coverage::Conservative, scene::Coverage::Thin})
    for (uint64_t chunk_pairs : {0u, 64u}) {
      voxelize::BuildOptions options = {.coverage = coverage, .chunk_pairs = chunk_pairs};
      dag::FrozenDag nothing = engine->build(soup.scene, soup.indexed, unit_grid(kResolution), options).dag;
      EXPECT_TRUE(nothing.empty());
      EXPECT_NO_THROW(dag::verify(nothing));
      Soup more = soup;
      more.add({Vec3d{500, 500, 20}, Vec3d{590, 500, 20}, Vec3d{500, 590, 30}});
      dag::FrozenDag one = engine->build(more.scene, more.indexed, unit_grid(kResolution), options).dag;
      EXPECT_GT(one.voxels, 4000u);
      EXPECT_NO_THROW(dag::verify(one));
    }
}

TEST(Material, InvisibleMaterialsLeaveNothing) {
  Soup soup;
  uint32_t glass = soup.add_material({.invisible = true});
  add_layer(soup, 8, 0.5, {0, 0}, {1, 1}, glass);
  EXPECT_EQ(std::ranges::count(build_soup(soup, unit_grid(8)).voxels, dag::kEmptyVoxel), 512);
}

TEST(Material, VertexColorsGoThroughTheTable) {
  Random random(22);
  Soup soup;
  uint32_t painted = soup.add_material({.index = 5, .vertex_colors = true});
  soup.indexed.color_lut.assign((1u << 15) / 8, 0);
  for (uint32_t entry = 0; entry < 1u << 15; ++entry)
    set_nibble(soup.indexed.color_lut, entry, random.below(16));
  // There is one wall in each layer, with a color at the center of a bin of 5 bits a channel.
  for (uint32_t z = 0; z < 16; ++z) {
    std::array<uint32_t, 3> bins = {random.below(32), random.below(32), random.below(32)};
    auto channel = [](uint32_t bin) { return static_cast<uint8_t>(8 * bin + 4); };
    add_layer(soup, 16, z + 0.5, {0, 0}, {1, 1}, painted);
    soup.scene.colors.resize(soup.scene.positions.size(),
                             {channel(bins[0]), channel(bins[1]), channel(bins[2]), 255});
    uint32_t entry = bins[0] << 10 | bins[1] << 5 | bins[2];
    int expected = static_cast<int>(soup.indexed.color_lut[entry / 8] >> entry % 8 * 4 & 15);
    EXPECT_EQ(build_soup(soup, unit_grid(16)).at({3, 9, static_cast<int32_t>(z)}), expected) << "layer " << z;
  }
}

}  // namespace
}  // namespace vox
