// Builds a DAG from triangles on a grid.
#pragma once

#include <cstdint>
#include <optional>

#include "libvox/attributes/packed_values.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/hash/table_options.h"
#include "libvox/painting/frozen_atlas.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

// The rule by which the crossings of a ray from the outside decide what is inside.
enum class InsideRule : uint8_t {
  Winding,  // inside if the ray has not entered surfaces as often as it has left them; surfaces may overlap
  Parity,   // inside if the number of crossings is odd
};

struct BuildOptions {
  scene::Coverage coverage = scene::Coverage::Conservative;
  bool materials = true;
  bool colors = false;  // store voxels' colors apart from the DAG, which then has no materials
  bool solid = false;
  InsideRule inside = InsideRule::Winding;  // with `solid`; close_holes() must have been called for Winding
  // With `solid`, the palette entry of inside voxels. If it is absent, they take the entry of the last surface voxel
  // before them along x.
  std::optional<uint8_t> interior = {};
  // The paint on the surface, with its palette entries. It must outlive the build. nullptr means that
  // nothing is painted.
  const painting::FrozenAtlas* atlas = nullptr;
  // The maximum number of (leaf cell, triangle) pairs in a chunk; 0: the memory limit decides. Tests set it.
  uint64_t chunk_pairs = 0;
  // With `solid`, the side in voxels of a tile of rows (row_tiles.h); 0: as large as a small part of the memory
  // allows. Tests set it.
  uint32_t tile_side = 0;
};

// Counts of the faults that make the inside of a mesh unclear. --solid finds them.
struct SolidCounts {
  uint64_t open_rays = 0;  // rays along x that are inside where they leave the grid: the mesh has holes
  uint64_t disputed_voxels =
      0;  // inside by winding but outside by parity, and not on the surface: surfaces overlap
  uint64_t duplicates = 0;  // triangles that lie exactly on others; rays ignore them

  SolidCounts& operator+=(const SolidCounts& more) {
    open_rays += more.open_rays;
    disputed_voxels += more.disputed_voxels;
    duplicates += more.duplicates;
    return *this;
  }
};

struct BuildResult {
  dag::FrozenDag dag;
  std::optional<attributes::PackedValues> colors = {};  // with BuildOptions::colors
  double voxelize_seconds = 0;                          // time from triangles to leaves
  double build_seconds = 0;                             // time from leaves to the canonical DAG
  double freeze_seconds = 0;  // the part of build_seconds from the store's nodes to the canonical DAG
  uint64_t chunks = 0;
  uint64_t atlas_queries = 0;  // voxels for whose material the atlas was searched
  SolidCounts solid = {};
  uint64_t peak_device_bytes = 0;
};

// Adds the counts of a part of a scene to those of the whole scene.
inline void add_counts(BuildResult& whole, const BuildResult& part) {
  whole.dag.voxels += part.dag.voxels;
  for (size_t level = 0; level < whole.dag.levels.size(); ++level)
    whole.dag.levels[level].svo_nodes += part.dag.levels[level].svo_nodes;
  whole.chunks += part.chunks;
  whole.atlas_queries += part.atlas_queries;
  whole.solid += part.solid;
}

// Voxelizes the triangles, as far as they lie inside the grid. drop_bad_triangles() must have removed the bad ones.
template <class Device>
BuildResult build_scene(Device& device, const scene::Scene& scene, const scene::IndexedScene& indexed,
                        const Grid& grid, const BuildOptions& options, const hash::TableOptions& tables);

// Makes only the colors, for a scene whose DAG is built in shares. `options.solid` must not be set.
template <class Device>
attributes::PackedValues build_colors(Device& device, const scene::Scene& scene,
                                      const scene::IndexedScene& indexed, const Grid& grid,
                                      const BuildOptions& options, const hash::TableOptions& tables);

}  // namespace vox::voxelize
