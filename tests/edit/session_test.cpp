// Sessions independently of the kinds of edits, and edits of scenes with 24-bit colors.
#include <gtest/gtest.h>

#include <map>

#include "libvox/base/error.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/walk.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/edit_session.h"
#include "libvox/edit/script.h"
#include "libvox/edit/shape.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

// Tests sessions independently of the kinds of edits: former states, several edits in one pass, copies in all
// orientations, the ends of the grid.

edit::Shape sphere_at(const Int3& voxel, int64_t radius) {
  return {.kind = edit::ShapeKind::Sphere,
          .a = {voxel.x * 256 + 128, voxel.y * 256 + 128, voxel.z * 256 + 128},
          .radius = radius * 256};
}
edit::Shape box_of(const Int3& min, const Int3& max) {
  return {.kind = edit::ShapeKind::Box,
          .a = {min.x * 256, min.y * 256, min.z * 256},
          .b = {max.x * 256, max.y * 256, max.z * 256}};
}

// A scene in which the voxels of each 16³ cube differ as far as 16 materials allow; some are empty.
Dense asymmetric_scene(uint32_t resolution) {
  Dense grid(resolution);
  for_each_voxel(grid, [&](const Int3& p) {
    if ((p.x + 2 * p.y + 5 * p.z) % 7 != 0) grid.at(p) = static_cast<int8_t>((p.x + 3 * p.y + 7 * p.z) % 16);
  });
  return grid;
}

TEST(EditSession, GivesBackTheSceneItWasMadeOf) {
  const auto engine = test_engine();
  Random random(1);
  for (uint32_t resolution : {4u, 5u, 16u, 33u, 64u})
    for (int i = 0; i < 6; ++i)
      EditedScene(*engine, random_scene(random, resolution, i % 2 == 0), i % 2 == 0).expect_same();
}

TEST(EditSession, AnyFormerStateCanBeReturnedToAndEditedFurther) {
  const auto engine = test_engine();
  for (uint32_t seed = 0; seed < 2 * kThoroughness; ++seed) {
    Random random(seed);
    EditedScene scene(*engine, random_scene(random, 20, true), true);
    std::vector<std::pair<edit::SceneState, Dense>> states = {{scene.session().state(), scene.dense()}};
    for (int i = 0; i < 10; ++i) {
      scene.apply(random_paint(random, 20));
      states.emplace_back(scene.session().state(), scene.dense());
      const auto& [state, dense] = states[random.below(static_cast<uint32_t>(states.size()))];
      scene.session().set_state(state);
      scene.set_dense(dense);
      scene.expect_same();
    }
  }
}

TEST(EditSession, AnEditThatChangesNothingKeepsTheState) {
  const auto engine = test_engine();
  EditedScene scene(*engine, asymmetric_scene(40), true);
  scene.apply(edit::PaintEdit{.shape = sphere_at({20, 20, 20}, 8), .material = 3});
  const edit::SceneState state = scene.session().state();
  const edit::Shape outside = sphere_at({-30, 20, 20}, 29);
  const edit::Edit edits[] = {
      edit::PaintEdit{.shape = sphere_at({20, 20, 20}, 8), .material = 3},
      edit::PaintEdit{.shape = sphere_at({20, 20, 20}, 7), .mode = edit::PaintMode::Paint, .material = 3},
      edit::PaintEdit{.shape = outside, .material = 3},
      edit::PaintEdit{.shape = sphere_at({20, 20, 20}, -1), .material = 9},
      edit::PaintEdit{.shape = box_of({20, 20, 20}, {20, 30, 30}), .material = 9},
      edit::PaintEdit{.shape = box_of({30, 10, 10}, {10, 30, 30}), .material = 9},
      edit::CopyEdit{.source = {{3, 3, 3}, {20, 20, 20}}, .turn = {}, .to = {3, 3, 3}, .within = {}},
      edit::CopyEdit{.source = {{3, 3, 3}, {3, 20, 20}}, .turn = {}, .to = {9, 9, 9}, .within = {}},
      edit::CopyEdit{.source = {{0, 0, 0}, {40, 40, 40}}, .turn = {}, .to = {40, 0, 0}, .within = {}},
      edit::CopyEdit{.source = {{50, 50, 50}, {90, 90, 90}}, .turn = {}, .to = {0, 0, 0}, .within = {}},
      edit::CombineEdit{.mode = edit::CombineMode::Union},
      edit::CombineEdit{.mode = edit::CombineMode::Intersect},
      edit::CombineEdit{.mode = edit::CombineMode::Subtract, .at = {40, 0, 0}},
      edit::MorphEdit{.shape = sphere_at({20, 20, 20}, 7), .mode = edit::MorphMode::Erode},
      edit::MorphEdit{.shape = outside, .mode = edit::MorphMode::Erode},
      edit::MorphEdit{.shape = {}, .mode = edit::MorphMode::Dilate, .steps = 0},
  };
  for (const edit::Edit& edit : edits) {
    SCOPED_TRACE(std::visit(EditText(), edit));
    scene.apply(edit);
    EXPECT_EQ(scene.session().state(), state);
    scene.expect_same();
  }
}

TEST(EditSession, ASceneMayBecomeEmptyAndFillAgain) {
  const auto engine = test_engine();
  for (uint32_t resolution : {4u, 7u, 64u}) {
    EditedScene scene(*engine, asymmetric_scene(resolution), true);
    for (edit::PaintMode mode :
         {edit::PaintMode::Remove, edit::PaintMode::Remove, edit::PaintMode::Paint, edit::PaintMode::Add}) {
      scene.apply(edit::PaintEdit{.shape = {}, .mode = mode, .material = 5});
      scene.expect_same();
      EXPECT_EQ(scene.session().freeze().empty(), mode != edit::PaintMode::Add);
    }
    scene.apply(edit::CombineEdit{.mode = edit::CombineMode::Subtract});
    EXPECT_TRUE(scene.session().freeze().empty());
  }
}

TEST(EditSession, CopiesAreTurnedInAll48Ways) {
  const auto engine = test_engine();
  for (uint32_t number = 0; number < 48; ++number) {
    EditedScene scene(*engine, asymmetric_scene(24), true);
    scene.add_scene(asymmetric_scene(37));
    SCOPED_TRACE(number);
    const edit::Turn turn = turn_number(number);
    scene.apply(
        edit::CopyEdit{.source = {{1, 2, 3}, {9, 12, 8}}, .turn = turn, .to = {11, 9, 10}, .within = {}});
    scene.expect_same();
    scene.apply(edit::CopyEdit{
        .scene = 1, .source = {{-3, 8, 16}, {13, 24, 40}}, .turn = turn, .to = {-4, 4, 8}, .within = {}});
    scene.expect_same();
  }
}

TEST(EditSession, ACopyOntoItselfMovedByOneVoxelReadsTheStateBefore) {
  const auto engine = test_engine();
  for (int32_t i = 0; i < 27; ++i) {
    EditedScene scene(*engine, asymmetric_scene(20), true);
    const Int3 step = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    SCOPED_TRACE(text_of(step));
    scene.apply(edit::CopyEdit{
        .source = {{0, 0, 0}, {20, 20, 20}}, .turn = {}, .to = step, .skip_empty = i % 2 == 0, .within = {}});
    scene.expect_same();
  }
}

TEST(EditSession, WholeNodesCopiedWithoutTheirEmptyVoxelsKeepWhatIsBelowThese) {
  const auto engine = test_engine();
  Dense dust(64);
  Random random(5);
  for (int8_t& voxel : dust.voxels)
    if (one_in(random, 3)) voxel = static_cast<int8_t>(random.below(16));
  for (const bool skip_empty : {true, false}) {
    EditedScene scene(*engine, dust, true);
    scene.apply(edit::CopyEdit{.source = {{0, 0, 0}, {32, 32, 32}},
                               .turn = {},
                               .to = {32, 16, 8},
                               .skip_empty = skip_empty,
                               .within = {}});
    scene.expect_same();
  }
}

// ---- several edits in one pass ---------------------------------------------------------------------------

bool apart(const VoxelBox& a, const VoxelBox& b) {
  return intersection(a, b).empty();
}

// Returns edits none of which writes a voxel that another one reads or writes.
std::vector<edit::Edit> independent_edits(Random& random, const std::vector<Dense>& scenes, uint32_t kinds) {
  const uint32_t n = scenes[0].side;
  std::vector<edit::Edit> edits;
  for (int attempt = 0; attempt < 60; ++attempt) {
    edit::Edit edit;
    const uint32_t kind = random.below(kinds);
    const Int3 min = random_corner(random, n);
    const Int3 size = {between(random, 1, 14), between(random, 1, 14), between(random, 1, 14)};
    const edit::Shape shape =
        one_in(random, 2) ? sphere_at(min, 1 + random.below(9)) : box_of(min, min + size);
    if (kind == 0)
      edit = edit::PaintEdit{.shape = shape,
                             .mode = static_cast<edit::PaintMode>(random.below(4)),
                             .material = random_material(random),
                             .replaced = random_material(random)};
    if (kind == 1)
      edit = edit::CopyEdit{.scene = random.below(2),
                            .source = {min, min + size},
                            .turn = turn_number(random.below(48)),
                            .to = random_corner(random, n),
                            .skip_empty = one_in(random, 2),
                            .within = {}};
    if (kind == 2)
      edit = edit::MorphEdit{.shape = shape,
                             .mode = static_cast<edit::MorphMode>(random.below(3)),
                             .steps = 1 + random.below(2)};
    if (kind == 3)
      edit = edit::CombineEdit{
          .scene = 1,
          .mode = static_cast<edit::CombineMode>(random.below(2)),
          .at = {between(random, -9, 60), between(random, -9, 60), between(random, -9, 60)}};
    const auto box = [&](const edit::Edit& e) { return written_by(e, scenes); };
    const bool independent = std::all_of(edits.begin(), edits.end(), [&](const edit::Edit& other) {
      return apart(box(edit), box(other)) && apart(box(edit), edit::read_box(other, n)) &&
             apart(edit::read_box(edit, n), box(other));
    });
    if (independent) edits.push_back(edit);
  }
  return edits;
}

TEST(EditSession, IndependentEditsGiveTheSameInOnePassConcurrently) {
  const auto engine = test_engine({.threads = 4});
  for (uint32_t kinds = 1; kinds <= 4; ++kinds)
    for (uint32_t seed = 0; seed < std::max(1u, kThoroughness / 2); ++seed) {
      Random random(100 * kinds + seed);
      EditedScene scene(*engine, random_scene(random, 64, true), true);
      scene.add_scene(asymmetric_scene(12));
      const std::vector<edit::Edit> edits = independent_edits(random, scene.scenes(), kinds);
      SCOPED_TRACE(std::to_string(edits.size()) + " edits of " + std::to_string(kinds) + " kinds, seed " +
                   std::to_string(seed));
      EXPECT_GT(edits.size(), 3u);
      scene.apply(edits);
      scene.expect_same();
    }
}

TEST(EditSession, EditsOfManyKindsRunInTheirOrder) {
  const auto engine = test_engine();
  Random random(3);
  for (uint32_t i = 0; i < kThoroughness; ++i) {
    EditedScene scene(*engine, random_scene(random, 33, true), true);
    scene.apply({random_paint(random, 33), random_copy(random, scene.scenes()), random_morph(random, 33),
                 random_combine(random, scene.scenes()), random_paint(random, 33)});
    scene.expect_same();
  }
}

// ---- what is refused -------------------------------------------------------------------------------------

// The division and merging of levels with many nodes use other code than with few.
TEST(EditSession, LargeSpheresHoldTheVoxelsThatTheirRowsHold) {
  const auto engine = test_engine();
  const auto session = edit::make_edit_session(engine->handle(), engine->table(), dag::empty_dag(512, true));
  const Int3 center = {250, 260, 255}, hole = {300, 260, 240};
  constexpr int32_t kRadius = 230, kHole = 130;  // the hole lies inside
  session->apply(
      std::vector<edit::Edit>{edit::PaintEdit{.shape = sphere_at(center, kRadius), .material = 3}});
  session->apply(std::vector<edit::Edit>{
      edit::PaintEdit{.shape = sphere_at(hole, kHole), .mode = edit::PaintMode::Remove}});
  const dag::FrozenDag dag = session->freeze();
  dag::verify(dag);

  const auto within = [](const Int3& p, const Int3& middle, int32_t radius) {
    const Int3 d = p - middle;
    return d.x * d.x + d.y * d.y + d.z * d.z <= radius * radius;
  };
  uint64_t voxels = 0;
  for (const auto& [radius, sign] : {std::pair{kRadius, 1}, {kHole, -1}})
    for (int32_t z = -radius; z <= radius; ++z)
      for (int32_t y = -radius; y <= radius; ++y) {
        const int32_t left = radius * radius - z * z - y * y;
        int32_t x = 0;
        while ((x + 1) * (x + 1) <= left) ++x;
        if (left >= 0) voxels += static_cast<uint64_t>(sign * (2 * x + 1));
      }
  EXPECT_EQ(dag.voxels, voxels);
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const uint32_t x = random.below(512), y = random.below(512), z = random.below(512);
    const Int3 p = {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)};
    const bool filled = within(p, center, kRadius) && !within(p, hole, kHole);
    ASSERT_EQ(dag::voxel_at(dag, x, y, z), filled ? 3 : dag::kEmptyVoxel) << text_of(p);
  }
}

TEST(EditSession, RefusesScenesThatItDoesNotHave) {
  const auto engine = test_engine();
  EditedScene scene(*engine, asymmetric_scene(8), true);
  EXPECT_THROW(scene.session().add_scene(reference_dag(Dense(8), 8, false)), Error);
  const edit::Edit edit = edit::CombineEdit{.scene = 1};
  EXPECT_THROW(scene.session().apply({&edit, 1}), Error);
  scene.expect_same();
}

TEST(EditSession, CountsWhatItMakes) {
  const auto engine = test_engine();
  EditedScene scene(*engine, Dense(64), true);
  const edit::Edit edit = edit::PaintEdit{.shape = sphere_at({32, 32, 32}, 10), .material = 2};
  const edit::SceneState before = scene.session().state();
  const edit::EditWork first = scene.session().apply({&edit, 1});
  EXPECT_GT(first.leaves.inserted, 0u);
  EXPECT_GE(first.leaves.made, first.leaves.distinct);
  EXPECT_GE(first.leaves.distinct, first.leaves.inserted);
  EXPECT_GT(first.octree_bytes, 0u);
  scene.session().set_state(before);
  const edit::EditWork again = scene.session().apply({&edit, 1});
  EXPECT_EQ(again.leaves.made, first.leaves.made);
  EXPECT_EQ(again.leaves.distinct, first.leaves.distinct);
  EXPECT_EQ(again.leaves.inserted + again.nodes.inserted, 0u);  // the store already holds everything
}

// Edits of scenes with 24-bit colors, compared with the same edits of a dense grid of colors.

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
