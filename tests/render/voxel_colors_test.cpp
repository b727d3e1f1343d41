// Pictures with colors apart from the DAG, and the mean colors of nodes, compared with sums over a dense grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "libvox/attributes/octahedral.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/dag/walk.h"
#include "libvox/device/pool.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/render.h"
#include "libvox/render/voxel_colors.h"
#include "libvox/scene/oklab.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/render/traced.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

TEST(NodeColors, AreTheMeansOfTheVoxelsBelow) {
  std::array<render::Light, scene::kPaletteSize> colors;
  for (uint32_t i = 0; i < scene::kPaletteSize; ++i) {
    const Vec3d light = scene::srgb_to_linear(distinct_palette().colors[i]);
    colors[i] = {static_cast<float>(light.x), static_cast<float>(light.y), static_cast<float>(light.z)};
  }
  std::vector<uint8_t> codes(render::kLightCodes);
  for (uint32_t i = 0; i < render::kLightCodes; ++i)
    codes[i] = scene::linear_to_srgb(i / double{render::kLightCodes - 1});
  for (const auto& [resolution, grid] : {std::pair<uint32_t, DenseGrid>{16, scattered(3)},
                                         {37, scattered(40)},
                                         {32, everywhere},
                                         {32, blocks}}) {
    Traced scene(resolution, grid);
    const render::RayDagRef ref = scene.dag.ref();
    const uint32_t finest = dag::kLeafLog2 + 1 + resolution % 2;  // 37: without the smallest nodes
    const auto means =
        render::average_nodes(scene.device, ref, finest, colors.data(), render::LightCodes{codes.data()});
    for (uint32_t log2 = finest; log2 <= scene.log2_side(); ++log2) {
      const auto cells = static_cast<int32_t>(scene.dense.side() >> log2);
      for (int32_t i = 0; i < cells * cells * cells; ++i) {
        const Int3 cell = {i % cells, i / cells % cells, i / cells / cells};
        const VoxelBox box = cube_at(cell * (1 << log2), 1u << log2);
        const uint32_t* node = ref.node_at(box.min, log2);
        Vec3d sum = {0, 0, 0};
        double count = 0;
        for (const DenseScene::Voxel& voxel : scene.dense.voxels()) {
          if (intersection(cube_at(voxel.at, 1), box).empty()) continue;
          sum = sum + scene::srgb_to_linear(distinct_palette().colors[size_t(voxel.material)]);
          ++count;
        }
        ASSERT_EQ(node != nullptr, count > 0);
        if (node == nullptr) continue;
        const uint32_t mean = means.data()[ref.box_index(node)];
        const scene::Rgb8 expected = scene::linear_to_srgb(sum * (1 / count));
        EXPECT_NEAR(mean & 0xff, expected.r, 1) << resolution << ' ' << log2;
        EXPECT_NEAR(mean >> 8 & 0xff, expected.g, 1);
        EXPECT_NEAR(mean >> 16, expected.b, 1);
      }
    }
  }
}

TEST(Sharing, ACodeIsALogarithmInQuarters) {
  for (uint32_t log2 = 0; log2 < 60; ++log2)
    for (uint64_t quarter = 0; quarter < 4; ++quarter) {
      // This is the first number that is at least that many quarters of the way between two powers of two.
      const uint64_t power = uint64_t{1} << log2;
      const uint64_t uses = power + (power * quarter + 3) / 4;
      if (uses >= 2 * power) continue;
      const uint64_t exact = (uses - power) * 4 / power;
      EXPECT_EQ(render::use_code(uses), log2 * 4 + exact) << uses;
      if (uses > power) {
        EXPECT_LT(render::use_code(uses - 1), render::use_code(uses)) << uses;
      }
    }
}

// A walk over the whole octree visits a node as often as it is used.
TEST(Sharing, APixelShowsHowOftenAWalkOverTheOctreeMeetsItsLeaf) {
  for (const DenseGrid& grid : {DenseGrid(shell), DenseGrid(blocks), DenseGrid(dust(1))}) {
    const dag::FrozenDag dag = dense_dag(64, true, grid);
    std::map<const uint32_t*, uint64_t> uses;
    std::map<std::array<int32_t, 3>, const uint32_t*> leaves;
    dag::for_each_leaf(dag, cube_at({0, 0, 0}, 64), [&](Int3 corner, uint64_t, const uint32_t* leaf) {
      ++uses[leaf];
      leaves[{corner.x, corner.y, corner.z}] = leaf;
    });
    uint64_t most = 0;
    for (const auto& [leaf, count] : uses) most = std::max(most, count);

    render::RenderOptions options;
    options.size = {64, 50};
    options.pose = render::framing(render::outline(dag), "iso", 0, 40, options.size);
    options.shade = render::Shade::Sharing;
    const render::Picture shown =
        render::make_renderer(test_engine()->handle(), dag, distinct_palette())->render(options);
    EXPECT_EQ(shown.low, 1);
    EXPECT_GE(shown.high, double(most));
    EXPECT_LT(shown.high, std::max(double(most) * 2, 2.5));

    const DenseScene dense(64, grid);
    const render::Camera camera = render::make_camera(options.pose, options.size, 6);
    for (uint32_t y = 0; y < options.size.height; y += 3)
      for (uint32_t x = 0; x < options.size.width; x += 3) {
        const render::Ray ray = render::make_ray(6, camera.eye, camera.direction(x + 0.5, y + 0.5), 0);
        const render::Hit hit = dense.trace(ray).hit;
        scene::Rgba8 expected = opaque(options.sky);
        if (hit.found()) {
          const uint64_t count = uses[leaves[{hit.low.x & ~3, hit.low.y & ~3, hit.low.z & ~3}]];
          const double log2 = render::use_code(count) / 4.0;
          expected = opaque(
              render::ramp_color(uint32_t(log2 / std::log2(shown.high) * (render::kRampColors - 1) + 0.5)));
        }
        ASSERT_EQ(at(shown, x, y), expected) << x << ' ' << y;
      }
  }
}

// Compares pictures with and without level of detail: planes along the axes have the same place and
// brightness in both.

void add_rectangle(Soup& soup, Vec3d corner, Vec3d u, Vec3d v, uint32_t material) {
  soup.add({corner, corner + u, corner + u + v}, material);
  soup.add({corner, corner + u + v, corner + v}, material);
}

// Adds a box of six walls; with five walls it is open at the top.
void add_box(Soup& soup, Vec3d low, Vec3d high, uint32_t material, int walls = 6) {
  const Vec3d x = {high.x - low.x, 0, 0}, y = {0, high.y - low.y, 0}, z = {0, 0, high.z - low.z};
  const std::array<std::array<Vec3d, 3>, 6> sides = {
      {{low, x, z}, {low, x, y}, {low, y, z}, {low + z, x, y}, {low + x, y, z}, {low + y, x, z}}};
  for (int i = 0; i < walls; ++i)
    add_rectangle(soup, sides[size_t(i)][0], sides[size_t(i)][1], sides[size_t(i)][2], material);
}

struct Shown {
  render::Picture on, off;

  bool same(uint32_t x, uint32_t y) const { return at(on, x, y) == at(off, x, y); }

  // True if the pixel and its neighbors have the same color without level of detail.
  bool is_plain(uint32_t x, uint32_t y) const {
    for (uint32_t v = y == 0 ? 0 : y - 1; v <= std::min(y + 1, off.image.height - 1); ++v)
      for (uint32_t u = x == 0 ? 0 : x - 1; u <= std::min(x + 1, off.image.width - 1); ++u)
        if (at(off, u, v) != at(off, x, y)) return false;
    return true;
  }

  // True if each component of the color lies between those of the pixel and its neighbors without level of
  // detail, so that more samples might have given it.
  bool is_between(uint32_t x, uint32_t y) const {
    scene::Rgba8 low = at(off, x, y), high = low;
    for (uint32_t v = y == 0 ? 0 : y - 1; v <= std::min(y + 1, off.image.height - 1); ++v)
      for (uint32_t u = x == 0 ? 0 : x - 1; u <= std::min(x + 1, off.image.width - 1); ++u) {
        const scene::Rgba8 c = at(off, u, v);
        low = {std::min(low.r, c.r), std::min(low.g, c.g), std::min(low.b, c.b), 255};
        high = {std::max(high.r, c.r), std::max(high.g, c.g), std::max(high.b, c.b), 255};
      }
    const scene::Rgba8 c = at(on, x, y);
    return low.r <= c.r && c.r <= high.r && low.g <= c.g && c.g <= high.g && low.b <= c.b && c.b <= high.b;
  }
};

Shown shown(const Soup& soup, uint32_t resolution, render::RenderOptions options) {
  const auto engine = test_engine();
  const dag::FrozenDag dag = engine->build(soup.scene, soup.indexed, unit_grid(resolution), {}).dag;
  const auto renderer = render::make_renderer(engine->handle(), dag, distinct_palette());
  const render::Picture on = renderer->render(options);
  options.lod = render::LevelOfDetail::Off;
  return {on, renderer->render(options)};
}

// Returns the number of levels at which rays stop.
int levels_of(const render::Picture& levels) {
  std::vector<scene::Rgba8> colors;
  for (const scene::Rgba8 pixel : levels.image.pixels)
    if (std::ranges::find(colors, pixel) == colors.end()) colors.push_back(pixel);
  return static_cast<int>(colors.size());
}

TEST(LevelOfDetail, ARoomFromInsideDiffersAtItsEdgesAloneAndAsSamplesDo) {
  Soup soup(1);
  const uint32_t floor = soup.add_material({.index = 3}), table = soup.add_material({.index = 9});
  add_box(soup, {21.5, 35.5, 18.5}, {1001.5, 690.5, 1003.5}, 0, 5);
  add_rectangle(soup, {21.5, 37.5, 18.5}, {980, 0, 0}, {0, 0, 985}, floor);
  add_box(soup, {300.5, 38.5, 250.5}, {417.5, 171.5, 402.5}, table);
  add_box(soup, {633.5, 200.5, 150.5}, {641.5, 688.5, 641.5}, table);
  render::RenderOptions options;
  options.size = {240, 180};
  options.to_sun = {0.3, 1, 0.4};
  options.ao_reach = 64;
  int different = 0, beyond = 0;
  for (const uint32_t ao_rays : {0u, 8u})
    for (const render::CameraPose& pose : {render::CameraPose{{520, 333, 990}, {480, 190, 0}, 90},
                                           render::CameraPose{{40.3, 620, 45.1}, {700, 100, 800}, 90},
                                           render::CameraPose{{950, 60, 500}, {0, 300, 520}, 110}}) {
      options.pose = pose;
      options.ao_rays = ao_rays;
      const Shown pictures = shown(soup, 1024, options);
      for (uint32_t y = 0; y < options.size.height; ++y)
        for (uint32_t x = 0; x < options.size.width; ++x) {
          if (ao_rays == 0 && pictures.is_plain(x, y)) {
            EXPECT_TRUE(pictures.same(x, y)) << pose.eye.x << ' ' << x << ' ' << y;
          }
          different += !pictures.same(x, y);
          beyond += !pictures.is_between(x, y);
        }
    }
  EXPECT_LT(different, 6 * 240 * 180 / 100);
  EXPECT_LT(beyond, 6 * 240 * 180 / 1000);
  options.shade = render::Shade::Level;
  EXPECT_GE(levels_of(shown(soup, 1024, options).on), 3);
}

TEST(LevelOfDetail, AWallFromAfarIsTheSameInEveryPixel) {
  for (const double at : {500.5, 511.5, 512.5, 517.5}) {
    Soup soup(2);
    add_rectangle(soup, {at, 0.5, 0.5}, {0, 1023, 0}, {0, 0, 1023}, 0);
    render::RenderOptions options;
    options.size = {80, 60};
    options.to_sun = {-0.3, 0.2, 0.1};
    options.ao_rays = 8;
    for (const Vec3d& eye : {Vec3d{-20000, 512, 512}, {-9000, 18000, 4000}, {-4000, 900, -19000}}) {
      options.pose = {eye, {at, 512, 512}, 3};
      options.shade = render::Shade::Material;
      const Shown pictures = shown(soup, 1024, options);
      EXPECT_TRUE(pictures.on.image.pixels == pictures.off.image.pixels) << at << ' ' << eye.x;
      EXPECT_NE(vox::at(pictures.on, 40, 30), opaque(options.sky));
      options.shade = render::Shade::Depth;
      const Shown depths = shown(soup, 1024, options);
      EXPECT_TRUE(depths.on.image.pixels == depths.off.image.pixels) << at << ' ' << eye.x;
      options.shade = render::Shade::Level;
      EXPECT_NE(vox::at(shown(soup, 1024, options).on, 40, 30),
                opaque(render::ramp_color(0)));  // not a voxel
    }
  }
}

// Pictures of scenes whose colors are apart from the DAG, compared with pictures of the same colors as materials.

// Returns the colors of a scene's materials, voxel by voxel.
attributes::PackedValues colors_of(const dag::FrozenDag& materials, bool with_a_table) {
  attributes::ValueWriter writer;
  dag::for_each_leaf(
      materials, cube_at({0, 0, 0}, materials.side()), [&](Int3, uint64_t mask, const uint32_t* leaf) {
        for (uint64_t left = mask; left != 0; left &= left - 1)
          writer.put(scene::packed_color(
              distinct_palette().colors[dag::leaf_material(leaf, static_cast<uint32_t>(lowest_bit(left)))]));
      });
  return with_a_table ? attributes::with_table(writer.finish()) : writer.finish();
}

struct BothForms {
  dag::FrozenDag materials, geometry;
  attributes::PackedValues colors;

  BothForms(uint32_t resolution, const DenseGrid& grid, bool with_a_table = false)
      : materials(dense_dag(resolution, true, grid)),
        geometry(dense_dag(resolution, false, grid)),
        colors(colors_of(materials, with_a_table)) {}
};

uint64_t pixels_that_differ(const render::Picture& a, const render::Picture& b) {
  EXPECT_EQ(a.image.pixels.size(), b.image.pixels.size());
  uint64_t count = 0;
  for (size_t i = 0; i < a.image.pixels.size(); ++i) count += a.image.pixels[i] == b.image.pixels[i] ? 0 : 1;
  return count;
}

TEST(VoxelColors, GiveThePictureThatMaterialsGive) {
  const std::unique_ptr<Engine> engine = test_engine();
  for (const auto& [resolution, grid] : {std::pair<uint32_t, DenseGrid>{64, shell}, {128, blocks}}) {
    const BothForms forms(resolution, grid, resolution == 128);
    const auto materials = render::make_renderer(engine->handle(), forms.materials, distinct_palette());
    const auto colors =
        render::make_renderer(engine->handle(), forms.geometry, scene::Palette(), {.colors = &forms.colors});
    for (const char* view : {"iso", "top", "front"}) {
      render::RenderOptions options;
      options.size = {120, 90};
      options.pose = render::framing(render::outline(forms.materials), view, 0, 40, options.size);
      options.ao_rays = 4;
      options.samples = 2;
      EXPECT_EQ(pixels_that_differ(materials->render(options), colors->render(options)), 0u) << view;
      options.lod = render::LevelOfDetail::Off;
      EXPECT_EQ(pixels_that_differ(materials->render(options), colors->render(options)), 0u) << view;
    }
    for (const uint32_t axis : {0u, 1u, 2u}) {
      for (const uint32_t most : {256u, 20u}) {
        const render::SliceOptions slice = {.axis = axis, .at = resolution / 3, .most = {most, most}};
        EXPECT_EQ(pixels_that_differ(materials->slice(slice), colors->slice(slice)), 0u);
      }
    }
  }
}

// From afar a node has the mean of some of its voxels, which all have one color here.
TEST(VoxelColors, AreMeansFromAfar) {
  const std::unique_ptr<Engine> engine = test_engine();
  const DenseGrid grid = [](uint32_t x, uint32_t y, uint32_t z) {
    const int64_t dx = int64_t{x} - 64, dy = int64_t{y} - 64, dz = int64_t{z} - 64;
    return dx * dx + dy * dy + dz * dz < 60 * 60 ? 5 : dag::kEmptyVoxel;
  };
  const BothForms forms(128, grid);
  const auto materials = render::make_renderer(engine->handle(), forms.materials, distinct_palette());
  const auto colors =
      render::make_renderer(engine->handle(), forms.geometry, scene::Palette(), {.colors = &forms.colors});
  render::RenderOptions options;
  options.size = {24, 18};
  options.pose = render::framing(render::outline(forms.materials), "iso", 0, 40, options.size);
  options.colors = render::LevelColors::Mean;
  EXPECT_EQ(pixels_that_differ(materials->render(options), colors->render(options)), 0u);
}

attributes::PackedValues normals_of(const dag::FrozenDag& dag, const std::function<Vec3d(Int3)>& normal) {
  attributes::ValueWriter writer(attributes::kDirectionBits);
  dag::for_each_leaf(dag, cube_at({0, 0, 0}, dag.side()), [&](Int3 corner, uint64_t mask, const uint32_t*) {
    for (; mask != 0; mask &= mask - 1)
      writer.put(
          attributes::direction_code(normal(corner + cube_place(static_cast<uint32_t>(lowest_bit(mask))))));
  });
  return writer.finish();
}

// Every voxel that a ray hits shows the color of its own normal, which depends on the voxel's place here: planes across z.
TEST(VoxelNormals, AreThoseThatPicturesShow) {
  const std::unique_ptr<Engine> engine = test_engine();
  const BothForms forms(64, shell);
  const auto normal = [](Int3 voxel) { return Vec3d{1, 2, voxel.z < 32 ? 3. : -1.}; };
  const attributes::PackedValues normals = normals_of(forms.geometry, normal);
  const auto own = render::make_renderer(engine->handle(), forms.geometry, scene::Palette(),
                                         {.colors = &forms.colors, .normals = &normals});
  const auto alone =
      render::make_renderer(engine->handle(), forms.materials, distinct_palette(), {.normals = &normals});
  const auto none = render::make_renderer(engine->handle(), forms.materials, distinct_palette());
  std::set<std::array<uint8_t, 3>> expected;
  for (const int32_t z : {0, 40})
    for (const double side : {1., -1.}) {
      const Vec3<float> n = attributes::unit_direction(attributes::direction_code(normal({0, 0, z}) * side));
      const render::Light light = render::normal_color(n);
      const auto code = [](float part) { return scene::linear_to_srgb(Vec3d{part, part, part}).r; };
      expected.insert({code(light.x), code(light.y), code(light.z)});
    }
  for (const char* view : {"iso", "top", "front"}) {
    render::RenderOptions options;
    options.size = {120, 90};
    options.pose = render::framing(render::outline(forms.materials), view, 0, 40, options.size);
    options.normals = render::Normals::Auto;
    options.shade = render::Shade::Normal;
    const render::Picture picture = own->render(options);
    EXPECT_EQ(pixels_that_differ(picture, alone->render(options)), 0u);
    std::map<std::array<uint8_t, 3>, uint32_t> counts;
    for (const scene::Rgba8& pixel : picture.image.pixels) ++counts[{pixel.r, pixel.g, pixel.b}];
    counts.erase({render::kSky.r, render::kSky.g, render::kSky.b});
    EXPECT_GE(counts.size(), 1u);
    for (const auto& [color, count] : counts) {
      const auto near = [&](const std::array<uint8_t, 3>& other) {
        return std::abs(color[0] - other[0]) <= 1 && std::abs(color[1] - other[1]) <= 1 &&
               std::abs(color[2] - other[2]) <= 1;
      };
      EXPECT_TRUE(std::ranges::any_of(expected, near))
          << view << ' ' << int(color[0]) << ' ' << int(color[1]) << ' ' << int(color[2]) << ": " << count;
    }
    options.normals = render::Normals::Faces;
    EXPECT_EQ(pixels_that_differ(none->render(options), own->render(options)), 0u);
    options.normals = render::Normals::Auto;
    options.shade = render::Shade::Material;
    options.samples = 2;
    EXPECT_EQ(pixels_that_differ(own->render(options), alone->render(options)), 0u) << view;
    EXPECT_GT(pixels_that_differ(own->render(options), none->render(options)), 100u) << view;
  }
}

// Scenes of 2^32 voxels and more have numbers of more than 32 bits; here they begin at a voxel far back.
TEST(VoxelNumbersRef, HasUpperBitsForTheFirstWords) {
  const std::vector<uint32_t> low = {7, 8, 9}, high = {1, 2};
  const dag::VoxelNumbersRef numbers = {low.data(), high.data(), 2};
  EXPECT_EQ(numbers[0], (uint64_t{1} << 32) + 7);
  EXPECT_EQ(numbers[1], (uint64_t{2} << 32) + 8);
  EXPECT_EQ(numbers[2], 9u);
}

}  // namespace
}  // namespace vox
