#include "capi/voxelize.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "formats/mesh/mesh_report.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/surface.h"
#include "libvox/voxelize/close_holes.h"
#include "libvox/voxelize/distances.h"
#include "libvox/voxelize/mesh_faults.h"

namespace vox {
namespace {

scene::Palette palette_of(const vox_voxelize_options& options) {
  if (options.palette_count == 0 || options.palette_count > scene::kPaletteSize)
    throw UsageError(fmt::format("options->palette_count is {}, expected 1 to {}", options.palette_count,
                                 scene::kPaletteSize));
  scene::Palette palette = {.count = options.palette_count};
  for (uint32_t i = 0; i < palette.count; ++i) {
    const uint8_t* rgb = options.palette + 3 * size_t{i};
    palette.colors[i] = {rgb[0], rgb[1], rgb[2]};
    palette.names[i] = scene::hex_name(palette.colors[i]);
  }
  return palette;
}

voxelize::GridOptions grid_options(const vox_voxelize_options& options) {
  voxelize::GridOptions grid = {.resolution = options.resolution,
                                .voxel_size = options.voxel_size,
                                .center = known_choice<uint32_t>(options.center, 2, "options->center") == 1,
                                .snap = known_choice<uint32_t>(options.snap, 2, "options->snap") == 1};
  if (!std::isfinite(options.voxel_size) || options.voxel_size < 0)
    throw UsageError(
        fmt::format("options->voxel_size is {}, expected a positive number", options.voxel_size));
  if (options.sides != nullptr) {
    if (grid.has_voxel_size()) throw UsageError("options->voxel_size and options->sides are both given");
    grid.voxel_size = VoxelSize(options.sides[0], options.sides[1], options.sides[2]);
    for (uint32_t axis = 0; axis < 3; ++axis)
      if (!(std::isfinite(options.sides[axis]) && options.sides[axis] > 0))
        throw UsageError(
            fmt::format("options->sides[{}] is {}, expected a positive number", axis, options.sides[axis]));
  }
  if (options.clip == nullptr) return grid;
  const double* clip = options.clip;
  if (!std::all_of(clip, clip + 6, [](double place) { return std::isfinite(place); }))
    throw UsageError("options->clip holds a number that is not finite");
  grid.clip = {{clip[0], clip[1], clip[2]}, {clip[3], clip[4], clip[5]}};
  return grid;
}

uint8_t material_of(uint32_t number, const char* name) {
  if (number >= scene::kPaletteSize)
    throw UsageError(fmt::format("{} is {}, expected a material, 0 to 15", name, number));
  return static_cast<uint8_t>(number);
}

void read_inside(const vox_voxelize_options& given, VoxelizeOptions& options) {
  const auto solid = known_choice<uint32_t>(given.solid, 4, "options->solid");
  options.build.solid = solid != VOX_SURFACE;
  options.flood = solid == VOX_SOLID_FLOOD;
  if (solid == VOX_SOLID_PARITY) options.build.inside = voxelize::InsideRule::Parity;
  if (!std::isfinite(given.close) || given.close < 0)
    throw UsageError(fmt::format("options->close is {}, expected a number of voxels", given.close));
  options.close = given.close;
  if (options.close > 0 && !options.closes_holes())
    throw UsageError("options->close has an effect with VOX_SOLID alone");
  if (options.flood && options.build.colors)
    throw UsageError("VOX_SOLID_FLOOD fills voxels that have no colors: choose other materials");
  if (given.interior > 0) options.interior = material_of(given.interior - 1, "options->interior - 1");
  if (options.interior && (!options.build.solid || !options.build.materials))
    throw UsageError("options->interior is for solids with materials");
  if (given.shell_count == 0) return;
  if (!options.interior) throw UsageError("options->shell_count needs options->interior");
  if (given.shell_count > 255) throw UsageError(fmt::format("options->shell_count is {}", given.shell_count));
  needed(given.shell_depths, "options->shell_depths");
  needed(given.shell_materials, "options->shell_materials");
  for (uint32_t i = 0; i < given.shell_count; ++i) {
    const double depth = given.shell_depths[i];
    if (!(depth > (i == 0 ? 0 : given.shell_depths[i - 1])))
      throw UsageError(fmt::format("options->shell_depths[{}] is {}, expected depths that ascend", i, depth));
    options.shells.push_back(
        {voxelize::shell_depth(depth), material_of(given.shell_materials[i], "a material of a shell")});
  }
}

}  // namespace

VoxelizeOptions checked_options(const vox_voxelize_options* given) {
  const vox_voxelize_options options = known_part(given, "options");
  VoxelizeOptions checked = {.grid = grid_options(options)};
  checked.build.coverage = known_choice<scene::Coverage>(options.coverage, 2, "options->coverage");
  checked.materials = known_choice<VoxelMaterials>(options.materials, 5, "options->materials");
  checked.build.colors = checked.materials == VoxelMaterials::Colors;
  checked.build.materials = !checked.build.colors && checked.materials != VoxelMaterials::None;
  read_inside(options, checked);
  if (options.palette == nullptr && options.palette_count > 0)
    throw UsageError("options->palette is NULL, but options->palette_count is not 0");
  if (options.palette != nullptr) {
    checked.palette = palette_of(options);
    if (checked.materials != VoxelMaterials::Texture)
      throw UsageError("options->palette has an effect with VOX_MATERIALS_TEXTURE alone");
  }
  if (known_choice<uint32_t>(options.up, 4, "options->up") != VOX_UP_FILE)
    checked.up = static_cast<dag::UpAxis>(options.up - VOX_UP_X);
  if (!std::isfinite(options.point_radius) || options.point_radius < 0)
    throw UsageError(fmt::format("options->point_radius is {}", options.point_radius));
  checked.point_radius = options.point_radius;
  return checked;
}

void check_grid_options(const VoxelizeOptions& options) {
  if (!options.has_grid()) throw UsageError("one of options->resolution and options->voxel_size is needed");
}

void sign(dag::VoxelScene& scene, const std::string& source, const char* command) {
  scene.source = source;
  scene.generator = capi_generator();
  scene.command = command;
  scene.created = timestamp();
}

namespace {

// Entries of mesh_palette() come in the order of areas. This exchanges them, so that material m has entry m. The name of
// each of the scene's materials must be its number.
void number_entries(const scene::Scene& scene, scene::IndexedScene& indexed) {
  const scene::Palette ranked = indexed.palette;
  const std::array<double, scene::kPaletteSize> shares = indexed.shares;
  std::array<uint32_t, scene::kPaletteSize> material_of = {};
  for (uint32_t rank = 0; rank < ranked.count; ++rank) {
    const auto material = static_cast<uint32_t>(std::stoul(ranked.names[rank]));
    material_of[rank] = material;
    indexed.palette.colors[material] = ranked.colors[rank];
    indexed.palette.names[material] = ranked.names[rank];
    indexed.shares[material] = shares[rank];
  }
  for (uint32_t i = 0; i < scene.materials.size(); ++i) indexed.materials[i].index = static_cast<uint8_t>(i);
  for (scene::IndexedTexture& texture : indexed.textures)  // each has one entry everywhere, besides its holes
    for (uint32_t& word : texture.nibbles) word = material_of[word & 15] * 0x11111111u;
}

scene::IndexedScene with_numbers(scene::Scene& scene) {
  if (scene.materials.size() > scene::kPaletteSize)
    throw UsageError(fmt::format("the mesh has {} materials, but voxels have at most {} different numbers",
                                 scene.materials.size(), scene::kPaletteSize))
        .hint("VOX_MATERIALS_MESH makes one of materials with small areas");
  std::vector<std::string> names;
  for (size_t i = 0; i < scene.materials.size(); ++i)
    names.push_back(std::exchange(scene.materials[i].name, std::to_string(i)));
  scene::IndexedScene indexed =
      scene::index_scene(scene, scene::mesh_palette(scene), scene::MaterialMode::Mesh);
  number_entries(scene, indexed);
  for (uint32_t i = 0; i < names.size(); ++i) {
    scene.materials[i].name = names[i];
    if (!names[i].empty()) indexed.palette.names[i] = names[i];
  }
  return indexed;
}

// The mesh as the voxelizer takes it.
struct PreparedMesh {
  // A copy where something in the mesh changes, else nothing.
  std::optional<scene::Scene> own;
  const scene::Scene* scene;
  scene::IndexedScene indexed;
};

scene::IndexedScene in_own_palette(const scene::Scene& scene, uint32_t most) {
  const scene::SceneSurface surface(scene);
  return scene::index_scene(scene, scene::auto_palette(scene::count_colors(surface), {.most = most}),
                            surface);
}

scene::IndexedScene indexed_scene(PreparedMesh& mesh, const VoxelizeOptions& options) {
  switch (options.materials) {
    case VoxelMaterials::Texture:
      if (!options.palette)
        return in_own_palette(*mesh.scene, scene::kPaletteSize - (options.shells.empty() ? 0 : 1));
      return scene::index_scene(*mesh.scene, *options.palette, scene::MaterialMode::Texture);
    case VoxelMaterials::Mesh:
      return scene::index_scene(*mesh.scene, scene::mesh_palette(*mesh.scene), scene::MaterialMode::Mesh);
    case VoxelMaterials::Colors:
      return scene::index_scene(*mesh.scene, {}, scene::MaterialMode::Colors);
    case VoxelMaterials::Numbers:
      return with_numbers(*mesh.own);
    case VoxelMaterials::None:
      break;
  }
  return scene::index_scene(*mesh.scene, {}, scene::MaterialMode::None);
}

PreparedMesh prepared(const vox_mesh& mesh, const voxelize::Grid& grid, const VoxelizeOptions& options) {
  PreparedMesh prepared = {.own = {}, .scene = &mesh.scene, .indexed = {}};
  const bool closes = options.closes_holes();
  if (!mesh.scene.colors.empty() || closes || options.materials == VoxelMaterials::Numbers) {
    prepared.scene = &prepared.own.emplace(mesh.scene);
    scene::bake_base_colors(*prepared.own);
  }
  prepared.indexed = indexed_scene(prepared, options);
  throw_if_cancelled();
  if (!closes) return prepared;
  const voxelize::ClosedHoles closed =
      voxelize::close_holes(*prepared.own, prepared.indexed, grid, options.close);
  if (closed.holes > 0)
    log_warning("the mesh has {} in {}: to tell what is inside, they count as closed",
                format_count(closed.open_edges, "open edge"), format_count(closed.holes, "hole"));
  return prepared;
}

void check_triangles(const vox_mesh& mesh) {
  if (mesh.scene.triangles.empty()) throw Error("no triangles to voxelize").at(mesh.source);
}

}  // namespace

vox_info info_of_grid(const voxelize::Grid& grid) {
  vox_info info = {};
  info.resolution = grid.resolution;
  for (uint32_t axis = 0; axis < 3; ++axis) info.origin[axis] = grid.origin[axis];
  for (uint32_t axis = 0; axis < 3; ++axis) info.voxel_size[axis] = grid.voxel_size[axis];
  return info;
}

void write_distances(const vox_mesh& mesh, const voxelize::Grid& grid, double band,
                     const VoxelizeOptions& options, const vox_engine& engine, float* distances,
                     uint64_t bytes) {
  if (!(band >= voxelize::kLeastBand && band <= voxelize::kMostBand))
    throw UsageError(
        fmt::format("band is {}, expected {} to {} voxels", band, voxelize::kLeastBand, voxelize::kMostBand));
  const VoxelBox box = cube_at({0, 0, 0}, grid.resolution);
  needed(distances, "distances");
  if (bytes != box.voxels() * sizeof(float))  // at most 2^62
    throw UsageError(
        fmt::format("bytes is {}, but the distances have {}", bytes, box.voxels() * sizeof(float)));
  VoxelizeOptions without_colors = options;
  without_colors.materials = VoxelMaterials::None;
  const PreparedMesh ready = prepared(mesh, grid, without_colors);
  voxelize::DistanceOptions measuring = {
      .band = band, .triangles = mesh.scene.triangles.size(), .memory_limit = engine.options.memory_limit};
  if (options.build.solid) measuring.inside = options.build.inside;
  const voxelize::DistanceField field(*ready.scene, ready.indexed, grid, measuring);
  const volume::Volume volume = field.distance_volume();
  tbb::parallel_for(0, box.max.z, field.kBrickSide, [&](int32_t z) {
    VoxelBox slab = box, before = box;
    slab.min.z = before.max.z = z;
    slab.max.z = std::min(z + field.kBrickSide, box.max.z);
    volume.read(slab, reinterpret_cast<std::byte*>(distances + before.voxels()));
  });
}

voxelize::Inside inside_of(const VoxelizeOptions& options, const scene::Palette& palette,
                           const vox_engine& engine) {
  voxelize::Inside inside = {
      .flood = options.flood, .interior = options.interior, .memory_limit = engine.options.memory_limit};
  const auto check = [&](uint8_t material) {
    if (material >= palette.count)
      throw UsageError(fmt::format("a voxel inside has the material {}, but the palette has {}", material,
                                   format_count(palette.count, "material")));
  };
  if (inside.interior) check(*inside.interior);
  for (const voxelize::Shell& shell : options.shells) check(shell.material);
  if (!options.shells.empty())
    voxelize::set_shells(inside, {options.shells, *options.interior}, palette.count);
  return inside;
}

// The grid of a mesh, for options of which only those of the grid have an effect.
voxelize::Grid grid_of(const vox_mesh& mesh, const VoxelizeOptions& options) {
  check_grid_options(options);
  check_triangles(mesh);
  if (options.build.coverage != scene::Coverage::Conservative || options.palette || options.interior ||
      options.materials != VoxelMaterials::Texture || options.flood)
    throw UsageError("an option has no effect: only those of the grid, and solid and close for distances");
  return voxelize::fit_grid(mesh.scene, options.grid);
}

dag::VoxelScene scene_of_mesh(vox_engine& engine, const vox_mesh& mesh, const VoxelizeOptions& options) {
  check_grid_options(options);
  check_triangles(mesh);
  const voxelize::Grid grid = voxelize::fit_grid(mesh.scene, options.grid);
  const PreparedMesh ready = prepared(mesh, grid, options);
  const voxelize::Inside inside = inside_of(options, ready.indexed.palette, engine);
  voxelize::BuildResult result =
      engine.engine->build(*ready.scene, ready.indexed, grid, voxelize::with_inside(options.build, inside));
  voxelize::make_inside(result, inside, grid.voxel_size);
  dag::VoxelScene scene = built_scene(std::move(result), ready.indexed, grid, options.build);
  scene.unit = mesh.scene.unit;
  if (scene.dag.voxels == 0) log_warning("no voxel is filled: nothing of the mesh lies inside the box");
  sign(scene, mesh.source, "vox_voxelize");
  return scene;
}

dag::VoxelScene scene_of_meshes(vox_engine& engine, const std::array<const vox_mesh*, 2>& meshes,
                                voxelize::Combination combination, const VoxelizeOptions& options) {
  check_grid_options(options);
  const bool has_materials = options.materials == VoxelMaterials::Texture;
  if (options.build.solid || (!has_materials && options.materials != VoxelMaterials::None))
    throw UsageError("combining takes surfaces, with VOX_MATERIALS_TEXTURE or VOX_MATERIALS_NONE");
  voxelize::GridOptions fitting = options.grid;
  for (const vox_mesh* mesh : meshes) {
    check_triangles(*mesh);
    if (options.grid.clip) continue;
    const voxelize::Box box = voxelize::bounding_box(mesh->scene);
    voxelize::Box all = fitting.clip.value_or(box);
    for (uint32_t axis = 0; axis < 3; ++axis) {
      all.min[axis] = std::min(all.min[axis], box.min[axis]);
      all.max[axis] = std::max(all.max[axis], box.max[axis]);
    }
    fitting.clip = all;
  }
  const voxelize::Grid grid = voxelize::fit_grid({}, fitting);
  std::array<PreparedMesh, 2> ready = {prepared(*meshes[0], grid, options),
                                       prepared(*meshes[1], grid, options)};
  std::array<dag::VoxelScene, 2> made;
  for (size_t i = 0; i < 2; ++i)
    made[i] = built_scene(engine.engine->build(*ready[i].scene, ready[i].indexed, grid, options.build),
                          ready[i].indexed, grid, options.build);
  const auto surface = [&](size_t i) {
    return voxelize::MeshSurface{*ready[i].scene, ready[i].indexed, made[i].dag};
  };
  voxelize::Combined combined =
      voxelize::combine_surfaces(engine.engine->handle(), surface(0), surface(1), grid, combination);
  std::vector<std::shared_ptr<const dag::VoxelScene>> parts = {
      std::make_shared<const dag::VoxelScene>(dag::part_of(std::move(made[0]), std::move(combined.first))),
      std::make_shared<const dag::VoxelScene>(dag::part_of(std::move(made[1]), std::move(combined.second)))};
  VoxelFileOptions reading = {.materials = has_materials, .palette = options.palette};
  reading.memory_limit = engine.options.memory_limit;
  dag::VoxelScene scene =
      scene_of_voxels(composed_voxels(std::move(parts), grid), reading, "the meshes").scene;
  scene.coverage = options.build.coverage;
  sign(scene, meshes[0]->source, "vox_combine");
  return scene;
}

}  // namespace vox

vox_status vox_voxelize(vox_engine* engine, const vox_mesh* mesh, const vox_voxelize_options* options,
                        vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    vox::needed(mesh, "mesh");
    vox::needed(options, "options");
    return vox::scene_of_mesh(on, *mesh, vox::checked_options(options));
  });
}

vox_status vox_combine(vox_engine* engine, const vox_mesh* first, const vox_mesh* second,
                       uint32_t combination, const vox_voxelize_options* options, vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    vox::needed(options, "options");
    return vox::scene_of_meshes(on, {&vox::needed(first, "first"), &vox::needed(second, "second")},
                                vox::known_choice<vox::voxelize::Combination>(combination, 3, "combination"),
                                vox::checked_options(options));
  });
}

vox_status vox_mesh_report(vox_engine* engine, const vox_mesh* mesh, const vox_voxelize_options* options,
                           char* text, uint64_t capacity, uint64_t* length) {
  return vox::call(engine, [&](vox_engine&) {
    const vox_mesh& given = vox::needed(mesh, "mesh");
    const vox::VoxelizeOptions checked = vox::checked_options(&vox::needed(options, "options"));
    if (checked.build.solid) throw vox::UsageError("options->solid has no effect on a report");
    const vox::voxelize::MeshFaults faults =
        vox::voxelize::find_faults(given.scene, vox::grid_of(given, checked));
    vox::give_text(vox::mesh_report_text(faults, given.scene.unit), text, capacity, length);
  });
}

vox_status vox_mesh_distances(vox_engine* engine, const vox_mesh* mesh, const vox_voxelize_options* options,
                              double band, float* distances, uint64_t bytes, vox_info* info) {
  return vox::call(engine, [&](vox_engine& on) {
    const vox_mesh& given = vox::needed(mesh, "mesh");
    const vox::VoxelizeOptions checked = vox::checked_options(&vox::needed(options, "options"));
    const vox::voxelize::Grid grid = vox::grid_of(given, checked);
    if (distances != nullptr || bytes != 0)
      vox::write_distances(given, grid, band, checked, on, distances, bytes);
    if (info != nullptr) vox::give_part(vox::info_of_grid(grid), info, "info");
  });
}

vox_status vox_voxelize_file(vox_engine* engine, const char* path, const vox_voxelize_options* options,
                             vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    return vox::scene_of_file(on, vox::needed_text(path, "path"), vox::checked_options(options));
  });
}

vox_status vox_scene_load(vox_engine* engine, const char* path, vox_scene** scene) {
  return vox_voxelize_file(engine, path, nullptr, scene);
}
