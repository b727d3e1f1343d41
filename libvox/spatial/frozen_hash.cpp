#include "libvox/spatial/frozen_hash.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/walk.h"
#include "libvox/hash/keyed/lines.h"

namespace vox::spatial {
namespace {

using Lines = hash::LinesRef<uint64_t>;

void check_sizes(const FrozenHash& hash) {
  const uint64_t slots = hash.lines * Lines::kLineCells;
  if (hash.lines == 0 || hash.lines > hash::kNoSlot / Lines::kLineCells || hash.cells.size() != slots + 1)
    throw Error(fmt::format("there are {} cells in {} lines, expected {} for each line and one more",
                            hash.cells.size(), hash.lines, Lines::kLineCells));
  if (hash.probes > kMostProbes)
    throw Error(fmt::format("the number of probes is {}, expected at most {}", hash.probes, kMostProbes));
  if (hash.apart > 1) throw Error(fmt::format("apart is {}, expected 0 or 1", hash.apart));
}

void check_cell(const FrozenHash& hash, uint64_t slot, uint64_t cell) {
  const uint64_t key = kCellFormat.key(cell);
  if ((key == kCellFormat.apart_key()) != (slot + 1 == hash.cells.size()))
    throw Error(fmt::format("the cell at {} has key {:#x}, which does not belong there", slot, key));
  if (!hash.keys.contains(hash.keys.voxel(key)))
    throw Error(fmt::format("the cell at {} has key {:#x}, which is not a voxel of {}³", slot, key,
                            hash.resolution()));
  if (!hash.materials && kCellFormat.value(cell) != 0)
    throw Error(fmt::format("the cell at {} has material {}, but the scene has no materials", slot,
                            kCellFormat.value(cell)));
}

}  // namespace

HashRef ref(const FrozenHash& hash) {
  // LinesRef also serves to build a table, and so points to cells that are not const. Searches only read
  // them.
  const Lines lines = {const_cast<uint64_t*>(hash.cells.data()), hash.seed, static_cast<uint32_t>(hash.lines),
                       hash.probes, kCellFormat};
  return {{lines, kCellFormat, static_cast<uint32_t>(hash.cells.size() - 1), hash.apart,
           kCellFormat.value(hash.cells.back())},
          hash.keys};
}

void tell_turns(FrozenHash& hash) {
  const Lines lines = ref(hash).table.ref;
  parallel_for(uint64_t{0}, hash.lines * Lines::kLineBuckets, [&](uint64_t at) {
    const auto bucket = static_cast<uint32_t>(at);
    const uint64_t last = lines.bucket(bucket).cell[Lines::kBucketCells - 1];
    if (last != hash::kEmptyCell<uint64_t>) lines.bucket(bucket).tell_turn(lines.rank(last, bucket).turn);
  });
}

void check_structure(const FrozenHash& hash) {
  check_sizes(hash);
  const uint64_t filled = tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, hash.cells.size(), 1 << 14), uint64_t{0},
      [&](const auto& part, uint64_t sum) {
        for_each_cell(hash, part.begin(), part.end(), [&](uint64_t slot, uint64_t cell) {
          check_cell(hash, slot, cell);
          ++sum;
        });
        return sum;
      },
      std::plus<>());
  if (filled != hash.voxels)
    throw Error(fmt::format("the number of voxels is {}, but {} cells are filled", hash.voxels, filled));
}

namespace {

constexpr uint64_t kEmptyVoxelsTried = 1 << 16;

// A voxel in which the two scenes differ. in_hash and in_dag are its materials, or hash::kNoValue where it is
// empty.
struct Difference {
  uint64_t code;  // its Morton code
  uint32_t in_hash, in_dag;
};
using FirstDifference = std::optional<Difference>;

FirstDifference first_of(const FirstDifference& a, const FirstDifference& b) {
  return !a || (b && b->code < a->code) ? b : a;
}

std::string content(uint32_t material) {
  return material == hash::kNoValue ? "empty" : fmt::format("of material {}", material);
}

[[noreturn]] void throw_difference(const Difference& difference) {
  const Int3 v = morton_decode(difference.code);
  throw Error(fmt::format("voxel ({}, {}, {}) is {} in the spatial hash, but {} in the SVDAG", v.x, v.y, v.z,
                          content(difference.in_hash), content(difference.in_dag)));
}

uint32_t dag_material(const dag::FrozenDag& dag, Int3 voxel) {
  const int material = dag::voxel_at(dag, static_cast<uint32_t>(voxel.x), static_cast<uint32_t>(voxel.y),
                                     static_cast<uint32_t>(voxel.z));
  return material == dag::kEmptyVoxel ? hash::kNoValue : static_cast<uint32_t>(material);
}

// Returns cubes that together hold all voxels of the DAG, in Morton order.
std::vector<VoxelBox> filled_cubes(const dag::FrozenDag& dag) {
  const uint32_t last = std::min(dag.depth(), 5u);
  std::vector<VoxelBox> cubes;
  dag::for_each_node(dag, cube_at({0, 0, 0}, dag.side()), [&](uint32_t level, Int3 corner, const uint32_t*) {
    if (level == last) cubes.push_back(cube_at(corner, dag.level_side(level)));
    return level < last;
  });
  return cubes;
}

// Returns the first voxel of the DAG in a cube that the hash does not hold with the same material.
FirstDifference first_missing(const HashRef& hash, const dag::FrozenDag& dag, const VoxelBox& cube) {
  FirstDifference first;
  dag::for_each_leaf(dag, cube, [&](Int3 corner, uint64_t mask, const uint32_t* leaf) {
    for (; mask != 0 && !first; mask &= mask - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(mask));
      const Int3 voxel = corner + cube_place(bit);
      const uint32_t in_dag = dag.materials ? dag::leaf_material(leaf, bit) : 0;
      const uint32_t in_hash = hash.material(voxel);
      if (in_hash != in_dag)
        first = {VoxelKeys{CellKeyLayout::Morton, dag.resolution}.key(voxel), in_hash, in_dag};
    }
  });
  return first;
}

// Returns the first voxel of the hash that the DAG does not hold.
FirstDifference first_beyond(const FrozenHash& hash, const dag::FrozenDag& dag) {
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, hash.cells.size(), 1 << 14), FirstDifference(),
      [&](const auto& part, FirstDifference first) {
        for_each_cell(hash, part.begin(), part.end(), [&](uint64_t, uint64_t cell) {
          const Int3 voxel = hash.keys.voxel(kCellFormat.key(cell));
          if (dag_material(dag, voxel) == hash::kNoValue)
            first = first_of(first, Difference{VoxelKeys{CellKeyLayout::Morton, dag.resolution}.key(voxel),
                                               kCellFormat.value(cell), hash::kNoValue});
        });
        return first;
      },
      first_of);
}

// Tries voxels anywhere in the grid, and returns the first that is empty in the DAG but found in the hash.
FirstDifference first_found_empty(const HashRef& hash, const dag::FrozenDag& dag) {
  const uint32_t resolution = dag.resolution;
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, kEmptyVoxelsTried, 1 << 10), FirstDifference(),
      [&](const auto& part, FirstDifference first) {
        for (uint64_t i = part.begin(); i < part.end(); ++i) {
          const auto anywhere = [&](uint64_t axis) {
            return static_cast<int32_t>(mix64(3 * i + axis + 1) % resolution);
          };
          const Int3 voxel = {anywhere(0), anywhere(1), anywhere(2)};
          if (dag_material(dag, voxel) != hash::kNoValue) continue;
          const uint32_t found = hash.material(voxel);
          if (found != hash::kNoValue)
            first = first_of(first, Difference{VoxelKeys{CellKeyLayout::Morton, resolution}.key(voxel), found,
                                               hash::kNoValue});
        }
        return first;
      },
      first_of);
}

void check_order(const FrozenHash& hash) {
  constexpr uint64_t kBucket = hash::LinesRef<uint64_t>::kBucketCells;
  parallel_for(uint64_t{0}, hash.cells.size() / kBucket, [&](uint64_t bucket) {
    const uint64_t* cells = &hash.cells[bucket * kBucket];
    for (uint64_t i = 1; i < kBucket; ++i)
      if (cells[i] != hash::kEmptyCell<uint64_t> && cells[i - 1] == hash::kEmptyCell<uint64_t>)
        throw Error(fmt::format("the cell at {} follows an empty one", bucket * kBucket + i));
  });
}

}  // namespace

void verify(const FrozenHash& hash) {
  check_structure(hash);
  check_order(hash);
  const HashRef table = ref(hash);
  parallel_for(tbb::blocked_range<uint64_t>(0, hash.cells.size(), 1 << 14), [&](const auto& part) {
    throw_if_cancelled();
    for_each_cell(hash, part.begin(), part.end(), [&](uint64_t slot, uint64_t cell) {
      const uint32_t found = table.table.find(kCellFormat.key(cell));
      if (found == slot) return;
      const Int3 v = hash.keys.voxel(kCellFormat.key(cell));
      throw Error(fmt::format(
          "a search for voxel ({}, {}, {}), which is at {}, {}", v.x, v.y, v.z, slot,
          found == hash::kNoSlot ? "does not find it" : fmt::format("finds the cell at {}", found)));
    });
  });
}

void check_same_voxels(const FrozenHash& hash, const dag::FrozenDag& dag) {
  if (hash.resolution() != dag.resolution || hash.materials != dag.materials)
    throw Error(
        fmt::format("the spatial hash has a grid of {}³ voxels {} materials, but the SVDAG one of {}³ {}",
                    hash.resolution(), hash.materials ? "with" : "without", dag.resolution,
                    dag.materials ? "with" : "without"));
  const HashRef table = ref(hash);
  const std::vector<VoxelBox> cubes = filled_cubes(dag);
  const FirstDifference first = tbb::parallel_reduce(
      tbb::blocked_range<size_t>(0, cubes.size(), 1), FirstDifference(),
      [&](const auto& part, FirstDifference before) {
        for (size_t i = part.begin(); i < part.end() && !before; ++i) {
          throw_if_cancelled();
          before = first_missing(table, dag, cubes[i]);
        }
        return before;
      },
      first_of);
  // A voxel that only the hash holds may come before the first one that the hash lacks.
  if (first || hash.voxels != dag.voxels) {
    if (const FirstDifference all = first_of(first, first_beyond(hash, dag))) throw_difference(*all);
    throw Error(fmt::format("the spatial hash holds {} voxels, but the SVDAG {}", hash.voxels, dag.voxels));
  }
  if (const FirstDifference found = first_found_empty(table, dag)) throw_difference(*found);
}

namespace {

constexpr uint64_t kLineBytes = Lines::kLineCells * sizeof(uint64_t);
// A leaf of the octree takes a path of 8 bytes, its number and the place of its first cell.
constexpr uint64_t kLeafBytes = 16;

}  // namespace

uint64_t bytes_to_build(uint64_t voxels, uint64_t octree_leaves, const HashOptions& options) {
  const uint64_t cells = voxels * sizeof(uint64_t);
  return cells + std::max(octree_leaves * kLeafBytes,
                          hash::lines_of(voxels, options.load_factor, Lines::kLineCells) * kLineBytes);
}

void check_hash_fits(uint64_t voxels, uint64_t octree_leaves, const HashOptions& options,
                     uint64_t available) {
  hash::check_key_table_options({.load_factor = options.load_factor, .value_bits = kMaterialBits}, 64);
  if (static_cast<double>(voxels) / options.load_factor > double{hash::kNoSlot - Lines::kLineCells})
    throw Error(
        fmt::format(
            "a spatial hash can have at most 2^32 - 2 cells, but {} voxels with a load factor of {} need "
            "more",
            format_count(voxels), options.load_factor))
        .hint("lower the resolution: half of it has about a quarter of the voxels");
  const uint64_t needed = bytes_to_build(voxels, octree_leaves, options);
  if (needed > available)
    throw Error(fmt::format("building a spatial hash of {} voxels needs {}, but only {} are available",
                            format_count(voxels), format_bytes(needed), format_bytes(available)))
        .hint("allow more memory")
        .about("memory_limit");
}

}  // namespace vox::spatial
