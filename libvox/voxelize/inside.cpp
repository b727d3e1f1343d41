#include "libvox/voxelize/inside.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/voxels_by_material.h"
#include "libvox/ranks/ranks.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/flood.h"

namespace vox::voxelize {
namespace {

void fill_by_flood(BuildResult& result, const Inside& inside) {
  uint8_t material = inside.interior.value_or(0);
  if (!inside.interior && result.dag.materials && !result.dag.empty())
    material = dag::majority_materials(result.dag, 0, UINT64_MAX, ranks::alone())[0];
  FloodedScene flood = flooded(std::move(result.dag), material, inside.memory_limit);
  result.dag = std::move(flood.dag);
  if (flood.filled == 0)
    log_warning(
        "all empty voxels are reached from outside, and nothing is filled; winding numbers close holes");
  else
    log_info("{} that no path from outside leads to are filled", format_count(flood.filled, "voxel"));
}

}  // namespace

void set_shells(Inside& inside, Shells shells, uint32_t colors) {
  if (colors >= scene::kPaletteSize)
    throw Error("shells need a number that no voxel has until it is known how deep it lies")
        .hint("give a palette of at most 15 colors");
  inside.interior = static_cast<uint8_t>(colors);
  inside.shells = std::move(shells);
}

uint64_t shell_depth(double voxels) {
  const double depth = std::floor(voxels * kDepthUnits + 0.5);
  if (!(depth >= 0 && depth <= static_cast<double>(kMostDepth)))
    throw UsageError(
        fmt::format("a shell's depth is {:g} voxels, expected 0 to {}", voxels, kMostDepth / kDepthUnits));
  return static_cast<uint64_t>(depth);
}

BuildOptions with_inside(BuildOptions options, const Inside& inside) {
  options.interior = inside.interior;
  if (inside.flood) options.solid = false;
  return options;
}

void make_inside(BuildResult& result, const Inside& inside, const VoxelSize& voxel_size) {
  const Stopwatch watch;
  if (inside.flood) fill_by_flood(result, inside);
  if (inside.shells && !result.dag.empty())
    result.dag = with_shells(result.dag, *inside.interior, voxel_size, *inside.shells, inside.memory_limit);
  result.build_seconds += watch.seconds();
}

void tell_of_solid(const SolidCounts& counts, InsideRule rule) {
  if (counts.duplicates > 0)
    log_warning("{} lie exactly on others: what is inside is decided without them",
                format_count(counts.duplicates, "triangle"));
  if (counts.open_rays > 0)
    log_warning("{} rays along x leave the grid inside: the mesh has holes, and what they hit is not solid",
                format_count(counts.open_rays));
  if (counts.disputed_voxels == 0) return;
  if (rule == InsideRule::Winding)
    log_info("{} lie in several surfaces at once, and are filled; the rule of parity leaves them empty",
             format_count(counts.disputed_voxels, "voxel"));
  else
    log_warning("{} lie in several surfaces at once, and are left empty; winding numbers fill them",
                format_count(counts.disputed_voxels, "voxel"));
}

}  // namespace vox::voxelize
