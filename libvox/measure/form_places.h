// The voxels that the loops over a scene's forms read: lists on a device, made from the scene's own voxels,
// so that all forms are asked for the same ones.
#pragma once

#include <algorithm>

#include "libvox/bricks/jit/loops.h"
#include "libvox/dag/octree_counts.h"
#include "libvox/device/runs.h"
#include "libvox/spatial/octree_cells.h"

namespace vox::measure {

// A view of the filled voxels of a scene in Morton order, and of the first voxel of each block of 4³.
struct SurfaceRef {
  const uint64_t* cells;  // the keys are Morton codes
  hash::CellFormat<uint64_t> format;
  const uint32_t* starts;  // the index of each block's first cell
  uint64_t voxels, blocks;
  uint32_t resolution;

  VOX_HD uint64_t code(uint64_t voxel) const { return format.key(cells[voxel]); }
  // Returns the code of the first voxel, filled or not, of the i-th of n evenly spread blocks.
  VOX_HD uint64_t block_code(uint64_t i, uint64_t n) const {
    return code(starts[i * blocks / n]) >> 6 << 6;  // both factors are below 2^32
  }
  VOX_HD Int3 in_grid(Int3 voxel) const {
    const auto last = static_cast<int32_t>(resolution) - 1;
    const auto along = [&](int32_t at) { return at < 0 ? 0 : at > last ? last : at; };
    return {along(voxel.x), along(voxel.y), along(voxel.z)};
  }
};

// Random voxels: every other one is filled; the rest are a few voxels away from a filled one.
struct PlacesNearSurface {
  static constexpr uint32_t kAway = 4;  // maximum distance along each axis
  SurfaceRef surface;

  VOX_HD Int3 operator()(uint64_t i) const {
    const uint64_t random = mix64(i + 1), which = (random >> 32) * surface.voxels >> 32;
    const Int3 voxel = morton_decode(surface.code(which));
    if (i % 2 == 0) return voxel;
    const auto away = [&](uint32_t shift) {
      return static_cast<int32_t>((random >> shift & 0xff) % (2 * kAway + 1)) - static_cast<int32_t>(kAway);
    };
    return surface.in_grid(voxel + Int3{away(0), away(8), away(16)});
  }
};

// Random voxels anywhere in the grid.
struct PlacesInGrid {
  Int3 size;
  VOX_HD Int3 operator()(uint64_t i) const {
    return bricks::RandomGather<bricks::DenseRef, uint8_t>::voxel(i, size);
  }
};

// All voxels of blocks that contain surface, in Morton order.
struct PlacesOfBlocks {
  static constexpr uint64_t kEach = 64;
  SurfaceRef surface;
  uint64_t count;  // blocks

  VOX_HD Int3 operator()(uint64_t i) const {
    return surface.in_grid(morton_decode(surface.block_code(i / kEach, count) | i % kEach));
  }
};

// Rows of 32 voxels along x through blocks that contain surface. Blocks beside each other along x get rows
// with different y and z, so no row occurs twice.
struct PlacesOfRows {
  static constexpr uint64_t kEach = 32;
  SurfaceRef surface;
  uint64_t count;  // rows

  VOX_HD Int3 operator()(uint64_t i) const {
    const Int3 corner = morton_decode(surface.block_code(i / kEach, count));
    const int32_t which = corner.x / 4 % 8;
    return surface.in_grid(
        {corner.x / 32 * 32 + static_cast<int32_t>(i % kEach), corner.y + which % 4, corner.z + which / 4});
  }
};

template <class Places>
struct WritePlaces {
  Places places;
  Int3* out;
  VOX_HD void operator()(uint64_t i) const { out[i] = places(i); }
};

struct FormPlaces {
  device::Buffer<Int3> random, uniform, rows, blocks, means;

  uint64_t most_gathered() const {
    return std::max({random.size(), uniform.size(), rows.size(), blocks.size()});
  }
};

template <class Device, class Places>
device::Buffer<Int3> written_places(Device& device, uint64_t n, const Places& places) {
  auto list = device.template make<Int3>(n);
  device.for_each({"forms: write places", 28}, n, WritePlaces<Places>{places, list.data()});
  return list;
}

// Lists `gathers` places for each of the gathers and `means` places for the filter, or fewer if there are not
// enough blocks. The DAG must be one that check_structure() accepts, with at least one voxel and fewer than
// 2^32.
template <class Device>
FormPlaces list_places(Device& device, const dag::FrozenDag& dag, uint64_t octree_leaves, uint64_t gathers,
                       uint64_t means) {
  const auto cells = spatial::octree_cells(device, dag, {spatial::KeyLayout::Morton, dag.resolution});
  auto starts = device.template make<uint32_t>(octree_leaves);
  SurfaceRef surface = {cells.data(), spatial::kCellFormat, starts.data(), cells.size(), 0, dag.resolution};
  surface.blocks =
      device.select({"forms: select blocks", 12}, cells.size(),
                    device::StartsRun<uint64_t>{cells.data(), spatial::kMaterialBits + 6}, starts.data());
  const auto side = static_cast<int32_t>(dag.resolution);
  const auto parts = [&](uint64_t places, uint64_t each) {
    return std::min((places + each - 1) / each, surface.blocks);
  };
  const auto blocks_of = [&](uint64_t places) {
    const uint64_t count = parts(places, PlacesOfBlocks::kEach);
    return written_places(device, count * PlacesOfBlocks::kEach, PlacesOfBlocks{surface, count});
  };
  const uint64_t rows = parts(gathers, PlacesOfRows::kEach);
  return {.random = written_places(device, gathers, PlacesNearSurface{surface}),
          .uniform = written_places(device, gathers, PlacesInGrid{{side, side, side}}),
          .rows = written_places(device, rows * PlacesOfRows::kEach, PlacesOfRows{surface, rows}),
          .blocks = blocks_of(gathers),
          .means = blocks_of(means)};
}

}  // namespace vox::measure
