// Makes scenes of files of any kind, and puts several inputs on one grid.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "capi/handles.h"
#include "formats/mesh/mesh.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/log.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/derived.h"
#include "libvox/voxelize/combine.h"

namespace vox {
namespace {

using Paths = std::span<const std::filesystem::path>;
using ScenePointer = std::shared_ptr<const dag::VoxelScene>;

constexpr bool is_voxelized(InputKind kind) {
  return kind == InputKind::Mesh || is_cloud(kind);
}

constexpr bool has_own_materials(InputKind kind) {
  return is_volume(kind) || kind == InputKind::Scene;
}

}  // namespace

VoxelizeOptions options_for_memory(const vox_voxelize_options* given, InputKind kind,
                                   const std::string& name) {
  VoxelizeOptions options = checked_options(&needed(given, "options"));
  if (options.up)
    throw UsageError("options->up has no effect on what is in memory").at(name).hint("turn the positions");
  check_effects({kind}, options, name);
  return options;
}

void check_effects(const std::vector<InputKind>& kinds, const VoxelizeOptions& options,
                   const std::filesystem::path& path) {
  using enum VoxelMaterials;
  const auto refuse = [&](bool given, const char* option) {
    if (given)
      throw UsageError(fmt::format("options->{} has no effect on this kind of input", option))
          .at(path.string());
  };
  const bool all_meshes = std::ranges::count(kinds, InputKind::Mesh) == std::ssize(kinds);
  const bool has_mesh = std::ranges::count(kinds, InputKind::Mesh) > 0;
  const bool has_cloud = std::ranges::any_of(kinds, is_cloud);
  const bool is_made = std::ranges::any_of(kinds, is_voxelized), has_grid = is_made || kinds.size() > 1;
  const bool keeps_materials = kinds.size() == 1 && has_own_materials(kinds[0]);
  refuse(!has_mesh && options.build.solid, "solid");
  refuse(!has_mesh && options.build.coverage != scene::Coverage::Conservative, "coverage");
  refuse(!all_meshes && (options.materials == Mesh || options.materials == Numbers), "materials");
  refuse(!all_meshes && options.interior.has_value(), "interior");
  refuse(!all_meshes && !options.strokes.empty(), "strokes");
  refuse(keeps_materials && options.materials != Texture, "materials");
  refuse(keeps_materials && options.palette.has_value(), "palette");
  refuse(!has_cloud && options.point_radius > 0, "point_radius");
  refuse(!is_made && options.up.has_value(), "up");
  refuse(!has_grid && options.grid.has_voxel_size(), "voxel_size");
  refuse(!has_grid && options.grid.clip.has_value(), "clip");
  refuse(!has_grid && options.grid.center, "center");
  refuse(!has_grid && options.grid.snap, "snap");
}

namespace {

void check_colors(const dag::VoxelScene& scene, const VoxelizeOptions& options,
                  const std::filesystem::path& path) {
  if (options.build.colors && !scene.colors)
    throw Error("holds no colors that can be kept").at(path.string());
}

vox_mesh mesh_of(Paths paths, const VoxelizeOptions& options) {
  return {read_meshes(paths, {.up = options.up}).scene, names_of_inputs(paths)};
}

// A scene in memory is an SVDAG, with colors if it has any. Saving it over its file would lose everything else.
void tell_left_out(const std::filesystem::path& path) {
  const SceneFileParts parts = scene_parts(path);
  if (parts.normals) log_warning("the normals of {} are left out", path.string());
  if (parts.symmetric || parts.hash || parts.bricks)
    log_info("the forms of {} besides an SVDAG are left out", path.string());
}

dag::VoxelScene voxels_of_file(vox_engine& engine, InputKind kind, const std::filesystem::path& path,
                               const VoxelizeOptions& options) {
  if (is_volume(kind)) return scene_of_values(engine, open_stored_volume(path, {}, {}), {}, path);
  if (kind == InputKind::Voxels) return read_voxels(path, reading_options(engine, options)).scene;
  tell_left_out(path);
  return read_any_scene(path, engine.options, SceneForm::Any, Damage::Refused);
}

// --- one grid for several inputs ---

// The first scene's voxels count least.
dag::VoxelScene composed(const vox_engine& engine, std::vector<ScenePointer> scenes,
                         const voxelize::Grid& grid, const VoxelizeOptions& options) {
  return scene_of_voxels(composed_voxels(std::move(scenes), grid), reading_options(engine, options),
                         "the inputs")
      .scene;
}

void check_y_up(const dag::VoxelScene& scene, const std::string& name) {
  if (scene.up != dag::UpAxis::Y)
    throw Error("its y axis does not point up, as that of a grid for several inputs does").at(name);
}

// An input until its voxels are known.
struct Part {
  std::optional<vox_mesh> mesh = {};
  std::optional<PointCloud> cloud = {};
  ScenePointer voxels = nullptr;
};

// Reads files of several kinds. Meshes that follow each other are one part.
std::pair<std::vector<Part>, std::vector<voxelize::Box>> read_parts(vox_engine& engine, Paths paths,
                                                                    const std::vector<InputKind>& kinds,
                                                                    const VoxelizeOptions& options) {
  std::vector<Part> parts;
  std::vector<voxelize::Box> boxes;
  for (size_t i = 0, end = 0; i < paths.size(); i = end) {
    end = i + 1;
    Part& part = parts.emplace_back();
    if (kinds[i] == InputKind::Mesh) {
      while (end < paths.size() && kinds[end] == InputKind::Mesh) ++end;
      part.mesh = mesh_of(paths.subspan(i, end - i), options);
      boxes.push_back(voxelize::bounding_box(part.mesh->scene));
    } else if (is_cloud(kinds[i])) {
      SurveyedCloud found = surveyed(open_points({&paths[i], 1}, {.up = options.up}), options, paths[i]);
      part.cloud = std::move(found.cloud);
      boxes.push_back(found.box);
    } else {
      dag::VoxelScene scene = voxels_of_file(engine, kinds[i], paths[i], options);
      check_y_up(scene, paths[i].string());
      boxes.push_back(filled_box(scene));
      part.voxels = std::make_shared<const dag::VoxelScene>(std::move(scene));
    }
  }
  return {std::move(parts), std::move(boxes)};
}

dag::VoxelScene scene_of_mixed(vox_engine& engine, Paths paths, const std::vector<InputKind>& kinds,
                               const VoxelizeOptions& options) {
  auto [parts, boxes] = read_parts(engine, paths, kinds, options);
  const voxelize::Grid grid = voxelize::fit_boxes(boxes, options.grid);
  std::vector<ScenePointer> scenes;
  for (Part& part : parts) {
    if (part.mesh)
      part.voxels = std::make_shared<const dag::VoxelScene>(
          voxelized(engine, prepared(engine, *part.mesh, grid, options), grid, options));
    if (part.cloud)
      part.voxels = std::make_shared<const dag::VoxelScene>(
          voxels_of_cloud(engine, std::move(*part.cloud), grid, options, paths[0]));
    scenes.push_back(std::move(part.voxels));
    part = {};
  }
  dag::VoxelScene scene = composed(engine, std::move(scenes), grid, options);
  scene.coverage = options.build.coverage;
  scene.solid = options.build.solid;
  return scene;
}

// Makes a scene of files that are not all meshes.
dag::VoxelScene scene_of_known(vox_engine& engine, Paths paths, const std::vector<InputKind>& kinds,
                               const VoxelizeOptions& options) {
  const bool all_clouds = std::ranges::all_of(kinds, is_cloud);
  dag::VoxelScene scene =
      all_clouds ? scene_of_cloud(engine, open_points(paths, {.up = options.up}), options, paths[0].string())
      : paths.size() > 1 ? scene_of_mixed(engine, paths, kinds, options)
                         : voxels_of_file(engine, kinds[0], paths[0], options);
  check_colors(scene, options, paths[0]);
  const bool has_file_grid = paths.size() == 1 && !all_clouds;
  if (!has_file_grid || kinds[0] != InputKind::Scene)
    sign(scene, names_of_inputs(paths), "vox_voxelize_files");
  if (!has_file_grid || options.grid.resolution == 0 || options.grid.resolution == scene.dag.resolution)
    return scene;
  const uint32_t halvings = dag::halvings_to(options.grid.resolution, scene.dag.resolution);
  return dag::coarser(std::move(scene), halvings, {.limit = engine.options.memory_limit});
}

dag::VoxelScene scene_of_files(vox_engine& engine, Paths paths, const VoxelizeOptions& options) {
  try {
    std::unique_lock hdf5(hdf5_turn());
    const std::vector<InputKind> kinds = kinds_of_inputs(paths, {});
    check_effects(kinds, options, paths[0]);
    if (paths.size() > 1 || is_voxelized(kinds[0])) check_grid_options(options);
    if (std::ranges::count(kinds, InputKind::Mesh) < std::ssize(kinds))
      return scene_of_known(engine, paths, kinds, options);
    hdf5.unlock();
    return scene_of_mesh(engine, mesh_of(paths, options), options);
  } catch (Error& error) {
    if (!error.has_place()) error.at(paths[0].string());
    throw;
  }
}

dag::VoxelScene scene_of_scenes(const vox_engine& engine, std::vector<ScenePointer> scenes,
                                const VoxelizeOptions& options) {
  check_grid_options(options);
  std::vector<voxelize::Box> boxes;
  for (size_t i = 0; i < scenes.size(); ++i) {
    check_y_up(*scenes[i], fmt::format("scenes[{}]", i));
    boxes.push_back(filled_box(*scenes[i]));
  }
  using enum VoxelMaterials;
  if (options.build.solid || options.up || options.point_radius > 0 || !options.strokes.empty() ||
      options.build.coverage != scene::Coverage::Conservative || options.materials == Mesh ||
      options.materials == Numbers)
    throw UsageError("an option has no effect: only those of the grid, the materials and the palette");
  dag::VoxelScene scene =
      composed(engine, std::move(scenes), voxelize::fit_boxes(boxes, options.grid), options);
  check_colors(scene, options, "scenes");
  return scene;
}

dag::VoxelScene scene_of_meshes(vox_engine& engine, const std::array<const vox_mesh*, 2>& meshes,
                                voxelize::Combination combination, const VoxelizeOptions& options) {
  check_grid_options(options);
  const bool has_materials = options.materials == VoxelMaterials::Texture;
  if (options.build.solid || !options.strokes.empty() ||
      (!has_materials && options.materials != VoxelMaterials::None))
    throw UsageError("combining takes surfaces, with VOX_MATERIALS_TEXTURE or VOX_MATERIALS_NONE");
  std::array<voxelize::Box, 2> boxes;
  for (size_t i = 0; i < 2; ++i) {
    check_triangles(*meshes[i]);
    boxes[i] = voxelize::bounding_box(meshes[i]->scene);
  }
  const voxelize::Grid grid = voxelize::fit_boxes(boxes, options.grid);
  const std::array<ReadyMesh, 2> ready = {prepared(engine, *meshes[0], grid, options),
                                          prepared(engine, *meshes[1], grid, options)};
  std::array<dag::VoxelScene, 2> made = {voxelized(engine, ready[0], grid, options),
                                         voxelized(engine, ready[1], grid, options)};
  const auto surface = [&](size_t i) {
    return voxelize::MeshSurface{ready[i].scene(), ready[i].indexed, made[i].dag};
  };
  voxelize::Combined combined =
      voxelize::combine_surfaces(engine.engine->handle(), surface(0), surface(1), grid, combination);
  dag::VoxelScene scene = composed(
      engine,
      {std::make_shared<const dag::VoxelScene>(dag::part_of(std::move(made[0]), std::move(combined.first))),
       std::make_shared<const dag::VoxelScene>(dag::part_of(std::move(made[1]), std::move(combined.second)))},
      grid, options);
  scene.coverage = options.build.coverage;
  sign(scene, meshes[0]->source, "vox_combine");
  return scene;
}

// Returns the `count` objects of a list, of which there must be at least one.
template <class T>
std::span<T> listed(T* list, uint64_t count, const char* name) {
  constexpr uint64_t kMost = 1 << 20;
  if (count == 0 || count > kMost)
    throw UsageError(fmt::format("count is {}, expected 1 to {}", count, kMost));
  return {&needed(list, name), count};
}

}  // namespace
}  // namespace vox

vox_status vox_voxelize_files(vox_engine* engine, const char* const* paths, uint64_t count,
                              const vox_voxelize_options* options, vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    std::vector<std::filesystem::path> files;
    for (const char* path : vox::listed(paths, count, "paths"))
      files.emplace_back(vox::needed_text(path, "a path"));
    return vox::scene_of_files(on, files, vox::checked_options(options));
  });
}

vox_status vox_voxelize_file(vox_engine* engine, const char* path, const vox_voxelize_options* options,
                             vox_scene** scene) {
  return vox_voxelize_files(engine, &path, 1, options, scene);
}

vox_status vox_scene_load(vox_engine* engine, const char* path, vox_scene** scene) {
  return vox_voxelize_file(engine, path, nullptr, scene);
}

vox_status vox_compose(vox_engine* engine, const vox_scene* const* scenes, uint64_t count,
                       const vox_voxelize_options* options, vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    std::vector<vox::ScenePointer> parts;
    for (const vox_scene* part : vox::listed(scenes, count, "scenes"))
      parts.push_back(vox::needed(part, "a scene").content);
    const std::string source = parts[0]->source;
    vox::dag::VoxelScene made =
        vox::scene_of_scenes(on, std::move(parts), vox::checked_options(&vox::needed(options, "options")));
    vox::sign(made, source, "vox_compose");
    return made;
  });
}

vox_status vox_combine(vox_engine* engine, const vox_mesh* first, const vox_mesh* second,
                       uint32_t combination, const vox_voxelize_options* options, vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    const std::array<const vox_mesh*, 2> meshes = {&vox::needed(first, "first"),
                                                   &vox::needed(second, "second")};
    return vox::scene_of_meshes(on, meshes,
                                vox::known_choice<vox::voxelize::Combination>(combination, 3, "combination"),
                                vox::options_for_memory(options, vox::InputKind::Mesh, first->source));
  });
}
