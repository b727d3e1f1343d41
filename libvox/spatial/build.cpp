#include "libvox/spatial/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/keyed/lines.h"

namespace vox::spatial {
namespace {

using Lines = hash::LinesRef<uint64_t>;

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
