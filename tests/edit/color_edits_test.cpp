// Edits of scenes with 24-bit colors, compared with the same edits of a dense grid of colors.

#include <gtest/gtest.h>

#include <map>

#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/walk.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/script.h"
#include "libvox/edit/shape.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

constexpr uint32_t kSide = 20;
using ColorGrid = std::map<std::array<uint32_t, 3>, uint32_t>;  // of filled voxels

dag::FrozenDag dag_of(const ColorGrid& grid) {
  return dense_dag(kSide, false, [&](uint32_t x, uint32_t y, uint32_t z) {
    return grid.contains({x, y, z}) ? 0 : dag::kEmptyVoxel;
  });
}

attributes::PackedValues colors_in_order(const dag::FrozenDag& dag, const ColorGrid& grid) {
  attributes::ValueWriter writer;
  dag::for_each_leaf(dag, cube_at({0, 0, 0}, dag.side()), [&](Int3 corner, uint64_t mask, const uint32_t*) {
    for (; mask != 0; mask &= mask - 1) {
      const Int3 v = corner + cube_place(static_cast<uint32_t>(lowest_bit(mask)));
      writer.put(
          grid.at({static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y), static_cast<uint32_t>(v.z)}));
    }
  });
  return attributes::with_table(writer.finish());
}

ColorGrid random_colors(Random& random) {
  ColorGrid grid;
  for (uint32_t z = 0; z < kSide; ++z)
    for (uint32_t y = 0; y < kSide; ++y)
      for (uint32_t x = 0; x < kSide; ++x)
        if (shell(x, y, z) >= 0 || random.below(40) == 0) grid[{x, y, z}] = random.below(1 << 24);
  return grid;
}

bool in_ball(std::array<uint32_t, 3> v, const edit::Shape& ball) {
  int64_t sum = 0;
  const int64_t center[] = {ball.a.x, ball.a.y, ball.a.z};
  for (size_t i = 0; i < 3; ++i) sum += (v[i] * 256 + 128 - center[i]) * (v[i] * 256 + 128 - center[i]);
  return sum <= ball.radius * ball.radius;
}

void edit_grid(ColorGrid& grid, const edit::PaintEdit& edit, uint32_t color) {
  for (uint32_t z = 0; z < kSide; ++z)
    for (uint32_t y = 0; y < kSide; ++y)
      for (uint32_t x = 0; x < kSide; ++x) {
        if (!in_ball({x, y, z}, edit.shape)) continue;
        if (edit.mode == edit::PaintMode::Remove) grid.erase({x, y, z});
        if (edit.mode == edit::PaintMode::Add || grid.contains({x, y, z})) {
          if (edit.mode != edit::PaintMode::Remove) grid[{x, y, z}] = color;
        }
      }
}

TEST(ColorEdits, AreThoseOfADenseGrid) {
  const std::unique_ptr<Engine> engine = test_engine();
  for (uint64_t seed = 0; seed < 1 + kThoroughness / 2; ++seed) {
    Random random(seed);
    ColorGrid grid = random_colors(random);
    dag::VoxelScene before;
    before.dag = dag_of(grid);
    before.colors = colors_in_order(before.dag, grid);
    std::vector<scene::Rgb8> colors;
    for (uint32_t i = 0; i < 15; ++i) colors.push_back(scene::unpacked_color(random.below(1 << 24)));
    const auto session =
        edit::make_edit_session(engine->handle(), engine->table(), dag::with_one_material(before.dag));
    for (int i = 0; i < 8; ++i) {
      const auto place = [&] { return static_cast<int64_t>(random.below(kSide * 256)); };
      const auto color = static_cast<uint8_t>(random.below(15));
      const edit::PaintEdit edit = {.shape = {.kind = edit::ShapeKind::Sphere,
                                              .a = {place(), place(), place()},
                                              .radius = 256 * (2 + int64_t{random.below(6)})},
                                    .mode = std::array{edit::PaintMode::Add, edit::PaintMode::Remove,
                                                       edit::PaintMode::Paint}[random.below(3)],
                                    .material = static_cast<uint8_t>(color + 1)};
      session->apply(std::array<edit::Edit, 1>{edit});
      edit_grid(grid, edit, scene::packed_color(colors[color]));
    }
    const dag::FrozenDag edited = session->freeze(), expected = dag_of(grid);
    ASSERT_EQ(dag::without_materials(edited).digest, expected.digest);
    ASSERT_EQ(edit::edited_colors(before, edited, colors), colors_in_order(expected, grid));
  }
}

}  // namespace
}  // namespace vox
