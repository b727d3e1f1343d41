#include "formats/scene/bricks_beside.h"

#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/dag/scene_volume.h"

namespace vox {

measure::BricksRecipe recipe_beside(const dag::VoxelScene& scene, const std::filesystem::path& file) {
  const bricks::FrozenBricks bricks = read_bricks(file);
  const volume::VolumeInfo expected = dag::scene_volume(scene).info;
  if (bricks.info.size != expected.size || bricks.info.type != expected.type)
    throw Error("its bricks are not those of the scene, so that they cannot follow its edits")
        .at(file.string())
        .hint("they can be left out")
        .about("drop_bricks");
  return measure::recipe_of(bricks);
}

}  // namespace vox
