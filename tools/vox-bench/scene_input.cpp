#include "tools/vox-bench/scene_input.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "formats/file_types.h"
#include "formats/images/choose_palette.h"
#include "formats/mesh/mesh.h"
#include "formats/scene/any_scene.h"
#include "formats/scene/scene_file.h"
#include "libvox/base/error.h"
#include "libvox/dag/coarser.h"
#include "libvox/engine/built_scene.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/targets.h"

namespace vox {
namespace {

bool is_volume(const std::filesystem::path& file) {
  const bool is_scene = has_role(file, FileRole::Scene) || is_scene_file(file);
  return !is_scene && has_role(file, FileRole::Volume) && !is_mesh_path(file);
}

SceneInput voxelized(Engine& engine, scene::Scene mesh, uint32_t resolution) {
  const voxelize::Grid grid = voxelize::fit_grid(mesh, {.resolution = resolution});
  const scene::IndexedScene indexed = choose_palette(mesh, {}).indexed;
  const voxelize::BuildOptions options;
  voxelize::BuildResult built = engine.build(mesh, indexed, grid, options);
  const double seconds = built.voxelize_seconds + built.build_seconds;
  return {built_scene(std::move(built), indexed, grid, options), seconds};
}

dag::VoxelScene scene_of_file(const SceneRequest& request) {
  dag::VoxelScene scene = read_any_scene(*request.file, request.engine);
  if (!request.resolution || *request.resolution == scene.dag.resolution) return scene;
  const uint32_t halvings = dag::halvings_to(*request.resolution, scene.dag.resolution);
  return dag::coarser(std::move(scene), halvings, request.engine.memory_limit);
}

}  // namespace

SceneInput read_scene_input(Engine& engine, const SceneRequest& request) {
  if (request.file && is_volume(*request.file))
    throw UsageError(
        fmt::format("'{}' is a volume, expected a scene file or a mesh: 'vox-bench bricks' measures volumes",
                    request.file->string()));
  if (request.file) check_input(*request.file);
  const uint32_t resolution = request.resolution.value_or(request.default_resolution);
  SceneInput input;
  if (!request.file) {
    scene::Scene mesh = request.generate();
    scene::drop_bad_triangles(mesh);
    input = voxelized(engine, std::move(mesh), resolution);
  } else if (has_role(*request.file, FileRole::Scene) || is_scene_file(*request.file)) {
    input.scene = scene_of_file(request);
  } else {
    input = voxelized(engine, read_meshes(std::array{*request.file}).scene, resolution);
  }
  input.scene.source = request.file ? request.file->filename().string() : request.generated;
  return input;
}

}  // namespace vox
