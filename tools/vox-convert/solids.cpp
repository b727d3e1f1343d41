#include <fmt/format.h>

#include <algorithm>

#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/scene/oklab.h"
#include "tools/vox-convert/scenes.h"

namespace vox {

namespace {

// Returns the membranes alone: those in holes are red, and those on sheets are blue.
scene::Scene membranes_of(const scene::Scene& scene, const voxelize::ClosedHoles& closed) {
  scene::Scene last;
  last.materials.resize(2);
  last.materials[0].name = "holes", last.materials[0].base_color = {1, 0, 0, 1};
  last.materials[1].name = "sheets", last.materials[1].base_color = {0, 0, 1, 1};
  last.unit = scene.unit;
  const size_t sheets = scene.triangles.size() - closed.covers;
  for (size_t i = scene.triangles.size() - closed.membranes; i < scene.triangles.size(); ++i) {
    const auto first = static_cast<uint32_t>(last.positions.size());
    for (const uint32_t corner : scene.triangles[i].position)
      last.positions.push_back(scene.positions[corner]);
    last.triangles.push_back(
        {{first, first + 1, first + 2}, {scene::kNone, scene::kNone, scene::kNone}, i < sheets ? 0u : 1u});
  }
  return last;
}

void write_holes(const scene::Scene& scene, const voxelize::ClosedHoles& closed,
                 const ConvertOptions& options) {
  if (options.ranks != nullptr && options.ranks->rank() > 0) return;
  if (closed.membranes == 0)
    log_info("the mesh has no holes: {} is not written", options.holes_out->string());
  else
    write_glb(membranes_of(scene, closed), *options.holes_out);
}

}  // namespace

voxelize::ClosedHoles holes_closed(scene::Scene& scene, scene::IndexedScene& indexed,
                                   const voxelize::Grid& grid, const ConvertOptions& options) {
  if (!options.build.solid || options.build.inside != voxelize::InsideRule::Winding) return {};
  const voxelize::ClosedHoles closed = voxelize::close_holes(scene, indexed, grid, options.close);
  if (closed.turned > 0)
    log_info("{} that face the other way than their neighbours are turned",
             format_count(closed.turned, "triangle"));
  if (closed.joined > 0)
    log_info("{} vertices at gaps of at most {} voxels are joined to others, to tell what is inside",
             format_count(closed.joined), options.close);
  if (closed.holes > 0)
    log_warning(
        "the mesh has {} in {}, the largest {:.3g} {} across: to tell what is inside, they count as closed",
        format_count(closed.open_edges, "open edge"), format_count(closed.holes, "hole"), closed.largest,
        scene::unit_name(scene.unit));
  if (closed.sheets > 0)
    log_info("{} of the mesh {} open by more than 0.7 of {} surface, and {} filled with nothing{}",
             format_count(closed.sheets, "part"), closed.sheets == 1 ? "is" : "are",
             closed.sheets == 1 ? "its" : "their", closed.sheets == 1 ? "is" : "are",
             options.close > 0 ? "" : "; --close N joins parts that are at most N voxels apart");
  if (options.holes_out) write_holes(scene, closed, options);
  return closed;
}

voxelize::BuildOptions with_interior(const ConvertOptions& options, scene::Palette& palette) {
  voxelize::BuildOptions build = options.build;
  if (build.interior && *build.interior >= palette.count)
    throw UsageError(fmt::format("--interior is {}, but the palette has the materials 0 to {}",
                                 *build.interior, palette.count - 1));
  if (!options.interior_color) return build;
  const scene::Rgb8 color = *options.interior_color;
  const auto end = palette.colors.begin() + palette.count,
             known = std::find(palette.colors.begin(), end, color);
  if (known == end && palette.count == scene::kPaletteSize) {
    build.interior = scene::NearestEntry(palette)(color);
    log_warning("the palette has {} colours already: voxels inside take the nearest one, {}", palette.count,
                scene::hex_name(palette.colors[*build.interior]));
    return build;
  }
  build.interior = static_cast<uint8_t>(known - palette.colors.begin());
  if (known == end) {
    palette.names[palette.count] = "interior";
    palette.colors[palette.count++] = color;
  }
  return build;
}

void warn_of_solid(const voxelize::SolidCounts& counts, const ConvertOptions& options) {
  if (counts.duplicates > 0)
    log_warning("{} lie exactly on others: what is inside is decided without them",
                format_count(counts.duplicates, "triangle"));
  if (counts.open_rays > 0)
    log_warning("{} rays along x leave the grid inside: the mesh has holes, and what they hit is not solid",
                format_count(counts.open_rays));
  if (counts.disputed_voxels == 0) return;
  if (options.build.inside == voxelize::InsideRule::Winding)
    log_info("{} lie in several surfaces at once, and are filled; --inside parity leaves them empty",
             format_count(counts.disputed_voxels, "voxel"));
  else
    log_warning("{} lie in several surfaces at once, and are left empty; --inside winding fills them",
                format_count(counts.disputed_voxels, "voxel"));
}

}  // namespace vox
