// Fills the inside of closed surfaces (--solid). The crossings of a ray along x, from far left to a voxel's center,
// decide if the voxel is inside (InsideRule). They are counted exactly, on snapped coordinates.
//
// Rays are followed from cell to cell, from left to right. Each surface cell of a row (same y and z) changes the
// winding numbers of some of the row's 16 rays. Between two surface cells a ray stays inside or outside. Rows are
// followed
// chunk by chunk, so one state for each row links the chunks (descend.h, row_tiles.h). Octree nodes
// without surface are filled as a whole with nodes made in advance. So all work is proportional to the
// surface.
//
// A voxel that is filled inside takes the material of the last surface voxel that its ray has passed. A node that is
// filled as a whole takes the material of the ray through its lowest corner. If BuildOptions::interior is set, rays
// have that material from start to end.
#pragma once

#include "libvox/voxelize/build_cells.h"
#include "libvox/voxelize/leaves.h"
#include "libvox/voxelize/prepare.h"

namespace vox::voxelize {

// The rays that a triangle crosses within a cell.
struct Crossings {
  uint64_t flips = 0;  // in row order, these rays' voxels whose centers lie behind the crossing
  uint32_t rays = 0;   // rays with a crossing in the cell
  int64_t sign = 0;    // the sign of the normal along x
};

VOX_HD inline Crossings crossings_in(const TriangleShape& triangle, Int3 corner) {
  Crossings result;
  const Vec3<int64_t> normal = normal_of(triangle);
  if (normal.x == 0) return result;
  const int64_t sign = normal.x < 0 ? -1 : 1;
  result.sign = sign;
  const __int128 voxel = __int128(absolute(normal.x)) * kUnitsPerVoxel;
  for (int32_t ray = 0; ray < 16; ++ray) {
    const int32_t y = corner.y + (ray & 3) * kUnitsPerVoxel + kUnitsPerVoxel / 2;
    const int32_t z = corner.z + (ray >> 2) * kUnitsPerVoxel + kUnitsPerVoxel / 2;
    if (!ray_meets(triangle, sign, y, z)) continue;
    const __int128 at_face = behind_plane<__int128>(triangle, normal, sign, corner.x, y, z);
    if (at_face > 0 || at_face + 4 * voxel <= 0) continue;  // the crossing is in another cell
    result.rays |= 1u << ray;
    for (int i = 0; i < 4; ++i)
      if (at_face + voxel * i + voxel / 2 > 0) result.flips |= uint64_t{1} << (i + 4 * ray);
  }
  return result;
}

struct CellRows {
  device::CellsRef cells;
  const uint32_t* pair_keys;
  CellFrame frame;
  uint64_t* keys;
  uint32_t* order;
  VOX_HD void operator()(uint64_t c) const {
    keys[c] = row_key(morton_decode(frame.morton(pair_keys[cells.begin(c)])));
    order[c] = static_cast<uint32_t>(c);
  }
};

struct CellCrossings {
  TrianglesRef triangles;
  device::CellsRef cells;
  LeafPairsRef pairs;
  CellFrame frame;
  SkippedTriangles skipped;
  Windings* flips;    // of voxels, added to their rays' numbers at the cell's left face
  RayWindings* rays;  // the numbers that the cell adds to its rays
  VOX_HD void operator()(uint64_t c) const {
    Windings voxel_sum, ray_sum;
    const Int3 corner = frame.corner(pairs.keys[cells.begin(c)]);
    for (uint64_t p = cells.begin(c); p < cells.end(c); ++p) {
      const uint32_t triangle = pairs.triangle(p);
      if (skipped.has(triangle)) continue;
      const Crossings crossings = crossings_in(triangles.shapes[triangle], corner);
      if (crossings.rays == 0) continue;
      voxel_sum = voxel_sum + crossing(crossings.flips, crossings.sign);
      ray_sum = ray_sum + crossing(crossings.rays, crossings.sign);
    }
    flips[c] = voxel_sum;
    rays[c] = packed(ray_sum);
  }
};

// The surface voxels of the cells: the masks, and the leaves with their materials.
struct SurfaceRef {
  const uint64_t* masks;    // by cell
  const uint32_t* leaf_of;  // by cell; valid only if the mask is not 0
  const uint32_t* offsets;
  const uint32_t* words;
  bool materials;
  bool colors_rays;  // true if rays take the materials of the surface voxels that they pass

  VOX_HD uint32_t material(uint64_t cell, uint32_t bit) const {
    return materials ? dag::leaf_material(words + offsets[leaf_of[cell]], bit) : 0;
  }
};

struct ScatterLeaves {
  const uint32_t* filled;
  uint32_t* leaf_of;
  VOX_HD void operator()(uint64_t i) const { leaf_of[filled[i]] = static_cast<uint32_t>(i); }
};

// Follows the rays of one row through the chunk's cells.
struct WalkRows {
  device::CellsRef runs;  // the cells of each row
  const uint64_t* keys;
  const uint32_t* order;
  const RayWindings* rays;
  SurfaceRef surface;
  const RowState* rows;
  RowPlaces places;
  RowState* before;
  RowState* after;
  VOX_HD void operator()(uint64_t i) const {
    RowState state = rows[places.of_key(keys[runs.begin(i)])];
    for (uint64_t t = runs.begin(i); t < runs.end(i); ++t) {
      const uint32_t cell = order[t];
      before[t] = state;
      state.windings = packed(unpacked(state.windings) + unpacked(rays[cell]));
      pass_surface(cell, state);
      after[t] = state;
    }
  }

 private:
  VOX_HD void pass_surface(uint32_t cell, RowState& state) const {
    if (!surface.materials || !surface.colors_rays) return;
    const uint64_t rows_mask = lattice::morton_to_rows(surface.masks[cell]);
    for (uint32_t ray = 0; ray < 16; ++ray) {
      const uint32_t row = static_cast<uint32_t>(rows_mask >> 4 * ray) & 15;
      if (row == 0) continue;
      const uint32_t last = row >= 8 ? 3 : row >= 4 ? 2 : row >= 2 ? 1 : 0;
      const uint32_t bit = cube_bit(last, ray & 3, ray >> 2);
      state.materials &= ~(uint64_t{15} << 4 * ray);
      state.materials |= static_cast<uint64_t>(surface.material(cell, bit)) << 4 * ray;
    }
  }
};

// Sets the state of each row to the state after its last cell.
struct CommitRows {
  const uint64_t* keys;
  const RowState* after;
  uint64_t count;
  RowState* rows;
  RowPlaces places;
  VOX_HD void operator()(uint64_t t) const {
    const uint64_t row = keys[t] >> kCellBits;
    if (t + 1 < count && keys[t + 1] >> kCellBits == row) return;
    rows[places.of_key(keys[t])] = after[t];
  }
};

// Writes the cells' masks, which hold both the surface and the inside. Works in the order of the cells' row keys.
struct FillCells {
  CellFrame frame;
  device::CellsRef cells;
  const uint32_t* pair_keys;
  const uint32_t* order;
  const Windings* flips;
  const RowState* before;
  const uint64_t* surface_masks;
  int32_t grid_end;
  InsideRule rule;
  uint64_t* masks;          // by cell
  uint64_t* ray_materials;  // by cell, the rays' materials at its left face
  VOX_HD void operator()(uint64_t t) const {
    const uint32_t cell = order[t];
    const uint64_t inside = (along_rays(before[t].windings) + flips[cell]).inside(rule);
    const Int3 corner = frame.corner(pair_keys[cells.begin(cell)]);
    masks[cell] = surface_masks[cell] | (lattice::rows_to_morton(inside) &
                                         lattice::boxes_below(corner, kLog2UnitsPerVoxel, grid_end));
    ray_materials[cell] = before[t].materials;
  }
};

// Returns a bit for each ray of a row, set if the ray lies inside a grid of this resolution.
VOX_HD inline uint32_t rays_below(uint32_t resolution, uint32_t y, uint32_t z) {
  const int32_t last_y = static_cast<int32_t>(resolution) - 1 - static_cast<int32_t>(4 * y),
                last_z = static_cast<int32_t>(resolution) - 1 - static_cast<int32_t>(4 * z);
  return lattice::range4(0, last_y) * 0x1111u &
         static_cast<uint32_t>(lattice::bits_to_nibbles(lattice::range4(0, last_z)) & 0xffff);
}

// Counts, modulo 2^64, the empty voxels in which winding and parity disagree: those in a cell, plus the change that the
// cell causes for all voxels behind it up to the grid's end.
struct CountDisputed {
  const uint64_t* keys;
  const uint32_t* order;
  const Windings* flips;
  const RowState* before;
  const RowState* after;
  const uint64_t* surface_masks;
  uint32_t resolution;
  VOX_HD uint64_t operator()(uint64_t t) const {
    const RayWindings entered = before[t].windings, left = after[t].windings;
    const Windings& cell = flips[order[t]];
    // Most rays are outside or have entered one surface: the upper bits are 0.
    if (((entered | left) >> 16 | cell.bits[1] | cell.bits[2] | cell.bits[3]) == 0) return 0;
    const uint64_t voxels = (along_rays(entered) + cell).even_but_not_0();
    const uint32_t rays_before = disputed_rays(entered), rays_after = disputed_rays(left);
    if (voxels == 0 && (rays_before | rays_after) == 0) return 0;
    constexpr uint64_t kMask = (uint64_t{1} << kCellBits) - 1;
    const auto x = static_cast<uint32_t>(keys[t] & kMask),
               y = static_cast<uint32_t>(keys[t] >> kCellBits & kMask),
               z = static_cast<uint32_t>(keys[t] >> 2 * kCellBits);
    const uint32_t rays = rays_below(resolution, y, z), begin = 4 * x, end = 4 * x + 4;
    const uint32_t inside_grid = lattice::range4(0, static_cast<int32_t>(resolution - begin) - 1);
    const uint64_t empty = ~lattice::morton_to_rows(surface_masks[order[t]]) &
                           lattice::bits_to_nibbles(rays) & inside_grid * 0x1111111111111111ull;
    const uint64_t rest_before = resolution - begin, rest_after = end < resolution ? resolution - end : 0;
    return static_cast<uint64_t>(popcount(voxels & empty)) +
           static_cast<uint64_t>(popcount(rays_after & rays)) * rest_after -
           static_cast<uint64_t>(popcount(rays_before & rays)) * rest_before;
  }
};

struct WriteSolidLeaves {
  device::CellsRef cells;
  const uint32_t* pair_keys;
  const uint32_t* filled;
  SurfaceRef surface;
  const uint64_t* masks;
  const uint64_t* ray_materials;
  const uint32_t* offsets;
  uint32_t* keys;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t cell = filled[i];
    uint32_t* leaf = words + offsets[i];
    const uint64_t mask = masks[cell];
    keys[i] = pair_keys[cells.begin(cell)];
    dag::write_leaf_mask(leaf, mask);
    if (!surface.materials) return;
    dag::LeafMaterialsWriter writer(leaf);
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
      writer.put(material_of(cell, static_cast<uint32_t>(lowest_bit(rest))));
    writer.finish();
  }

 private:
  // Returns the voxel's own material if it is on the surface, otherwise that of its ray.
  VOX_HD uint32_t material_of(uint32_t cell, uint32_t bit) const {
    Int3 place = cube_place(bit);
    for (; place.x >= 0; --place.x) {
      const uint32_t at = cube_bit(place);
      if ((surface.masks[cell] >> at & 1) != 0) return surface.material(cell, at);
      if (!surface.colors_rays) break;
    }
    return static_cast<uint32_t>(ray_materials[cell] >> 4 * (place.y + 4 * place.z)) & 15;
  }
};

// Records the states of the rays along the lowest row of each chunk cell, where they enter the cell and where
// they leave it at its right face.
struct PassChunkCells {
  InsideRef inside;
  const uint64_t* chunk_cells;
  uint32_t log2_cells;  // a chunk cell has 2^log2_cells cells a side
  CellState* states;
  VOX_HD void operator()(uint64_t i) const {
    Int3 cell = morton_decode(chunk_cells[i]) * (1 << log2_cells);
    states[i].code = chunk_cells[i];
    states[i].entered = inside.at(cell);
    cell.x += 1 << log2_cells;
    states[i].left = inside.at(cell);
  }
};

}  // namespace vox::voxelize
