#include "tools/vox-convert/scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "formats/images/image.h"
#include "formats/mesh/mesh.h"
#include "formats/scene/any_scene.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

using ScenePointer = std::shared_ptr<const dag::VoxelScene>;

// Meshes that follow each other, a cloud of points, or voxels, which the others become.
struct Part {
  std::optional<MeshFiles> meshes = {};
  std::optional<PointCloud> points = {};
  double radius = 0;  // of the points
  ScenePointer voxels = nullptr;
};

dag::VoxelScene read_voxel_scene(const std::filesystem::path& path, InputKind kind,
                                 const ConvertOptions& options) {
  if (is_volume(kind)) return scene_of_volume(path, options);
  if (kind == InputKind::Voxels) return read_voxels(path, voxel_file_options(options)).scene;
  return read_any_scene(path, options.engine, SceneForm::Any, damage_with(options.overwrite));
}

// The inputs, and the boxes around their content.
struct Parts {
  std::vector<Part> parts = {};
  std::vector<voxelize::Box> boxes = {};
};

void read_voxel_part(const std::filesystem::path& path, InputKind kind, const ConvertOptions& options,
                     Parts& read) {
  dag::VoxelScene scene = read_voxel_scene(path, kind, options);
  if (scene.up != dag::UpAxis::Y)
    throw Error("its y axis does not point up, as that of a grid for several inputs does").at(path.string());
  if (scene.dag.voxels == 0) log_warning("{}: no voxel is filled", path.string());
  if (options.materials != scene::MaterialMode::None && scene.palette.count == 0 && !scene.colors)
    log_info("{} has no colors: its voxels become gray", path.string());
  read.boxes.push_back(filled_box(scene));
  read.parts.push_back({.voxels = std::make_shared<const dag::VoxelScene>(std::move(scene))});
}

void read_point_part(const std::filesystem::path& path, const ConvertOptions& options, Conversion& conversion,
                     Parts& read) {
  Part& part = read.parts.emplace_back(Part{.points = open_points({&path, 1}, options.points)});
  const CloudSurvey found = surveyed(*part.points, path, options);
  conversion.points.points += found.points;
  conversion.points.not_finite += found.not_finite;
  conversion.points.left_out += found.left_out;
  part.radius = radius_of(*part.points, found, options);
  read.boxes.push_back(around_points(found.box, part.radius));
}

Parts read_parts(const ConvertOptions& options, Conversion& conversion) {
  Parts read;
  const std::span<const std::filesystem::path> inputs = options.inputs;
  for (size_t i = 0, end = 0; i < inputs.size(); i = end) {
    const InputKind kind = options.kinds[i];
    end = i + 1;
    with_input(inputs[i], [&] {
      if (has_own_grid(kind)) {
        read_voxel_part(inputs[i], kind, options, read);
      } else if (is_cloud(kind)) {
        read_point_part(inputs[i], options, conversion, read);
      } else {
        while (end < inputs.size() && options.kinds[end] == InputKind::Mesh && !options.combine) ++end;
        read.parts.push_back({.meshes = read_meshes(inputs.subspan(i, end - i), options.mesh)});
        read.boxes.push_back(voxelize::bounding_box(read.parts.back().meshes->scene));
      }
    });
  }
  return read;
}

struct VoxelizedMeshes {
  dag::VoxelScene scene;
  scene::IndexedScene indexed;
};

VoxelizedMeshes voxelized(MeshFiles& meshes, const voxelize::Grid& grid, Engine& engine,
                          const ConvertOptions& options, Conversion& conversion) {
  scene::PaletteChoice choice = {.materials = options.materials};
  if (options.palette) choice.given = read_palette(*options.palette);
  if (options.palette_weight) choice.weights.area_power = *options.palette_weight;
  choice.weights.most = colors_for_surface(options);
  scene::ChosenPalette chosen = scene::choose_palette(meshes.scene, choice);
  meshes.scene.images = {};
  conversion.triangles += meshes.scene.triangles.size();
  const voxelize::ClosedHoles holes = holes_closed(meshes.scene, chosen.indexed, grid, options);
  conversion.holes.open_edges += holes.open_edges;
  conversion.holes.holes += holes.holes;
  conversion.holes.membranes += holes.membranes;
  voxelize::BuildResult result =
      built_mesh(engine, meshes.scene, chosen.indexed, grid, nullptr, options, conversion);
  conversion.dropped.not_finite += meshes.dropped.not_finite;
  conversion.dropped.degenerate += meshes.dropped.degenerate;
  return {built_scene(std::move(result), chosen.indexed, grid, options.build), std::move(chosen.indexed)};
}

// Voxelizes the meshes, and leaves of two what --combine keeps of them.
void voxelize_meshes(std::vector<Part>& parts, const voxelize::Grid& grid, Engine& engine,
                     const ConvertOptions& options, Conversion& conversion) {
  std::vector<VoxelizedMeshes> found;
  for (Part& part : parts)
    if (part.meshes) found.push_back(voxelized(*part.meshes, grid, engine, options, conversion));
  if (options.combine) {
    Stopwatch watch;
    const auto surface = [&](size_t i) {
      return voxelize::MeshSurface{parts[i].meshes->scene, found[i].indexed, found[i].scene.dag};
    };
    voxelize::Combined combined =
        combine_surfaces(engine.handle(), surface(0), surface(1), grid, *options.combine);
    conversion.combined = {combined.first_counts, combined.second_counts};
    for (size_t i = 0; i < 2; ++i) {
      const voxelize::SideCounts& counts = (*conversion.combined)[i];
      log_info("{}: {} outside of the other mesh, {} inside, {} of both", options.inputs[i].string(),
               format_count(counts.outside, "voxel"), format_count(counts.inside),
               format_count(counts.common));
    }
    found[0].scene = dag::part_of(std::move(found[0].scene), std::move(combined.first));
    found[1].scene = dag::part_of(std::move(found[1].scene), std::move(combined.second));
    conversion.seconds.build += watch.seconds();
  }
  auto next = found.begin();
  for (Part& part : parts)
    if (part.meshes) part = {.voxels = std::make_shared<const dag::VoxelScene>(std::move((next++)->scene))};
}

void check_mixed(const ConvertOptions& options) {
  if (options.paint) throw UsageError("--paint is for meshes alone, but there are files of voxels");
  if (has_named_entries(options.materials))
    throw UsageError(
        "--materials mesh and object are for meshes alone: voxels have colors (texture), or none");
  check_targets(options);
}

}  // namespace

bool has_mesh_input(const ConvertOptions& options) {
  return std::ranges::find(options.kinds, InputKind::Mesh) != options.kinds.end();
}

dag::VoxelScene convert_mixed(const ConvertOptions& options, Conversion& conversion) {
  check_mixed(options);
  const ThreadLimit threads(options.engine.threads);
  Stopwatch watch;
  tell_ignored_sizes(options);
  auto [parts, boxes] = read_parts(options, conversion);
  const voxelize::Grid grid = voxelize::fit_boxes(boxes, options.grid);
  check_export_resolution(grid.resolution, options.output, options.exports);
  conversion.seconds.load = watch.lap();
  log_info("{} inputs, {}³ voxels of {} units", options.inputs.size(), grid.resolution,
           format_sides(grid.voxel_size));
  conversion.device = "cpu";
  if (has_mesh_input(options)) {
    const std::unique_ptr<Engine> engine = make_engine(options.engine);
    conversion.device = engine->device();
    voxelize_meshes(parts, grid, *engine, options, conversion);
    conversion.kernels = engine->profile();
  }
  watch.lap();
  for (Part& part : parts)
    if (part.points)
      part = {.voxels = std::make_shared<const dag::VoxelScene>(
                  voxels_of(std::move(*part.points), grid, part.radius, options).scene)};
  std::vector<ScenePointer> scenes;
  for (Part& part : parts) scenes.push_back(std::move(part.voxels));
  for (const ScenePointer& part : scenes)
    if (!part->named_colors.empty())
      log_warning(
          "the names of {} materials of an input are left out: inputs that are combined keep colors alone",
          part->named_colors.size());
  ScenePlusError composed =
      scene_of_voxels(composed_voxels(std::move(scenes), grid), voxel_file_options(options), options.output);
  conversion.palette_error = composed.error;
  conversion.seconds.build += watch.seconds();
  dag::VoxelScene& scene = composed.scene;
  scene.coverage = options.build.coverage;
  scene.solid = options.build.solid;
  if (scene.dag.voxels == 0) log_warning("no voxel is filled: nothing of the inputs lies inside --clip");
  sign(scene, options);
  return std::move(scene);
}

}  // namespace vox
