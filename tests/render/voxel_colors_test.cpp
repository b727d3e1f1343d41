// Pictures of scenes whose colors are apart from the DAG, compared with pictures of the same colors as materials.

#include "libvox/render/voxel_colors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "libvox/attributes/octahedral.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/dag/walk.h"
#include "libvox/render/render.h"
#include "libvox/scene/oklab.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/render/pictures.h"

namespace vox {
namespace {

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
