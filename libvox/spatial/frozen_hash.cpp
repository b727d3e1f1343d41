#include "libvox/spatial/frozen_hash.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <functional>

#include "libvox/base/error.h"
#include "libvox/spatial/hash_ref.h"

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
  tbb::parallel_for(uint64_t{0}, hash.lines * Lines::kLineBuckets, [&](uint64_t at) {
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

}  // namespace vox::spatial
