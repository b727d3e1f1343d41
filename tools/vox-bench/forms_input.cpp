#include "tools/vox-bench/forms_input.h"

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
#include "libvox/scene/procedural/procedural.h"

namespace vox {
namespace {

scene::Scene village() {
  scene::Scene scene = scene::make_village({});
  scene::drop_bad_triangles(scene);
  return scene;
}

FormsInput voxelized(Engine& engine, scene::Scene mesh, uint32_t resolution) {
  const voxelize::Grid grid = voxelize::fit_grid(mesh, {.resolution = resolution});
  const scene::IndexedScene indexed = choose_palette(mesh, {}).indexed;
  const voxelize::BuildOptions options;
  voxelize::BuildResult built = engine.build(mesh, indexed, grid, options);
  const double seconds = built.voxelize_seconds + built.build_seconds;
  return {built_scene(std::move(built), indexed, grid, options), seconds};
}

dag::VoxelScene scene_of_file(const FormsCommand& command) {
  dag::VoxelScene scene = read_any_scene(*command.input, command.engine);
  if (!command.resolution || *command.resolution == scene.dag.resolution) return scene;
  const uint32_t halvings = dag::halvings_to(*command.resolution, scene.dag.resolution);
  return dag::coarser(std::move(scene), halvings, command.engine.memory_limit);
}

}  // namespace

uint32_t default_forms_resolution(const std::string& device) {
  constexpr uint32_t kGpuResolution = 2048, kCpuResolution = 512;
  return device == "cpu" ? kCpuResolution : kGpuResolution;
}

FormsInput read_forms_input(Engine& engine, const FormsCommand& command) {
  const uint32_t resolution = command.resolution.value_or(default_forms_resolution(engine.device()));
  FormsInput input;
  if (!command.input) {
    input = voxelized(engine, village(), resolution);
  } else if (has_role(*command.input, FileRole::Scene) || is_scene_file(*command.input)) {
    input.scene = scene_of_file(command);
  } else if (has_role(*command.input, FileRole::Volume) && !is_mesh_path(*command.input)) {
    throw UsageError(
        fmt::format("'{}' is a volume, expected a scene file or a mesh: 'vox-bench bricks' measures volumes",
                    command.input->string()));
  } else {
    input = voxelized(engine, read_meshes(std::array{*command.input}).scene, resolution);
  }
  input.scene.source = command.input ? command.input->filename().string() : "the village of vox-scene";
  return input;
}

}  // namespace vox
