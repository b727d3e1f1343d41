// A session and plain arrays that get the same edits and are then compared.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "libvox/edit/bounds.h"
#include "tests/common/test_engine.h"
#include "tests/common/thoroughness.h"
#include "tests/edit/dense_edit.h"
#include "tests/edit/random_edits.h"

namespace vox {

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
    session_ = engine.edit(reference_dag(scenes_[0], scenes_[0].side, materials));
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
  const uint32_t scripts = (plan.scripts * kThoroughness + 5) / 10;
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
