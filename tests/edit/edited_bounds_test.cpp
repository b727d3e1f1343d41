// Bounds are right if an edit changes no voxel outside the box that it writes, and depends on none outside
// the box that it reads.
#include <gtest/gtest.h>

#include "libvox/edit/bounds.h"
#include "tests/edit/edited_scene.h"

namespace vox {
namespace {

bool holds(const VoxelBox& box, const Int3& p) {
  return p.x >= box.min.x && p.y >= box.min.y && p.z >= box.min.z && p.x < box.max.x && p.y < box.max.y &&
         p.z < box.max.z;
}

TEST(EditBounds, NoVoxelOutsideOfWhatIsWrittenChanges) {
  for (uint64_t seed = 0; seed < 60 * kThoroughness; ++seed) {
    Random random(seed);
    std::vector<Dense> scenes = {random_scene(random, 16, true), random_scene(random, 21, true)};
    const Dense before = scenes[0];
    const edit::Edit edit = random_edit(random, scenes);
    const VoxelBox box = written_by(edit, scenes);
    apply(edit, scenes, true);
    for_each_voxel(before, [&](const Int3& p) {
      if (holds(box, p)) return;
      ASSERT_EQ(scenes[0].at(p), before.at(p)) << text_of(p) << ": " << std::visit(EditText(), edit);
    });
  }
}

TEST(EditBounds, NoVoxelOutsideOfWhatIsReadOrWrittenMatters) {
  for (uint64_t seed = 0; seed < 60 * kThoroughness; ++seed) {
    Random random(seed);
    std::vector<Dense> scenes = {random_scene(random, 16, true), random_scene(random, 21, true)};
    const edit::Edit edit = random_edit(random, scenes);
    const VoxelBox box = written_by(edit, scenes), looked_at = edit::read_box(edit, 16);
    std::vector<Dense> others = scenes;
    for_each_voxel(scenes[0], [&](const Int3& p) {
      if (!holds(box, p) && !holds(looked_at, p))
        others[0].at(p) = static_cast<int8_t>(between(random, dag::kEmptyVoxel, 15));
    });
    apply(edit, scenes, true);
    apply(edit, others, true);
    for_each_voxel(scenes[0], [&](const Int3& p) {
      if (!holds(box, p)) return;
      ASSERT_EQ(scenes[0].at(p), others[0].at(p)) << text_of(p) << ": " << std::visit(EditText(), edit);
    });
  }
}

}  // namespace
}  // namespace vox
