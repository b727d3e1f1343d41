#include "formats/volume/any_volume.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/scene/scene_file.h"
#include "formats/volume/volume_file.h"
#include "libvox/dag/coarser.h"
#include "libvox/dag/scene_volume.h"

namespace vox {

AnyVolume::AnyVolume(const std::filesystem::path& path, const RawOptions& raw, uint64_t most_voxels) {
  std::string source = path.filename().string();
  if (!has_role(path, FileRole::Scene)) {
    volume = open_volume(path, raw);
  } else if (const SceneFileParts parts = scene_file_parts(path); parts.bricks && !parts.dag) {
    bricks = read_bricks(path);
    volume = bricks::bricks_volume(bricks);
  } else {
    scene = read_scene(path);
    const uint32_t halvings = most_voxels == 0 ? 0 : dag::halvings_below(most_voxels, scene.dag.resolution);
    if (halvings > 0) {
      scene = dag::coarser(std::move(scene), halvings);
      source += fmt::format(" at a resolution of {}", scene.dag.resolution);
    }
    volume = dag::scene_volume(scene);
  }
  volume.info.source = source;
}

}  // namespace vox
