// The state of --solid over all chunks of a scene, and the nodes it fills empty space with.
#pragma once

#include <array>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/voxelize/solid.h"

namespace vox {

// A cube of the octree cut off by the grid's end: bit a set where it reaches beyond R along axis a. At one
// level all cubes that do are cut at the same place.
inline constexpr uint32_t kCuts = 8;
inline constexpr uint32_t kFillsPerLevel = kPaletteSize * kCuts;

// Which absent children of a node are inside. Byte o: bit 7 filled, bits 3–6 material, bits 0–2 cuts.
template <class Key>
struct FindFills {
  CellsRef parents;
  const Key* child_keys;
  CellFrame frame;   // of the children
  int32_t grid_end;  // in units
  InsideRef inside;
  uint64_t* fills;
  VOX_HD void operator()(uint64_t i) const {
    const Key parent = child_keys[parents.begin(i)] >> 3;
    uint32_t present = 0;
    for (uint64_t c = parents.begin(i); c < parents.end(i); ++c) present |= 1u << (child_keys[c] & 7);
    uint64_t result = 0;
    for (uint32_t octant = 0; octant < 8; ++octant)
      if ((present >> octant & 1) == 0)
        result |= static_cast<uint64_t>(fill_of(static_cast<Key>(parent << 3 | octant))) << 8 * octant;
    fills[i] = result;
  }

 private:
  VOX_HD uint32_t fill_of(Key key) const {
    const Int3 corner = frame.corner(key);
    if (corner.x >= grid_end || corner.y >= grid_end || corner.z >= grid_end) return 0;
    constexpr int kLog2Cell = kLog2UnitsPerVoxel + static_cast<int>(kLeafLog2);
    const RowState state = inside.at({corner.x >> kLog2Cell, corner.y >> kLog2Cell, corner.z >> kLog2Cell});
    if ((state.inside & 1) == 0) return 0;
    const int64_t side = int64_t{1} << frame.log2_side;
    const uint32_t cuts = static_cast<uint32_t>(corner.x + side > grid_end) |
                          static_cast<uint32_t>(corner.y + side > grid_end) << 1 |
                          static_cast<uint32_t>(corner.z + side > grid_end) << 2;
    return 0x80 | static_cast<uint32_t>(state.materials & 15) << 3 | cuts;
  }
};

struct CountFills {
  const uint64_t* fills;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(popcount(fills[i] & uint64_t{0x8080808080808080}));
  }
};

struct CountFillsCut {
  const uint64_t* fills;
  uint32_t cuts;
  VOX_HD uint32_t operator()(uint64_t i) const {
    uint32_t count = 0;
    for (uint64_t rest = fills[i]; rest != 0; rest >>= 8) count += (rest & 0x87) == (0x80 | cuts);
    return count;
  }
};

template <class Key>
struct EmitFills {
  CellsRef parents;
  const Key* child_keys;
  const uint64_t* fills;
  const uint32_t* first;
  const uint32_t* table;  // pointers of this level's fills, by material and cuts
  Key* keys;
  uint32_t* pointers;
  VOX_HD void operator()(uint64_t i) const {
    const Key parent = child_keys[parents.begin(i)] >> 3;
    uint32_t to = first[i];
    for (uint32_t octant = 0; octant < 8; ++octant) {
      const uint32_t fill = fills[i] >> 8 * octant & 0xff;
      if (fill == 0) continue;
      keys[to] = static_cast<Key>(parent << 3 | octant);
      pointers[to] = table[(fill >> 3 & 15) * kCuts + (fill & 7)];
      ++to;
    }
  }
};

template <class Device>
class SolidBuilder {
 public:
  SolidBuilder(Device& device, DagStore<Device>& store, const FrozenDag& dag, int32_t grid_end)
      : device_(device),
        store_(store),
        grid_end_(grid_end),
        materials_(dag.materials),
        depth_(dag.depth()),
        rows_a_side_((dag.resolution + kLeafSide - 1) / kLeafSide) {
    rows_ = device.template make<RowState>(rows_a_side_ * rows_a_side_);
    device.fill(rows_.data(), rows_.size(), RowState{});
    make_fills();
  }

  // Crossings of triangles left of the grid.
  void start(const TrianglesRef& triangles, uint64_t count) {
    device_.for_each("crossings left of the grid", count,
                     CrossLeftOfGrid{triangles.shapes, grid_end_, rows_.data(), rows_a_side_});
  }

  // Surface leaves → leaves with their inside. `filled` are the cells that hold surface voxels.
  Leaves fill_leaves(const TrianglesRef& triangles, const CellFrame& frame, const CellsRef& cells,
                     const LeafPairsRef& pairs, const uint64_t* surface_masks, const uint32_t* filled,
                     Leaves surface_leaves);

  // Keeps how the rays leave this chunk; until then it can be tried again.
  void commit_chunk() {
    device_.for_each("keep rows", count_,
                     CommitRows{keys_.data(), after_.data(), count_, rows_.data(), rows_a_side_});
  }

  // The inside as this chunk's cells show it; valid until the next chunk.
  InsideRef inside() const {
    return {keys_.data(), before_.data(), after_.data(), count_, rows_.data(), rows_a_side_};
  }

  // Adds the absent siblings that are inside to the children. Counts what they stand for.
  template <class Key>
  void add_fills(LevelNodes<Key>& children, const CellFrame& frame, uint32_t key_bits,
                 const InsideRef& inside, FrozenDag& dag);

  uint64_t open_rays() { return device_.sum("count open rays", rows_.size(), CountInside{rows_.data()}); }

 private:
  void make_fills();
  void make_fill_level(uint32_t height, const std::vector<uint32_t>& below);
  uint32_t cut_extent(uint32_t side) const {
    return (static_cast<uint32_t>(grid_end_) >> kLog2UnitsPerVoxel) % side;
  }

  Device& device_;
  DagStore<Device>& store_;
  int32_t grid_end_;
  bool materials_;
  uint32_t depth_;
  uint64_t rows_a_side_;
  Buffer<RowState> rows_;
  Buffer<uint32_t> fills_;  // pointers, kFillsPerLevel for each height above the leaves
  Buffer<uint64_t> keys_;
  Buffer<RowState> before_, after_;
  uint64_t count_ = 0;
};

// Leaves and nodes full of one material, whole and cut.
template <class Device>
void SolidBuilder<Device>::make_fills() {
  fills_ = device_.template make<uint32_t>(uint64_t{depth_ + 1} * kFillsPerLevel);
  std::vector<uint32_t> below;
  for (uint32_t height = 0; height <= depth_; ++height) {
    make_fill_level(height, below);
    below.resize(kFillsPerLevel);
    device_.download(below.data(), fills_.data() + uint64_t{height} * kFillsPerLevel, kFillsPerLevel);
  }
}

template <class Device>
void SolidBuilder<Device>::make_fill_level(uint32_t height, const std::vector<uint32_t>& below) {
  const uint32_t side = kLeafSide << height;
  std::vector<uint32_t> words, offsets = {0}, slots;
  for (uint32_t slot = 0; slot < kFillsPerLevel; ++slot) {
    const uint32_t material = slot / kCuts, cuts = slot % kCuts;
    if ((!materials_ && material > 0) || (cuts != 0 && cut_extent(side) == 0)) continue;
    auto extent = [&](uint32_t axis) { return (cuts >> axis & 1) != 0 ? cut_extent(side) : side; };
    if (height == 0) {
      const Int3 end = {static_cast<int32_t>(extent(0)), static_cast<int32_t>(extent(1)),
                        static_cast<int32_t>(extent(2))};
      uint64_t mask = 0;
      for (uint32_t bit = 0; bit < 64; ++bit) {
        const Int3 p = lattice::place_of(bit);
        if (p.x < end.x && p.y < end.y && p.z < end.z) mask |= uint64_t{1} << bit;
      }
      words.insert(words.end(), {static_cast<uint32_t>(mask), static_cast<uint32_t>(mask >> 32)});
      if (materials_) {
        const auto count = static_cast<uint32_t>(popcount(mask));
        for (uint32_t done = 0; done < count; done += 8)
          words.push_back(material * 0x11111111u &
                          (count - done >= 8 ? UINT32_MAX : (1u << 4 * (count - done)) - 1));
      }
    } else {
      const uint32_t half = side / 2;
      uint32_t header = 0;
      std::vector<uint32_t> children;
      for (uint32_t octant = 0; octant < 8; ++octant) {
        uint32_t child_cuts = 0;
        bool absent = false;
        for (uint32_t axis = 0; axis < 3; ++axis) {
          const uint32_t begin = (octant >> axis & 1) * half;
          absent |= extent(axis) <= begin;
          child_cuts |= static_cast<uint32_t>(extent(axis) < begin + half) << axis;
        }
        if (absent) continue;
        header |= 1u << octant;
        children.push_back(below[material * kCuts + child_cuts]);
      }
      words.push_back(cuts == 0 ? homogeneous_header(material) : header);
      words.insert(words.end(), children.begin(), children.end());
    }
    offsets.push_back(static_cast<uint32_t>(words.size()));
    slots.push_back(slot);
  }
  auto device_words = device_.template make<uint32_t>(words.size());
  auto device_offsets = device_.template make<uint32_t>(offsets.size());
  auto pointers = device_.template make<uint32_t>(slots.size());
  device_.upload(device_words.data(), words.data(), words.size());
  device_.upload(device_offsets.data(), offsets.data(), offsets.size());
  store_.intern(device_words.data(), device_offsets.data(), slots.size(), pointers.data());
  std::vector<uint32_t> made(slots.size()), table(kFillsPerLevel, kNullPointer);
  device_.download(made.data(), pointers.data(), made.size());
  for (size_t i = 0; i < slots.size(); ++i) table[slots[i]] = made[i];
  device_.upload(fills_.data() + uint64_t{height} * kFillsPerLevel, table.data(), kFillsPerLevel);
}

template <class Device>
Leaves SolidBuilder<Device>::fill_leaves(const TrianglesRef& triangles, const CellFrame& frame,
                                         const CellsRef& cells, const LeafPairsRef& pairs,
                                         const uint64_t* surface_masks, const uint32_t* filled,
                                         Leaves surface_leaves) {
  const uint64_t n = cells.count;
  auto flips = device_.template make<uint64_t>(n);
  auto rays = device_.template make<uint32_t>(n);
  device_.for_each("crossings", n, CellCrossings{triangles, cells, pairs, frame, flips.data(), rays.data()});
  auto leaf_of = device_.template make<uint32_t>(n);
  device_.for_each("leaves of cells", surface_leaves.count, ScatterLeaves{filled, leaf_of.data()});
  const SurfaceRef surface = {surface_masks, leaf_of.data(), surface_leaves.offsets.data(),
                              surface_leaves.words.data(), materials_};

  count_ = n;
  keys_ = device_.template make<uint64_t>(n);
  before_ = device_.template make<RowState>(n);
  after_ = device_.template make<RowState>(n);
  auto order = device_.template make<uint32_t>(n);
  device_.for_each("rows of cells", n, CellRows{cells, pairs.keys, frame, keys_.data(), order.data()});
  device_.sort_pairs("sort cells by row", keys_, order, n, 3 * kCellBits);
  auto starts = device_.template make<uint32_t>(n);
  const uint64_t row_count =
      device_.select("select rows", n, StartsRun<uint64_t>{keys_.data(), kCellBits}, starts.data());
  device_.for_each("walk rows", row_count,
                   WalkRows{{starts.data(), row_count, n},
                            keys_.data(),
                            order.data(),
                            rays.data(),
                            surface,
                            rows_.data(),
                            rows_a_side_,
                            before_.data(),
                            after_.data()});

  auto masks = device_.template make<uint64_t>(n);
  auto ray_materials = device_.template make<uint64_t>(n);
  device_.for_each("fill cells", n,
                   FillCells{frame, cells, pairs.keys, order.data(), flips.data(), before_.data(),
                             surface_masks, grid_end_, masks.data(), ray_materials.data()});
  Leaves leaves;
  leaves.voxels = device_.sum("count voxels", n, LeafVoxels{masks.data()});
  auto solid = device_.template make<uint32_t>(n);
  leaves.count = device_.select("select filled cells", n, IsFilled{masks.data()}, solid.data());
  leaves.offsets = device_.template make<uint32_t>(leaves.count + 1);
  const uint64_t words = device_.exclusive_scan(
      "leaf places", leaves.count, LeafWords{solid.data(), masks.data(), materials_}, leaves.offsets.data());
  leaves.keys = device_.template make<uint32_t>(leaves.count);
  leaves.words = device_.template make<uint32_t>(words);
  device_.for_each(
      "write solid leaves", leaves.count,
      WriteSolidLeaves{cells, pairs.keys, solid.data(), surface, masks.data(), ray_materials.data(),
                       leaves.offsets.data(), leaves.keys.data(), leaves.words.data()});
  return leaves;
}

template <class Device>
template <class Key>
void SolidBuilder<Device>::add_fills(LevelNodes<Key>& children, const CellFrame& frame, uint32_t key_bits,
                                     const InsideRef& inside, FrozenDag& dag) {
  auto starts = device_.template make<uint32_t>(children.count);
  const uint64_t parent_count = device_.select("select parents", children.count,
                                               StartsRun<Key>{children.keys.data(), 3}, starts.data());
  const CellsRef parents = {starts.data(), parent_count, children.count};
  auto fills = device_.template make<uint64_t>(parent_count);
  device_.for_each("find fills", parent_count,
                   FindFills<Key>{parents, children.keys.data(), frame, grid_end_, inside, fills.data()});
  auto first = device_.template make<uint32_t>(parent_count + 1);
  const uint64_t more =
      device_.exclusive_scan("fill places", parent_count, CountFills{fills.data()}, first.data());
  if (more == 0) return;

  const auto height = static_cast<uint32_t>(frame.log2_side - kLog2UnitsPerVoxel) - kLeafLog2;
  LevelNodes<Key> all = {device_.template make<Key>(children.count + more),
                         device_.template make<uint32_t>(children.count + more), children.count + more};
  device_.copy(all.keys.data(), children.keys.data(), children.count);
  device_.copy(all.pointers.data(), children.pointers.data(), children.count);
  device_.for_each("emit fills", parent_count,
                   EmitFills<Key>{parents, children.keys.data(), fills.data(), first.data(),
                                  fills_.data() + uint64_t{height} * kFillsPerLevel,
                                  all.keys.data() + children.count, all.pointers.data() + children.count});
  device_.sort_pairs("sort children", all.keys, all.pointers, all.count, key_bits);

  const uint32_t side = kLeafSide << height;
  for (uint32_t cuts = 0; cuts < kCuts; ++cuts) {
    const uint64_t count = device_.sum("count fills", parent_count, CountFillsCut{fills.data(), cuts});
    std::array<uint64_t, 3> extent;
    for (uint32_t axis = 0; axis < 3; ++axis)
      extent[axis] = (cuts >> axis & 1) != 0 ? cut_extent(side) : side;
    dag.voxels += count * extent[0] * extent[1] * extent[2];
    for (uint32_t below = 0; below <= height; ++below) {
      uint64_t nodes = count;
      for (uint64_t length : extent) nodes *= (length + (kLeafSide << below) - 1) / (kLeafSide << below);
      dag.levels[dag.depth() - below].svo_nodes += nodes;
    }
  }
  children = std::move(all);
}

}  // namespace vox
