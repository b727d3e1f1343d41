// Compares the hits of rays in bricks and in spatial hashes, and the values of voxels there, with dense
// grids.
#include "libvox/measure/voxel_steps.h"

#include <algorithm>

#include "libvox/dag/scene_volume.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/form_refs.h"
#include "tests/common/thoroughness.h"
#include "tests/render/traced.h"

namespace vox {
namespace {

// A dense scene in all forms, in host memory.
struct InAllForms {
  Traced traced;
  dag::VoxelScene scene;
  spatial::FrozenHash morton, linear;
  bricks::FrozenBricks small, large;

  InAllForms(Engine& engine, uint32_t resolution, const DenseGrid& grid) : traced(resolution, grid) {
    scene.dag = traced.frozen;
    morton = engine.build_hash(scene.dag, {.layout = spatial::KeyLayout::Morton}).hash;
    linear = engine.build_hash(scene.dag, {.layout = spatial::KeyLayout::Linear}).hash;
    const auto bricks_of = [&](uint32_t log2_side) {
      return engine.build_bricks(dag::scene_volume(scene), {.log2_side = log2_side, .threshold = {}}).bricks;
    };
    small = bricks_of(2);
    large = bricks_of(4);
  }

  template <class F>
  void each_form(const F& f) const {
    f(measure::DagForm{traced.dag.ref()}, "the SVDAG");
    f(measure::BricksForm{ref(small)}, "bricks of 4³");
    f(measure::BricksForm{ref(large)}, "bricks of 16³");
    f(measure::HashForm{ref(morton)}, "the hash by Morton codes");
    f(measure::HashForm{ref(linear)}, "the hash by rows");
  }
};

TEST(VoxelSteps, HitTheVoxelsThatRaysHitInADenseGrid) {
  const std::unique_ptr<Engine> engine = make_engine({.device = "cpu"});
  Random random(7);
  for (const Case& test : sampled(cases())) {
    const InAllForms forms(*engine, test.resolution, test.grid);
    int hits = 0;
    for (int i = 0; i < std::min(test.rays / 20, 100); ++i) {
      const render::Ray ray = random_ray(forms.traced, random);
      const MaterialHit expected = forms.traced.dense.trace(ray);
      hits += expected.hit.found() ? 1 : 0;
      forms.each_form([&](const auto& form, const char* name) {
        const measure::VoxelHit hit = form.first(ray);
        ASSERT_EQ(hit.word, static_cast<uint32_t>(expected.material + 1)) << name << ", " << test.resolution;
        if (hit.word != 0) {
          ASSERT_EQ(hit.voxel, expected.hit.low) << name << ", " << test.resolution;
        }
      });
    }
    EXPECT_GT(hits, 0) << test.resolution;
  }
}

TEST(VoxelSteps, EveryVoxelHasTheWordOfTheDenseGridInAllForms) {
  const std::unique_ptr<Engine> engine = make_engine({.device = "cpu"});
  for (const DenseGrid& grid : all_grids()) {
    constexpr int32_t kSide = 22;
    const InAllForms forms(*engine, kSide, grid);
    for (int32_t i = 0; i < kSide * kSide * kSide; ++i) {
      const Int3 at = {i % kSide, i / kSide % kSide, i / kSide / kSide};
      const int expected =
          grid(static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), static_cast<uint32_t>(at.z)) + 1;
      forms.each_form([&](const auto& form, const char* name) {
        ASSERT_EQ(form.template get<uint8_t>(at), expected) << name << ", voxel " << i;
      });
    }
  }
}

}  // namespace
}  // namespace vox
