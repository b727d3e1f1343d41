#include "capi/handles.h"

#include <algorithm>
#include <cmath>

#include "formats/mesh/mesh.h"
#include "formats/script/scripts.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/surface.h"
#include "libvox/voxelize/distances.h"
#include "libvox/voxelize/mesh_faults.h"

namespace vox {

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

// Paints the strokes of the options. The mesh's base colors must be baked.
painting::Painting painted(vox_engine& engine, const scene::Scene& scene, const VoxelizeOptions& options) {
  painting::Painting painting;
  try {
    painting = painting::paint_scene(engine.engine->handle(), scene, options.strokes, options.painting);
  } catch (painting::StrokeError& error) {
    error.at(fmt::format("options->strokes:{}", error.line()));
    throw;
  }
  for (const uint32_t line : painting.missed)
    log_warning("options->strokes:{}: the stroke touches no texel", line);
  if (painting.far_triangles > 0)
    log_warning("{} are not painted: their texture coordinates are too large",
                format_count(painting.far_triangles, "triangle"));
  return painting;
}

scene::IndexedScene indexed_texture(ReadyMesh& mesh, const VoxelizeOptions& options) {
  const scene::Scene& scene = mesh.scene();
  scene::SurfacePaint paint;
  if (mesh.painting) paint = painting::surface_paint(mesh.painting->atlas);
  const scene::SceneSurface surface(scene, mesh.painting ? &paint : nullptr);
  const uint32_t most = scene::kPaletteSize - (options.shells.empty() ? 0 : 1);
  scene::IndexedScene indexed = scene::index_scene(
      scene,
      options.palette ? *options.palette : scene::auto_palette(scene::count_colors(surface), {.most = most}),
      surface);
  if (mesh.painting) {
    painting::index_atlas(mesh.painting->atlas, scene, indexed.palette);
    mesh.painting->atlas.paints = {};
  }
  return indexed;
}

scene::IndexedScene indexed_scene(ReadyMesh& mesh, const VoxelizeOptions& options) {
  switch (options.materials) {
    case VoxelMaterials::Texture:
      return indexed_texture(mesh, options);
    case VoxelMaterials::Mesh:
      return scene::index_scene(mesh.scene(), scene::mesh_palette(mesh.scene()), scene::MaterialMode::Mesh);
    case VoxelMaterials::Colors:
      return scene::index_scene(mesh.scene(), {}, scene::MaterialMode::Colors);
    case VoxelMaterials::Numbers:
      return with_numbers(*mesh.own);
    case VoxelMaterials::None:
      break;
  }
  return scene::index_scene(mesh.scene(), {}, scene::MaterialMode::None);
}

vox_info info_of_grid(const voxelize::Grid& grid) {
  vox_info info = {};
  info.resolution = grid.resolution;
  for (uint32_t axis = 0; axis < 3; ++axis) info.origin[axis] = grid.origin[axis];
  for (uint32_t axis = 0; axis < 3; ++axis) info.voxel_size[axis] = grid.voxel_size[axis];
  return info;
}

void write_distances(const vox_mesh& mesh, const voxelize::Grid& grid, double band,
                     const VoxelizeOptions& options, vox_engine& engine, float* distances, uint64_t bytes) {
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
  const ReadyMesh ready = prepared(engine, mesh, grid, without_colors);
  voxelize::DistanceOptions measuring = {
      .band = band, .triangles = mesh.scene.triangles.size(), .memory_limit = engine.options.memory_limit};
  if (options.build.solid) measuring.inside = options.build.inside;
  const voxelize::DistanceField field(ready.scene(), ready.indexed, grid, measuring);
  const volume::Volume volume = field.distance_volume();
  FilledArrays filling;
  float* const to = filling.on_host(distances, box.voxels());
  parallel_for(0, (box.max.z + field.kBrickSide - 1) / field.kBrickSide, [&](int32_t i) {
    const int32_t z = i * field.kBrickSide;
    VoxelBox slab = box, before = box;
    slab.min.z = before.max.z = z;
    slab.max.z = std::min(z + field.kBrickSide, box.max.z);
    volume.read(slab, reinterpret_cast<std::byte*>(to + before.voxels()));
  });
  filling.give();
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

VoxelizeOptions options_of_mesh(const vox_voxelize_options* options, const vox_mesh& mesh) {
  return options_for_memory(options, InputKind::Mesh, mesh.source);
}

// The grid of a mesh, for options of which only those of the grid have an effect.
voxelize::Grid grid_of(const vox_mesh& mesh, const VoxelizeOptions& options) {
  check_grid_options(options);
  check_triangles(mesh);
  if (options.build.coverage != scene::Coverage::Conservative || options.palette || options.interior ||
      options.materials != VoxelMaterials::Texture || options.flood || !options.strokes.empty())
    throw UsageError("an option has no effect: only those of the grid, and solid and close for distances");
  return voxelize::fit_grid(mesh.scene, options.grid);
}

}  // namespace

void check_triangles(const vox_mesh& mesh) {
  if (mesh.scene.triangles.empty()) throw Error("no triangles to voxelize").at(mesh.source);
}

ReadyMesh prepared(vox_engine& engine, const vox_mesh& mesh, const voxelize::Grid& grid,
                   const VoxelizeOptions& options) {
  ReadyMesh prepared = {.given = &mesh.scene};
  const bool closes = options.closes_holes();
  if (!mesh.scene.colors.empty() || closes || options.materials == VoxelMaterials::Numbers)
    scene::bake_base_colors(prepared.own.emplace(mesh.scene));
  if (!options.strokes.empty()) prepared.painting = painted(engine, prepared.scene(), options);
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

dag::VoxelScene voxelized(vox_engine& engine, const ReadyMesh& mesh, const voxelize::Grid& grid,
                          const VoxelizeOptions& options) {
  const voxelize::Inside inside = inside_of(options, mesh.indexed.palette, engine);
  voxelize::BuildOptions settings = voxelize::with_inside(options.build, inside);
  if (mesh.painting) settings.atlas = &mesh.painting->atlas;
  voxelize::BuildResult result = engine.engine->build(mesh.scene(), mesh.indexed, grid, settings);
  voxelize::make_inside(result, inside, grid.voxel_size);
  voxelize::tell_of_solid(result.solid, options.build.inside);
  return built_scene(std::move(result), mesh.indexed, grid, options.build);
}

dag::VoxelScene scene_of_mesh(vox_engine& engine, const vox_mesh& mesh, const VoxelizeOptions& options) {
  check_grid_options(options);
  check_triangles(mesh);
  const voxelize::Grid grid = voxelize::fit_grid(mesh.scene, options.grid);
  dag::VoxelScene scene = voxelized(engine, prepared(engine, mesh, grid, options), grid, options);
  scene.unit = mesh.scene.unit;
  if (scene.dag.voxels == 0) log_warning("no voxel is filled: nothing of the mesh lies inside the box");
  sign(scene, mesh.source, "vox_voxelize");
  return scene;
}

}  // namespace vox

vox_status vox_voxelize(vox_engine* engine, const vox_mesh* mesh, const vox_voxelize_options* options,
                        vox_scene** scene) {
  return vox::call_for_scene(engine, scene, [&](vox_engine& on) {
    const vox_mesh& given = vox::needed(mesh, "mesh");
    return vox::scene_of_mesh(on, given, vox::options_of_mesh(options, given));
  });
}

vox_status vox_mesh_report(vox_engine* engine, const vox_mesh* mesh, const vox_voxelize_options* options,
                           char* text, uint64_t capacity, uint64_t* length) {
  return vox::call(engine, [&](vox_engine&) {
    const vox_mesh& given = vox::needed(mesh, "mesh");
    const vox::VoxelizeOptions checked = vox::options_of_mesh(options, given);
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
    const vox::VoxelizeOptions checked = vox::options_of_mesh(options, given);
    const vox::voxelize::Grid grid = vox::grid_of(given, checked);
    if (distances != nullptr || bytes != 0)
      vox::write_distances(given, grid, band, checked, on, distances, bytes);
    if (info != nullptr) vox::give_part(vox::info_of_grid(grid), info, "info");
  });
}

namespace vox {

// Checks the options of the C interface for voxelizing.

scene::Palette palette_of(const uint8_t* colors, uint32_t count, const char* name) {
  if (count == 0 || count > scene::kPaletteSize)
    throw UsageError(
        fmt::format("{}->palette_count is {}, expected 1 to {}", name, count, scene::kPaletteSize));
  scene::Palette palette = {.count = count};
  for (uint32_t i = 0; i < palette.count; ++i) {
    const uint8_t* rgb = colors + 3 * size_t{i};
    palette.colors[i] = {rgb[0], rgb[1], rgb[2]};
    palette.names[i] = scene::hex_name(palette.colors[i]);
  }
  return palette;
}

namespace {

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
    checked.palette = palette_of(options.palette, options.palette_count, "options");
    if (checked.materials != VoxelMaterials::Texture)
      throw UsageError("options->palette has an effect with VOX_MATERIALS_TEXTURE alone");
  }
  if (known_choice<uint32_t>(options.up, 4, "options->up") != VOX_UP_FILE)
    checked.up = static_cast<dag::UpAxis>(options.up - VOX_UP_X);
  if (!std::isfinite(options.point_radius) || options.point_radius < 0)
    throw UsageError(fmt::format("options->point_radius is {}", options.point_radius));
  checked.point_radius = options.point_radius;
  checked.painting.size = options.paint_size == 0 ? checked.painting.size : options.paint_size;
  if (options.strokes == nullptr && options.paint_size > 0)
    throw UsageError("options->paint_size has an effect with options->strokes alone");
  if (options.strokes != nullptr) {
    checked.strokes = parse_stroke_script(options.strokes, "options->strokes");
    if (checked.materials != VoxelMaterials::Texture)
      throw UsageError("options->strokes has an effect with VOX_MATERIALS_TEXTURE alone");
  }
  return checked;
}

void check_grid_options(const VoxelizeOptions& options) {
  if (!options.has_grid()) throw UsageError("one of options->resolution and options->voxel_size is needed");
}

}  // namespace vox
