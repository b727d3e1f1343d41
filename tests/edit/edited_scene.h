// A session and plain arrays that get the same edits and are then compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "libvox/edit/edit.h"
#include "libvox/edit/edit_session.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/edit/dense_edit.h"

namespace vox {

// Random scenes and edits, in which error-prone cases are more frequent than by chance.

inline int32_t between(Random& random, int32_t low, int32_t high) {
  return low + static_cast<int32_t>(random.below(static_cast<uint32_t>(high - low + 1)));
}
inline int64_t between64(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random.below(static_cast<uint32_t>(high - low + 1)));
}
inline bool one_in(Random& random, uint32_t n) {
  return random.below(n) == 0;
}
inline uint8_t random_material(Random& random) {
  return static_cast<uint8_t>(one_in(random, 2) ? random.below(3) : random.below(16));
}

// ---- scenes ---------------------------------------------------------------------------------------------

inline void fill_cube(Dense& grid, const Int3& min, int32_t side, int8_t material) {
  for_each_voxel(grid, [&](const Int3& p) {
    const Int3 from = p - min;
    if (std::min({from.x, from.y, from.z}) >= 0 && std::max({from.x, from.y, from.z}) < side)
      grid.at(p) = material;
  });
}

// Returns a scene that is empty, full, full with several materials, or has cubes at the places of nodes,
// balls or dust.
inline Dense random_scene(Random& random, uint32_t resolution, bool materials) {
  Dense grid(resolution);
  const auto n = static_cast<int32_t>(resolution);
  const auto material = [&] { return static_cast<int8_t>(materials ? random_material(random) : 0); };
  switch (random.below(6)) {
    case 0:
      break;
    case 1:
      fill_cube(grid, {0, 0, 0}, n, material());
      break;
    case 2:
      for (int8_t& voxel : grid.voxels) voxel = material();
      break;
    case 3:
      for (int i = 0; i < 8; ++i) {
        const int32_t side = 1 << random.below(7);
        const Int3 min = {between(random, 0, n) / side * side, between(random, 0, n) / side * side,
                          between(random, 0, n) / side * side};
        fill_cube(grid, min, side, one_in(random, 4) ? int8_t{dag::kEmptyVoxel} : material());
      }
      break;
    case 4:
      for (int i = 0; i < 4; ++i) {
        const Int3 center = {between(random, 0, n), between(random, 0, n), between(random, 0, n)};
        const int32_t radius = between(random, 1, n / 2);
        const int8_t inside = material();
        for_each_voxel(grid, [&](const Int3& p) {
          if (dot(p - center, p - center) <= radius * radius) grid.at(p) = inside;
        });
      }
      break;
    case 5: {
      const uint32_t rarity = 1 + random.below(20);
      for (int8_t& voxel : grid.voxels)
        if (one_in(random, rarity)) voxel = material();
      break;
    }
  }
  return grid;
}

// ---- shapes ---------------------------------------------------------------------------------------------

// Returns a length up to the size of the grid, in whole, half or 1/256 voxels.
inline int64_t random_length(Random& random, int64_t most_voxels) {
  const int64_t length = between64(random, 0, most_voxels * edit::kEditUnits);
  const int64_t grain = one_in(random, 2) ? edit::kEditUnits : one_in(random, 2) ? edit::kEditUnits / 2 : 1;
  return length / grain * grain;
}

inline edit::EditPlace random_place(Random& random, uint32_t resolution) {
  const int64_t n = resolution;
  const auto inside = [&] { return random_length(random, n); };
  edit::EditPlace p = {inside(), inside(), inside()};
  if (one_in(random, 2)) p = {p.x - p.x % 256 + 128, p.y - p.y % 256 + 128, p.z - p.z % 256 + 128};
  if (one_in(random, 6)) {  // outside the grid
    p.x += (one_in(random, 2) ? 1 : -1) * n * edit::kEditUnits;
    p.y -= random_length(random, 2 * n);
  }
  return p;
}

inline int64_t random_radius(Random& random, uint32_t resolution) {
  if (one_in(random, 12)) return 0;
  if (one_in(random, 20)) return 1;
  return random_length(random, one_in(random, 3) ? 2 * resolution : resolution / 2);
}

inline edit::EditPlace random_axis(Random& random, int64_t length) {
  edit::EditPlace axis = {0, 0, 0};
  (one_in(random, 3) ? axis.x : one_in(random, 2) ? axis.y : axis.z) = one_in(random, 2) ? length : -length;
  return axis;
}

// Returns a shape so large that its border is nearly flat where it passes through the grid.
inline edit::Shape huge_shape(Random& random, uint32_t resolution) {
  const int64_t radius = edit::kMaxEditRadius * edit::kEditUnits;
  const edit::EditPlace at = random_place(random, resolution), away = random_axis(random, radius);
  edit::Shape shape = {.kind = edit::ShapeKind::Sphere, .a = at + away, .radius = radius};
  if (one_in(random, 2)) return shape;
  shape.kind = one_in(random, 2) ? edit::ShapeKind::Ellipsoid : edit::ShapeKind::Capsule;
  if (shape.kind == edit::ShapeKind::Ellipsoid)
    shape.b = {radius, radius, radius};
  else
    shape.b = shape.a + random_axis(random, edit::kMaxEditRadius / 2 * edit::kEditUnits);
  return shape;
}

inline edit::Shape random_shape(Random& random, uint32_t resolution) {
  if (one_in(random, 16)) return huge_shape(random, resolution);
  edit::Shape shape;
  shape.kind = static_cast<edit::ShapeKind>(random.below(6));
  shape.a = random_place(random, resolution);
  shape.radius = random_radius(random, resolution);
  shape.b = random_place(random, resolution);
  const bool flat = one_in(random, 10);
  switch (shape.kind) {
    case edit::ShapeKind::Box:
      if (one_in(random, 8)) break;  // then it often has no voxels
      if (shape.a.x > shape.b.x) std::swap(shape.a.x, shape.b.x);
      if (shape.a.y > shape.b.y) std::swap(shape.a.y, shape.b.y);
      if (shape.a.z > shape.b.z) std::swap(shape.a.z, shape.b.z);
      if (flat) shape.b.z = shape.a.z;
      break;
    case edit::ShapeKind::Capsule:
      if (flat) shape.b = shape.a;
      break;
    case edit::ShapeKind::Cylinder:
      if (flat || shape.b == shape.a) shape.b = shape.a + random_axis(random, 1);
      break;
    case edit::ShapeKind::Ellipsoid:
      shape.b = {random_radius(random, resolution), random_radius(random, resolution),
                 random_radius(random, resolution)};
      if (flat) shape.b.y = 0;
      break;
    default:
      break;
  }
  const bool may_be_rough = shape.kind == edit::ShapeKind::Sphere || shape.kind == edit::ShapeKind::Box;
  if (may_be_rough && one_in(random, 3)) {
    shape.roughness = random_length(random, 1 + resolution / 4);
    shape.grain = 1 + random.below(12);
    shape.seed = random.below(1000);
  }
  return shape;
}

// ---- edits ----------------------------------------------------------------------------------------------

inline edit::PaintEdit random_paint(Random& random, uint32_t resolution) {
  return {.shape = random_shape(random, resolution),
          .mode = static_cast<edit::PaintMode>(random.below(4)),
          .material = random_material(random),
          .replaced = random_material(random)};
}

inline edit::Turn turn_number(uint32_t number) {  // number is below 48
  constexpr uint8_t kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  edit::Turn turn;
  for (size_t k = 0; k < 3; ++k) {
    turn.axis[k] = kOrders[number / 8][k];
    turn.flip[k] = (number >> k & 1) != 0;
  }
  return turn;
}

inline Int3 random_corner(Random& random, uint32_t resolution) {
  const auto n = static_cast<int32_t>(resolution);
  const int32_t low = one_in(random, 3) ? -n : 0;
  Int3 p = {between(random, low, n), between(random, low, n), between(random, low, n)};
  if (one_in(random, 4)) p = {p.x & ~7, p.y & ~7, p.z & ~7};
  return p;
}

inline VoxelBox random_box(Random& random, uint32_t resolution) {
  const auto n = static_cast<int32_t>(resolution);
  const Int3 min = random_corner(random, resolution);
  if (one_in(random, 12)) return {min, min + Int3{0, between(random, 0, n), 3}};  // an empty box
  if (one_in(random, 12)) return {{-n, -n, -n}, {2 * n, 2 * n, 2 * n}};
  return {min, min + Int3{between(random, 1, n), between(random, 1, n), between(random, 1, n)}};
}

inline edit::CopyEdit random_copy(Random& random, const std::vector<Dense>& scenes) {
  edit::CopyEdit edit;
  edit.scene = random.below(static_cast<uint32_t>(scenes.size()));
  edit.source = random_box(random, scenes[edit.scene].side);
  edit.turn = turn_number(one_in(random, 3) ? 0 : random.below(48));
  edit.to = random_corner(random, scenes[0].side);
  edit.skip_empty = one_in(random, 2);
  edit.keep_filled = one_in(random, 4);
  if (one_in(random, 3)) edit.within = random_shape(random, scenes[0].side);
  if (one_in(random, 6)) edit.to = edit.source.min + Int3{between(random, -1, 1), 1, 0};
  if (one_in(random, 4)) {  // to where nodes can be shared
    const auto shift = [&] { return 8 * between(random, -3, 3); };
    edit.to = edit.source.min + Int3{shift(), shift(), shift()};
    edit.turn = {};
  }
  return edit;
}

inline edit::CombineEdit random_combine(Random& random, const std::vector<Dense>& scenes) {
  edit::CombineEdit edit;
  edit.scene = random.below(static_cast<uint32_t>(scenes.size()));
  edit.mode = static_cast<edit::CombineMode>(random.below(3));
  if (!one_in(random, 4)) edit.at = random_corner(random, std::max(scenes[0].side, scenes[edit.scene].side));
  return edit;
}

inline edit::MorphEdit random_morph(Random& random, uint32_t resolution) {
  edit::MorphEdit edit;
  edit.shape = random_shape(random, resolution);
  if (one_in(random, 3)) edit.shape = {};
  edit.mode = static_cast<edit::MorphMode>(random.below(3));
  edit.steps = one_in(random, 2) ? 1 : random.below(4);
  return edit;
}

// Returns a fill with a seed in the grid and in the shape.
inline edit::FillEdit random_fill(Random& random, const Dense& scene) {
  const auto last = static_cast<int32_t>(scene.side) - 1;
  edit::FillEdit edit;
  edit.seed = {between(random, 0, last), between(random, 0, last), between(random, 0, last)};
  edit.material = random_material(random);
  if (one_in(random, 2)) edit.shape = random_shape(random, scene.side);
  if (!dense_contains(edit.shape, edit.seed)) edit.shape = {};
  return edit;
}

// Returns an edit of any kind for the first scene.
inline edit::Edit random_edit(Random& random, const std::vector<Dense>& scenes) {
  switch (random.below(5)) {
    case 0:
      return random_paint(random, scenes[0].side);
    case 1:
      return random_copy(random, scenes);
    case 2:
      return random_combine(random, scenes);
    case 3:
      return random_fill(random, scenes[0]);
    default:
      return random_morph(random, scenes[0].side);
  }
}

// Describes the first voxel that differs.
inline std::string difference(const Dense& is, const Dense& expected) {
  std::string text = "no voxel differs";
  uint64_t count = 0;
  for_each_voxel(expected, [&](const Int3& p) {
    if (is.at(p) == expected.at(p)) return;
    if (count++ > 0) return;
    text = "voxel " + std::to_string(p.x) + "," + std::to_string(p.y) + "," + std::to_string(p.z) + " is " +
           std::to_string(is.at(p)) + ", expected " + std::to_string(expected.at(p));
  });
  return text + " (" + std::to_string(count) + " differ)";
}

inline std::string text_of(const edit::Shape& s) {
  const auto place = [](const edit::EditPlace& p) {
    return std::to_string(p.x) + "," + std::to_string(p.y) + "," + std::to_string(p.z);
  };
  return "shape " + std::to_string(static_cast<int>(s.kind)) + " a " + place(s.a) + " b " + place(s.b) +
         " radius " + std::to_string(s.radius) + " roughness " + std::to_string(s.roughness);
}
inline std::string text_of(const Int3& p) {
  return std::to_string(p.x) + "," + std::to_string(p.y) + "," + std::to_string(p.z);
}

struct EditText {
  std::string operator()(const edit::PaintEdit& e) const {
    return "paint, mode " + std::to_string(static_cast<int>(e.mode)) + ", material " +
           std::to_string(e.material) + ", replaced " + std::to_string(e.replaced) + ", " + text_of(e.shape);
  }
  std::string operator()(const edit::CopyEdit& e) const {
    std::string text = "copy of scene " + std::to_string(e.scene) + ", " + text_of(e.source.min) + " – " +
                       text_of(e.source.max) + " to " + text_of(e.to) + ", turn";
    for (size_t k = 0; k < 3; ++k) text += (e.turn.flip[k] ? " -" : " +") + std::to_string(e.turn.axis[k]);
    return text + (e.skip_empty ? ", skip empty, " : ", ") + text_of(e.within);
  }
  std::string operator()(const edit::CombineEdit& e) const {
    return "combine with scene " + std::to_string(e.scene) + ", mode " +
           std::to_string(static_cast<int>(e.mode)) + " at " + text_of(e.at);
  }
  std::string operator()(const edit::MorphEdit& e) const {
    return "morph, mode " + std::to_string(static_cast<int>(e.mode)) + ", " + std::to_string(e.steps) +
           " steps, " + text_of(e.shape);
  }
  std::string operator()(const edit::FillEdit& e) const {
    return "fill from " + text_of(e.seed) + " with " + std::to_string(e.material) + ", " + text_of(e.shape);
  }
};

inline void expect_same(const dag::FrozenDag& is, const Dense& expected, bool materials) {
  const dag::FrozenDag dag = reference_dag(expected, expected.side, materials);
  ASSERT_NO_THROW(dag::verify(is)) << difference(to_dense(is), expected);
  ASSERT_EQ(is.digest, dag.digest) << difference(to_dense(is), expected);
  ASSERT_EQ(is.voxels, dag.voxels);
  ASSERT_EQ(is.levels.size(), dag.levels.size());
  for (size_t l = 0; l < dag.levels.size(); ++l) {
    ASSERT_EQ(is.levels[l].words, dag.levels[l].words) << "level " << l;
    ASSERT_EQ(is.levels[l].nodes, dag.levels[l].nodes) << "level " << l;
    ASSERT_EQ(is.levels[l].svo_nodes, dag.levels[l].svo_nodes) << "level " << l;
  }
}

class EditedScene {
 public:
  EditedScene(Engine& engine, Dense scene, bool materials)
      : materials_(materials), scenes_{std::move(scene)} {
    session_ = edit::make_edit_session(engine.handle(), engine.table(),
                                       reference_dag(scenes_[0], scenes_[0].side, materials));
  }

  void add_scene(Dense scene) {
    EXPECT_EQ(session_->add_scene(reference_dag(scene, scene.side, materials_)), scenes_.size());
    scenes_.push_back(std::move(scene));
  }

  void apply(const edit::Edit& edit) {
    session_->apply({&edit, 1});
    vox::apply(edit, scenes_, materials_);
  }
  // Applies edits in one pass.
  void apply(const std::vector<edit::Edit>& edits) {
    session_->apply(edits);
    for (const edit::Edit& edit : edits) vox::apply(edit, scenes_, materials_);
  }

  void expect_same() { vox::expect_same(session_->freeze(), scenes_[0], materials_); }

  edit::EditSession& session() { return *session_; }
  const std::vector<Dense>& scenes() const { return scenes_; }
  const Dense& dense() const { return scenes_[0]; }
  void set_dense(Dense dense) { scenes_[0] = std::move(dense); }
  bool materials() const { return materials_; }

 private:
  bool materials_;
  std::vector<Dense> scenes_;  // the edited one comes first
  std::unique_ptr<edit::EditSession> session_;
};

inline VoxelBox written_by(const edit::Edit& edit, const std::vector<Dense>& scenes) {
  return edit::written_box(edit, scenes[0].side);
}

// The number of scripts, the number of edits in each, and the resolution of their scenes.
struct Scripts {
  uint32_t resolution;
  uint32_t scripts;
  uint32_t edits;
};

// Runs random scripts on random scenes and compares after each edit. Each script may use `brushes` other
// scenes of several sizes.
template <class MakeEdit>
void check_scripts(Engine& engine, const Scripts& plan, uint32_t brushes, uint64_t seed,
                   const MakeEdit& make_edit) {
  const uint32_t thorough = (plan.scripts * kThoroughness + 5) / 10;
  const uint32_t scripts = test_on_gpu() ? (thorough + 3) / 4 : thorough;
  for (uint32_t script = 0; script < scripts; ++script) {
    Random random(seed + 1000003 * plan.resolution + script);
    const bool materials = script % 3 != 2;
    EditedScene scene(engine, random_scene(random, plan.resolution, materials), materials);
    for (uint32_t i = 0; i < brushes; ++i) {
      constexpr uint32_t kSizes[] = {4, 7, 16, 33, 40};
      scene.add_scene(random_scene(random, kSizes[random.below(5)], materials));
    }
    for (uint32_t i = 0; i < plan.edits; ++i) {
      const edit::Edit edit = make_edit(random, scene.scenes());
      SCOPED_TRACE("resolution " + std::to_string(plan.resolution) + ", script " + std::to_string(script) +
                   ", edit " + std::to_string(i) + ": " + std::visit(EditText(), edit));
      scene.apply(edit);
      scene.expect_same();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace vox
