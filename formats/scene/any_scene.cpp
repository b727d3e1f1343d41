#include "formats/scene/any_scene.h"

#include <fmt/format.h>

#include "formats/scene/scene_file.h"
#include "formats/voxels/read_voxels.h"
#include "libvox/base/error.h"
#include "libvox/base/phrase.h"

namespace vox {
namespace {

dag::VoxelScene scene_of_hash(const std::filesystem::path& path, const EngineOptions& options) {
  dag::VoxelScene scene = read_scene_without_dag(path);
  const dag::Digest expected = scene.dag.digest;
  scene.dag = make_engine(options)->dag_of_hash(read_hash(path));
  if (scene.dag.digest != expected)
    throw Error(fmt::format("the digest is {}, but the spatial hash holds a scene with {}",
                            dag::to_string(expected), dag::to_string(scene.dag.digest)))
        .at(path.string());
  return scene;
}

}  // namespace

SceneFileParts scene_parts(const std::filesystem::path& path) {
  return is_voxels_path(path) ? SceneFileParts{.dag = true} : scene_file_parts(path);
}

dag::VoxelScene read_any_scene(const std::filesystem::path& path, const EngineOptions& options) {
  if (is_voxels_path(path)) {
    dag::VoxelScene scene = read_voxels(path, {.memory_limit = options.memory_limit}).scene;
    scene.source = path.filename().string();
    return scene;
  }
  const SceneFileParts parts = scene_file_parts(path);
  return parts.hash && !parts.dag ? scene_of_hash(path, options) : read_scene(path);
}

}  // namespace vox
