// Keeps the state of --solid across all chunks of a scene, and makes the nodes that fill empty
// space.
#pragma once

#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/levels.h"
#include "libvox/device/pool.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/fills.h"
#include "libvox/voxelize/row_tiles.h"
#include "libvox/voxelize/solid.h"

namespace vox::voxelize {

template <class Device>
class SolidBuilder {
 public:
  // A chunk cell has `cell_side` voxels a side, and a tile of rows has options.tile_side.
  SolidBuilder(Device& device, dag::DagStore<Device>& store, const dag::FrozenDag& dag, uint32_t cell_side,
               const BuildOptions& options)
      : device_(device),
        store_(store),
        grid_end_(static_cast<int32_t>(dag.resolution) * kUnitsPerVoxel),
        end_{dag.resolution},
        materials_(dag.materials),
        depth_(dag.depth()),
        rule_(options.inside),
        has_interior_(options.interior.has_value()),
        tiles_(device, dag.resolution, cell_side, options) {
    make_fills();
  }

  // Finds duplicates, and counts the crossings of triangles left of the grid.
  void start(const TrianglesRef& triangles, uint64_t count) {
    const std::vector<uint32_t> duplicates = find_duplicates(device_, triangles.shapes, count);
    skip(duplicates, count);
    tiles_.start(triangles.shapes, count, {skipped_.data()});
    at_start_ = tiles_.at_start();
    at_start_.duplicates = duplicates.size();
  }

  // Returns the states of the rows between chunks. A chunk lies in the current tile.
  RowTiles<Device>& tiles() { return tiles_; }

  // Returns the counts of the whole scene that are known before the first chunk.
  const SolidCounts& at_start() const { return at_start_; }
  // Returns the counts that committed chunks add to at_start(), modulo 2^64.
  SolidCounts added() { return {.open_rays = tiles_.opened(), .disputed_voxels = disputed_}; }

  // Makes leaves that include the inside from the leaves of the surface. `filled` lists the cells that hold
  // surface voxels.
  Leaves fill_leaves(const TrianglesRef& triangles, const CellFrame& frame, const device::CellsRef& cells,
                     const LeafPairsRef& pairs, const uint64_t* surface_masks, const uint32_t* filled,
                     Leaves surface_leaves);

  // Stores the states of the rays where they leave this chunk. Until this call, the chunk can be tried again.
  void commit_chunk() {
    device_.for_each("keep rows", count_,
                     CommitRows{.keys = keys_.data(),
                                .after = after_.data(),
                                .count = count_,
                                .rows = tiles_.rows(),
                                .places = tiles_.places()});
    disputed_ += disputed_in_chunk_;
  }

  // Returns the states of the rays along the rows of this chunk's cells. They are valid until the next chunk.
  InsideRef inside() const {
    return {.keys = keys_.data(),
            .before = before_.data(),
            .after = after_.data(),
            .count = count_,
            .rows = tiles_.rows(),
            .places = tiles_.places(),
            .rule = rule_};
  }

  // Returns the pointers of the fills at this height above the leaves, by slot.
  std::vector<uint32_t> fills(uint32_t height) {
    std::vector<uint32_t> pointers(kFillsPerLevel);
    device_.download(pointers.data(), fills_.data() + uint64_t{height} * kFillsPerLevel, kFillsPerLevel);
    return pointers;
  }

  // Adds the absent siblings that are inside to the children, and adds their voxels and nodes to the counts
  // of `dag`.
  template <class Key>
  void add_fills(dag::StoredLevel<Key>& children, const CellFrame& frame, uint32_t key_bits,
                 const InsideRef& inside, dag::FrozenDag& dag);

 private:
  void skip(const std::vector<uint32_t>& triangles, uint64_t count);
  void make_fills();
  void make_fill_level(uint32_t height, const std::vector<uint32_t>& below);
  std::vector<uint32_t> leaf_fill(uint32_t material, uint32_t cuts) const;
  std::vector<uint32_t> node_fill(uint32_t height, uint32_t material, uint32_t cuts,
                                  const std::vector<uint32_t>& below) const;

  Device& device_;
  dag::DagStore<Device>& store_;
  int32_t grid_end_;  // in units
  GridEnd end_;
  bool materials_;
  uint32_t depth_;
  InsideRule rule_;
  bool has_interior_;
  RowTiles<Device> tiles_;
  device::Buffer<uint32_t> fills_;  // pointers: kFillsPerLevel for each height above the leaves
  device::Buffer<uint64_t> keys_;
  device::Buffer<RowState> before_, after_;
  uint64_t count_ = 0;
  device::Buffer<uint32_t> skipped_;  // a bit for each triangle; empty if none is skipped
  SolidCounts at_start_;
  uint64_t disputed_ = 0, disputed_in_chunk_ = 0;
};

// Makes the count of crossings ignore these triangles.
template <class Device>
void SolidBuilder<Device>::skip(const std::vector<uint32_t>& triangles, uint64_t count) {
  if (triangles.empty()) return;
  std::vector<uint32_t> bits((count + 31) / 32);
  for (const uint32_t triangle : triangles) bits[triangle / 32] |= 1u << triangle % 32;
  skipped_ = device::uploaded(device_, bits);
}

// Makes all fills: leaves and nodes that are full of one material, whole and cut.
template <class Device>
void SolidBuilder<Device>::make_fills() {
  fills_ = device_.template make<uint32_t>(uint64_t{depth_ + 1} * kFillsPerLevel);
  std::vector<uint32_t> below;
  for (uint32_t height = 0; height <= depth_; ++height) {
    make_fill_level(height, below);
    below = fills(height);
  }
}

template <class Device>
void SolidBuilder<Device>::make_fill_level(uint32_t height, const std::vector<uint32_t>& below) {
  std::vector<uint32_t> words, offsets = {0}, slots;
  for (uint32_t slot = 0; slot < kFillsPerLevel; ++slot) {
    const uint32_t material = slot / kCuts, cuts = slot % kCuts;
    if ((!materials_ && material > 0) || !end_.cuts_cubes(dag::kLeafSide << height, cuts)) continue;
    const std::vector<uint32_t> item =
        height == 0 ? leaf_fill(material, cuts) : node_fill(height, material, cuts, below);
    words.insert(words.end(), item.begin(), item.end());
    offsets.push_back(static_cast<uint32_t>(words.size()));
    slots.push_back(slot);
  }
  auto device_words = device_.template make<uint32_t>(words.size());
  auto device_offsets = device_.template make<uint32_t>(offsets.size());
  auto pointers = device_.template make<uint32_t>(slots.size());
  device_.upload(device_words.data(), words.data(), words.size());
  device_.upload(device_offsets.data(), offsets.data(), offsets.size());
  store_.intern(device_words.data(), device_offsets.data(), slots.size(), pointers.data());
  std::vector<uint32_t> made(slots.size()), table(kFillsPerLevel, hash::kNullPointer);
  device_.download(made.data(), pointers.data(), made.size());
  for (size_t i = 0; i < slots.size(); ++i) table[slots[i]] = made[i];
  device_.upload(fills_.data() + uint64_t{height} * kFillsPerLevel, table.data(), kFillsPerLevel);
}

template <class Device>
std::vector<uint32_t> SolidBuilder<Device>::leaf_fill(uint32_t material, uint32_t cuts) const {
  uint64_t mask = UINT64_MAX;
  for (uint32_t axis = 0; axis < 3; ++axis)
    for (uint32_t at = end_.extent(dag::kLeafSide, cuts, axis); at < dag::kLeafSide; ++at)
      mask &= ~plane_voxels(axis, at);
  std::vector<uint32_t> words(dag::leaf_words(mask, materials_));
  dag::write_leaf_of_one_material(words.data(), mask, materials_, material);
  return words;
}

// `below` holds the pointers of the fills of half the width.
template <class Device>
std::vector<uint32_t> SolidBuilder<Device>::node_fill(uint32_t height, uint32_t material, uint32_t cuts,
                                                      const std::vector<uint32_t>& below) const {
  std::vector<uint32_t> words = {0};
  end_.each_part(dag::kLeafSide << height, cuts, [&](uint32_t octant, uint32_t part_cuts) {
    words[0] |= 1u << octant;
    words.push_back(below[fill_slot(material, part_cuts)]);
  });
  if (cuts == 0) words[0] = dag::homogeneous_header(material);
  return words;
}

template <class Device>
Leaves SolidBuilder<Device>::fill_leaves(const TrianglesRef& triangles, const CellFrame& frame,
                                         const device::CellsRef& cells, const LeafPairsRef& pairs,
                                         const uint64_t* surface_masks, const uint32_t* filled,
                                         Leaves surface_leaves) {
  const uint64_t n = cells.count;
  auto flips = device_.template make<Windings>(n);
  auto rays = device_.template make<RayWindings>(n);
  device_.for_each("crossings", n,
                   CellCrossings{.triangles = triangles,
                                 .cells = cells,
                                 .pairs = pairs,
                                 .frame = frame,
                                 .skipped = {skipped_.data()},
                                 .flips = flips.data(),
                                 .rays = rays.data()});
  auto leaf_of = device_.template make<uint32_t>(n);
  device_.for_each("leaves of cells", surface_leaves.count,
                   ScatterLeaves{.filled = filled, .leaf_of = leaf_of.data()});
  const SurfaceRef surface = {.masks = surface_masks,
                              .leaf_of = leaf_of.data(),
                              .offsets = surface_leaves.offsets.data(),
                              .words = surface_leaves.words.data(),
                              .materials = materials_,
                              .colors_rays = !has_interior_};

  count_ = n;
  keys_ = device_.template make<uint64_t>(n);
  before_ = device_.template make<RowState>(n);
  after_ = device_.template make<RowState>(n);
  auto order = device_.template make<uint32_t>(n);
  device_.for_each("rows of cells", n,
                   CellRows{.cells = cells,
                            .pair_keys = pairs.keys,
                            .frame = frame,
                            .keys = keys_.data(),
                            .order = order.data()});
  device_.sort_pairs("sort cells by row", keys_, order, n, 3 * kCellBits);
  const device::Runs runs = device::find_runs(device_, "select rows", keys_.data(), n, kCellBits);
  device_.for_each("walk rows", runs.count,
                   WalkRows{.runs = runs.ref(),
                            .keys = keys_.data(),
                            .order = order.data(),
                            .rays = rays.data(),
                            .surface = surface,
                            .rows = tiles_.rows(),
                            .places = tiles_.places(),
                            .before = before_.data(),
                            .after = after_.data()});

  auto masks = device_.template make<uint64_t>(n);
  auto ray_materials = device_.template make<uint64_t>(n);
  device_.for_each("fill cells", n,
                   FillCells{.frame = frame,
                             .cells = cells,
                             .pair_keys = pairs.keys,
                             .order = order.data(),
                             .flips = flips.data(),
                             .before = before_.data(),
                             .surface_masks = surface_masks,
                             .grid_end = grid_end_,
                             .rule = rule_,
                             .masks = masks.data(),
                             .ray_materials = ray_materials.data()});
  disputed_in_chunk_ = device_.sum("count disputed voxels", n,
                                   CountDisputed{.keys = keys_.data(),
                                                 .order = order.data(),
                                                 .flips = flips.data(),
                                                 .before = before_.data(),
                                                 .after = after_.data(),
                                                 .surface_masks = surface_masks,
                                                 .resolution = end_.resolution});
  Leaves leaves;
  leaves.voxels = device_.sum("count voxels", n, LeafVoxels{masks.data()});
  auto solid = device_.template make<uint32_t>(n);
  leaves.count = device_.select("select filled cells", n, IsFilled{masks.data()}, solid.data());
  leaves.offsets = device_.template make<uint32_t>(leaves.count + 1);
  const uint64_t words = device_.exclusive_scan(
      "leaf places", leaves.count, LeafWords{solid.data(), masks.data(), materials_}, leaves.offsets.data());
  leaves.keys = device_.template make<uint32_t>(leaves.count);
  leaves.words = device_.template make<uint32_t>(words);
  device_.for_each("write solid leaves", leaves.count,
                   WriteSolidLeaves{.cells = cells,
                                    .pair_keys = pairs.keys,
                                    .filled = solid.data(),
                                    .surface = surface,
                                    .masks = masks.data(),
                                    .ray_materials = ray_materials.data(),
                                    .offsets = leaves.offsets.data(),
                                    .keys = leaves.keys.data(),
                                    .words = leaves.words.data()});
  return leaves;
}

template <class Device>
template <class Key>
void SolidBuilder<Device>::add_fills(dag::StoredLevel<Key>& children, const CellFrame& frame,
                                     uint32_t key_bits, const InsideRef& inside, dag::FrozenDag& dag) {
  const device::Runs runs =
      device::find_runs(device_, "select parents", children.keys.data(), children.count, 3);
  const device::CellsRef parents = runs.ref();
  const uint64_t parent_count = runs.count;
  auto fills = device_.template make<uint64_t>(parent_count);
  device_.for_each("find fills", parent_count,
                   FindFills<Key>{.parents = parents,
                                  .child_keys = children.keys.data(),
                                  .frame = frame,
                                  .grid_end = grid_end_,
                                  .inside = inside,
                                  .fills = fills.data()});
  auto first = device_.template make<uint32_t>(parent_count + 1);
  const uint64_t more =
      device_.exclusive_scan("fill places", parent_count, CountFills{fills.data()}, first.data());
  if (more == 0) return;

  const auto height = static_cast<uint32_t>(frame.log2_side - kLog2UnitsPerVoxel) - dag::kLeafLog2;
  dag::StoredLevel<Key> all = {device_.template make<Key>(children.count + more),
                               device_.template make<uint32_t>(children.count + more), children.count + more};
  device_.copy(all.keys.data(), children.keys.data(), children.count);
  device_.copy(all.pointers.data(), children.pointers.data(), children.count);
  device_.for_each("emit fills", parent_count,
                   EmitFills<Key>{.parents = parents,
                                  .child_keys = children.keys.data(),
                                  .fills = fills.data(),
                                  .first = first.data(),
                                  .table = fills_.data() + uint64_t{height} * kFillsPerLevel,
                                  .keys = all.keys.data() + children.count,
                                  .pointers = all.pointers.data() + children.count});
  device_.sort_pairs("sort children", all.keys, all.pointers, all.count, key_bits);

  for (uint32_t cuts = 0; cuts < kCuts; ++cuts)
    end_.add_counts(dag, height, cuts,
                    device_.sum("count fills", parent_count, CountFillsCut{fills.data(), cuts}));
  children = std::move(all);
}

}  // namespace vox::voxelize
