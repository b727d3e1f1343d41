// The implementation of frozen_hash.h for any device: a DAG becomes a hash, and a hash a DAG.
#pragma once

#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/levels.h"
#include "libvox/hash/keyed/lines.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::spatial {

// Lists the filled voxels of a DAG as cells, on a device. The octree is walked down level by level, with the
// nodes of a level side by side in Morton order. Each node counts its parts, and a scan of the counts says
// where the parts go. Only filled parts are visited, however large the grid is.

// The nodes of one level of the octree. There are fewer than 2^32, because each holds a voxel.
struct OctreeNodes {
  device::Buffer<uint64_t> paths;    // the octants on the way from the root, three bits each
  device::Buffer<uint32_t> numbers;  // the number of the DAG's node on this level
  uint64_t count = 0;
};

struct CountParts {
  dag::LevelRef level;
  const uint32_t* numbers;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(popcount(dag::child_mask(*level.node(numbers[i]))));
  }
};

struct EnterParts {
  dag::LevelRef level;
  const uint64_t* paths;
  const uint32_t* numbers;
  const uint32_t* first;  // where the parts of each node begin
  uint64_t* to_paths;
  uint32_t* to_numbers;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* pointer = level.node(numbers[i]);
    uint32_t to = first[i];
    for (uint32_t mask = dag::child_mask(*pointer); mask != 0; mask &= mask - 1, ++to) {
      to_paths[to] = paths[i] << 3 | static_cast<uint32_t>(lowest_bit(mask));
      to_numbers[to] = *++pointer;
    }
  }
};

struct CountLeafCells {
  dag::LevelRef leaves;
  const uint32_t* numbers;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return static_cast<uint32_t>(popcount(dag::leaf_mask(leaves.node(numbers[i]))));
  }
};

struct WriteLeafCells {
  dag::LevelRef leaves;
  const uint64_t* paths;
  const uint32_t* numbers;
  const uint32_t* first;
  VoxelKeys keys;
  hash::CellFormat<uint64_t> format;
  bool materials;
  uint64_t* cells;
  VOX_HD void operator()(uint64_t i) const {
    const uint32_t* leaf = leaves.node(numbers[i]);
    uint64_t* to = cells + first[i];
    uint32_t rank = 0;
    for (uint64_t mask = dag::leaf_mask(leaf); mask != 0; mask &= mask - 1, ++rank) {
      const uint64_t code = paths[i] << 6 | static_cast<uint32_t>(lowest_bit(mask));
      const uint64_t key = keys.layout == CellKeyLayout::Morton ? code : keys.key(morton_decode(code));
      *to++ = format.cell(key, materials ? dag::ranked_material(leaf + 2, rank) : 0);
    }
  }
};

// The DAG must be one that check_structure() accepts, with fewer than 2^32 voxels.
template <class Device>
device::Buffer<uint64_t> octree_cells(Device& device, const dag::FrozenDag& dag, VoxelKeys keys) {
  if (dag.empty()) return device.template make<uint64_t>(0);
  OctreeNodes nodes = {device.template make<uint64_t>(1), device.template make<uint32_t>(1), 1};
  device.fill(nodes.paths.data(), 1, uint64_t{0});
  device.fill(nodes.numbers.data(), 1, 0u);
  for (uint32_t level = 0; level < dag.depth(); ++level) {
    throw_if_cancelled();
    const dag::DeviceLevel here = dag::uploaded_level(device, dag.levels[level]);
    auto first = device.template make<uint32_t>(nodes.count + 1);
    OctreeNodes parts;
    parts.count = device.exclusive_scan({"octree: count parts", 12}, nodes.count,
                                        CountParts{here.ref(), nodes.numbers.data()}, first.data());
    parts.paths = device.template make<uint64_t>(parts.count);
    parts.numbers = device.template make<uint32_t>(parts.count);
    device.for_each({"octree: enter parts", 70}, nodes.count,
                    EnterParts{here.ref(), nodes.paths.data(), nodes.numbers.data(), first.data(),
                               parts.paths.data(), parts.numbers.data()});
    nodes = std::move(parts);
  }
  throw_if_cancelled();
  const dag::DeviceLevel leaves = dag::uploaded_level(device, dag.levels.back());
  auto first = device.template make<uint32_t>(nodes.count + 1);
  const uint64_t voxels =
      device.exclusive_scan({"octree: count voxels", 16}, nodes.count,
                            CountLeafCells{leaves.ref(), nodes.numbers.data()}, first.data());
  auto cells = device.template make<uint64_t>(voxels);
  device.for_each({"octree: write cells", 120}, nodes.count,
                  WriteLeafCells{leaves.ref(), nodes.paths.data(), nodes.numbers.data(), first.data(), keys,
                                 kCellFormat, dag.materials, cells.data()});
  return cells;
}

template <class Device>
HashResult build_hash(Device& device, const dag::FrozenDag& dag, const HashOptions& options) {
  const Stopwatch watch;
  // A file's counts of its DAG may be wrong, so the counts that memory depends on are computed from the
  // nodes.
  const dag::OctreeCounts counts = dag::octree_counts(dag);
  check_hash_fits(counts.voxels, counts.nodes.back(), options, device.pool().available());
  HashResult result;
  FrozenHash& hash = result.hash;
  hash.keys = {options.layout, dag.resolution};
  hash.materials = dag.materials;
  hash.load_factor = options.load_factor;
  hash.voxels = counts.voxels;
  auto cells = octree_cells(device, dag, hash.keys);
  hash::LinesTable<Device, uint64_t> table(
      device, {.table = "lines", .load_factor = options.load_factor, .value_bits = kMaterialBits});
  result.attempts = table.build(cells.data(), hash.voxels).attempts;
  cells.reset();
  result.peak_device_bytes = device.pool().peak();
  device.pool().trim();
  const hash::LinesRef<uint64_t> lines = table.ref().ref;
  hash.lines = lines.lines;
  hash.seed = lines.seed;
  hash.probes = lines.probes;
  hash.apart = table.holds_apart() ? 1 : 0;
  hash.cells.resize(table.slots() + 1);
  device.download(hash.cells.data(), table.cells(), hash.cells.size());
  result.seconds = watch.seconds();
  return result;
}

// Makes a DAG of a hash. The cells are sorted by Morton code, and runs of them become leaves. dag/levels.h makes the
// levels above the leaves, as it does when triangles are voxelized.

struct IsFilledCell {
  const uint64_t* cells;
  uint64_t last, apart;
  VOX_HD bool operator()(uint64_t i) const {
    return i == last ? apart != 0 : cells[i] != hash::kEmptyCell<uint64_t>;
  }
};

struct CellsByCode {
  const uint64_t* cells;
  const uint32_t* filled;
  VoxelKeys keys;
  hash::CellFormat<uint64_t> format;
  uint64_t* codes;  // each a Morton code with the voxel's material below it
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t cell = cells[filled[i]];
    const Int3 voxel = keys.voxel(format.key(cell));
    const VoxelKeys morton = {CellKeyLayout::Morton, keys.resolution};
    codes[i] = format.cell(morton.key(voxel), format.value(cell));
  }
};

struct ComesTwice {
  const uint64_t* codes;
  VOX_HD uint32_t operator()(uint64_t i) const {
    return i > 0 && codes[i] >> kMaterialBits == codes[i - 1] >> kMaterialBits ? 1 : 0;
  }
};

struct RunLeafWords {
  device::CellsRef leaves;
  bool materials;
  VOX_HD uint32_t operator()(uint64_t i) const {
    const auto filled = static_cast<uint32_t>(leaves.end(i) - leaves.begin(i));
    return materials ? 2 + (filled + 7) / 8 : 2;
  }
};

struct WriteRunLeaves {
  device::CellsRef leaves;
  const uint64_t* codes;
  const uint32_t* offsets;
  hash::CellFormat<uint64_t> format;
  bool materials;
  uint64_t* keys;
  uint32_t* words;
  VOX_HD void operator()(uint64_t i) const {
    dag::LeafWriter leaf(words + offsets[i], materials);
    for (uint64_t c = leaves.begin(i); c < leaves.end(i); ++c)
      leaf.put(static_cast<uint32_t>(format.key(codes[c]) & 63), format.value(codes[c]));
    leaf.finish();
    keys[i] = format.key(codes[leaves.begin(i)]) >> 6;
  }
};

// Returns the cells of the hash in Morton order.
template <class Device>
device::Buffer<uint64_t> sorted_codes(Device& device, const FrozenHash& hash) {
  const auto cells = device::uploaded(device, hash.cells);
  auto filled = device.template make<uint32_t>(hash.voxels);
  device.select({"hash: select cells", 12}, hash.cells.size(),
                IsFilledCell{cells.data(), hash.cells.size() - 1, hash.apart}, filled.data());
  auto codes = device.template make<uint64_t>(hash.voxels);
  device.for_each({"hash: Morton codes", 20}, hash.voxels,
                  CellsByCode{cells.data(), filled.data(), hash.keys, kCellFormat, codes.data()});
  device.sort_keys({"hash: sort cells", 16}, codes, hash.voxels, hash::CellFormat<uint64_t>::kBits);
  if (device.sum("hash: compare cells", hash.voxels, ComesTwice{codes.data()}) != 0)
    throw Error("the spatial hash holds a voxel twice").hint("a verification of the file says more");
  return codes;
}

template <class Device>
dag::StoredLevel<uint64_t> stored_leaves(Device& device, dag::DagStore<Device>& store,
                                         const FrozenHash& hash) {
  const auto codes = sorted_codes(device, hash);
  const device::Runs leaf_runs =
      device::find_runs(device, {"hash: select leaves", 12}, codes.data(), hash.voxels, kMaterialBits + 6);
  const device::CellsRef runs = leaf_runs.ref();
  dag::StoredLevel<uint64_t> leaves;
  leaves.count = runs.count;
  auto offsets = device.template make<uint32_t>(leaves.count + 1);
  const uint64_t word_count = device.exclusive_scan({"hash: leaf places", 12}, leaves.count,
                                                    RunLeafWords{runs, hash.materials}, offsets.data());
  if (word_count > UINT32_MAX) throw Error("the leaves of the spatial hash have more than 2^32 words");
  auto words = device.template make<uint32_t>(word_count);
  leaves.keys = device.template make<uint64_t>(leaves.count);
  leaves.pointers = device.template make<uint32_t>(leaves.count);
  device.for_each({"hash: write leaves", 160}, leaves.count,
                  WriteRunLeaves{runs, codes.data(), offsets.data(), kCellFormat, hash.materials,
                                 leaves.keys.data(), words.data()});
  store.intern(words.data(), offsets.data(), leaves.count, leaves.pointers.data());
  return leaves;
}

template <class Device>
dag::FrozenDag dag_of_hash(Device& device, const FrozenHash& hash) {
  dag::FrozenDag result = dag::empty_dag(hash.resolution(), hash.materials);
  if (hash.voxels == 0) return result;
  dag::DagStore<Device> store(device);
  dag::StoredLevel<uint64_t> level = stored_leaves(device, store, hash);
  for (uint32_t above = 0; above < result.depth(); ++above) {
    throw_if_cancelled();
    level = dag::build_parents(device, store, level, above == 0 ? dag::NodeKind::Leaf : dag::NodeKind::Inner,
                               hash.materials);
  }
  uint32_t root = hash::kNullPointer;
  device.download(&root, level.pointers.data(), 1);
  level = {};
  device.pool().trim();
  dag::Freezer(device, store, result).run(root);
  dag::count_octree(result);
  return result;
}

}  // namespace vox::spatial
