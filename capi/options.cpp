// Checks the options of the C interface for voxelizing.
#include <algorithm>
#include <cmath>

#include "capi/voxelize.h"
#include "formats/script/scripts.h"

namespace vox {

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
