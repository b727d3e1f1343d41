// Boolean combinations of two surfaces, which need not be closed. The sides of a surface's voxels (sides.h)
// decide which of them remain.
#pragma once

#include <array>
#include <cstdint>

#include "libvox/base/hd.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/device/handle.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/grid.h"

namespace vox::voxelize {

enum class Side : uint8_t { Outside, Inside, Common };

struct SideCounts {
  uint64_t outside = 0, inside = 0, common = 0;  // voxels
  uint64_t parts = 0;                            // connected parts that remain without the common voxels
  uint64_t divided_parts = 0;                    // the parts that lead through a hole to the other side
  uint64_t parts_by_rays = 0;                    // the parts that rays decide
  uint64_t votes = 0, overruled = 0;             // votes that count, and those of them against the majority
  friend bool operator==(const SideCounts&, const SideCounts&) = default;
};

enum class Combination : uint8_t { Union, Intersect, Subtract };
inline constexpr std::array kCombinationNames = {"union", "intersect", "subtract"};

// True if a voxel of the first or the second surface is part of the combination. Common voxels always are.
VOX_HD constexpr bool keeps(Combination combination, bool second, Side side) {
  const bool inside =
      combination == Combination::Intersect || (combination == Combination::Subtract && second);
  return side == Side::Common || (side == Side::Inside) == inside;
}

// A mesh, and the voxels that its triangles touch.
struct MeshSurface {
  const scene::Scene& scene;
  const scene::IndexedScene& indexed;
  const dag::FrozenDag& dag;
};

struct Combined {
  dag::FrozenDag first, second;  // the voxels that remain of each surface
  SideCounts first_counts, second_counts;
};

// Both surfaces must lie on this grid. Throws OutOfMemory, and Error if a surface has 2^32 voxels or more.
template <class Device>
Combined combine_surfaces(Device& device, const MeshSurface& first, const MeshSurface& second,
                          const Grid& grid, Combination combination);
Combined combine_surfaces(device::DeviceHandle device, const MeshSurface& first, const MeshSurface& second,
                          const Grid& grid, Combination combination);

}  // namespace vox::voxelize
