// Builds a scene's DAG again when the host has decided what is inside, from leaves where voxels differ and whole nodes
// elsewhere. Nodes arrive in Morton order, a run of cubes at a time. Nothing else of the new scene is in memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "libvox/base/geometry.h"
#include "libvox/dag/from_cubes.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/voxelize/build_scene.h"

namespace vox::voxelize {

inline constexpr uint32_t kFullNode = UINT32_MAX;

// Nodes of one run of the octree, in Morton order for each height above the leaves.
struct NodeRun {
  // A node that is full of a material, or a node of the old scene whose filled voxels all get this material.
  struct Whole {
    uint64_t key;       // 8 B, the Morton code of its place on its level
    uint32_t node;      // 4 B, the number in the old scene, or kFullNode
    uint32_t material;  // 4 B
  };
  std::array<std::vector<Whole>, 20> wholes = {};  // by height above the leaves
  std::vector<uint64_t> leaf_keys;
  std::vector<uint32_t> words, ends;  // the words of all leaves, and where each leaf's words end

  void add_leaf(uint64_t key, const uint32_t* leaf, uint32_t count) {
    leaf_keys.push_back(key);
    words.insert(words.end(), leaf, leaf + count);
    ends.push_back(static_cast<uint32_t>(words.size()));
  }
};

class InsideNodes {
 public:
  // Runs consist of whole cubes of this height above the leaves, or of the root's height if that is lower.
  static constexpr uint32_t kRunHeight = 4;
  static uint32_t run_height(const dag::FrozenDag& dag) { return std::min(dag.depth(), kRunHeight); }

  // `memory_limit` is passed to HostStore.
  InsideNodes(const dag::FrozenDag& old, uint64_t memory_limit)
      : old_(old), run_height_(run_height(old)), store_(old.materials, memory_limit) {}

  // Adds runs, which must follow those of earlier calls. add_large() adds nodes above the runs' height.
  void add(const std::vector<NodeRun>& runs);
  void add_large(uint32_t height, NodeRun::Whole whole) { large_[height].push_back(whole); }

  dag::FrozenDag finish();

 private:
  dag::HostStore::Level with(dag::HostStore::Level level, uint32_t height,
                             const std::vector<NodeRun::Whole>& wholes);
  uint32_t pointer(uint32_t height, uint32_t node, uint32_t material);
  uint32_t made(uint32_t height, uint32_t node, uint32_t material);

  const dag::FrozenDag& old_;
  const uint32_t run_height_;
  dag::HostStore store_;
  dag::HostStore::Level roots_;  // the roots of the runs' cubes
  std::array<std::vector<NodeRun::Whole>, 20> large_ = {};
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> known_;  // whole nodes that are stored
};

// Gives the voxels inside a solid materials that depend on their depth below the surface.
//
// The depth of a voxel is the distance between its center and that of the nearest surface voxel. Distances are whole
// numbers, so that comparing them is exact: the sides of a voxel are rounded to 1024ths of the shortest one,
//
//   side(k) = floor(1024 · size(k) / shortest + ½)        depth² = min over surface voxels of Σ (side(k) · steps(k))²
//
// From the root down, each node keeps the surface nodes of its own size that may hold the nearest surface voxel of one of
// its voxels: those that are near enough, and do not lie behind a surface voxel that is nearer to all of the node. If its
// least and its greatest possible depth lie in one shell, all of it is decided at once. What remains are blocks of 8³ voxels
// at the surfaces between shells; they are decided exactly from the few rows of surface voxels that face them, axis by axis
// (Felzenszwalb & Huttenlocher 2012, with all parabolas). So the work is proportional to the surfaces between shells, hardly
// depends on the depth, and no grid is made.

// Depths are in 1024ths of a voxel's shortest side.
inline constexpr uint64_t kDepthUnits = 1024;
inline constexpr uint64_t kMostDepth = uint64_t{1} << 31;

struct Shell {
  uint64_t depth = 0;  // the largest depth of its voxels, at most kMostDepth
  uint8_t material = 0;
};

struct Shells {
  std::vector<Shell> shells;  // from the surface inwards; depths ascend
  uint8_t interior = 0;       // the material of voxels that are deeper than all shells
};

// The DAG must have materials. Voxels of material `inside` are inside; all others are the surface, and stay as they
// are. Each voxel inside gets the material of the first shell whose depth is not less than its own. `memory_limit` is
// passed to HostStore.
dag::FrozenDag with_shells(const dag::FrozenDag& dag, uint8_t inside, const VoxelSize& voxel_size,
                           const Shells& shells, uint64_t memory_limit = 0);

// Fills all voxels that cannot be reached from outside through empty voxels, from face to face (--inside flood).
//
// Space is divided into blocks of 64³ voxels that hold some of the surface, and larger empty nodes. The empty voxels of
// a block form regions. Those that touch its faces are numbered:
//
//      ┌─────────┬─────────┐     a, b, c   regions of blocks; each is kept as the runs of voxels that it has on faces
//      │ a ╱ b   │         │     E         an empty node is a region
//      │  ╱──────┼─╲  c    │     ·         a region that touches no face is enclosed in its block
//      │ ╱ (·)   │  ╲      │
//      ├─────────┴─────────┤     Regions of neighbors whose runs overlap are one. Regions not joined to the outside
//      │         E         │     are inside. The regions of a block are found a second time when it is filled.
//      └───────────────────┘
//
// So memory is needed only for the runs on the faces of blocks at the surface.

struct FloodedScene {
  dag::FrozenDag dag;
  uint64_t filled = 0;  // the number of voxels that the flood has not reached
};

// Space beyond the grid is outside. The voxels that are filled get `material`. The voxels of the surface stay as they
// are. `memory_limit` is passed to HostStore.
FloodedScene flooded(dag::FrozenDag surface, uint8_t material, uint64_t memory_limit = 0);

// Fills the space that a walker cannot reach, for programs in which people walk through scans (--fill outside, --carve).
//
// With `seal`, everything outside is filled. A path from beyond the scene's box leads from empty voxel to empty voxel
// through faces, and stays farther than `seal` from every filled voxel. Outside are the voxels on such paths, and
// those within `seal` of them. So gaps of up to twice this width are closed.
//
// With `walker`, the way of a walker is carved. The walker is an upright capsule: the voxels whose centers are within
// `radius` of a vertical line. It starts with its middle at `seed` and moves from voxel to voxel through faces,
// wherever its capsule holds no filled voxel. The voxels of all its places stay empty; all other voxels of the
// scene's box are filled.
//
// Columns of voxels along y are kept as runs, so that memory grows with the area of the surfaces.

inline constexpr double kUsualSeal = 1.6;

struct Walker {
  double height = 1.6, radius = 0.2;  // in the unit of voxel_size; the height is at least twice the radius
};

struct WalkSpace {
  Vec3d seed = {0, 0, 0};             // in voxels
  VoxelSize voxel_size = 1;           // the unit of `seal` and `walker`
  std::optional<double> seal = {};    // fill what is outside
  std::optional<Walker> walker = {};  // fill what this walker does not reach
  uint64_t memory_limit = 0;          // as for dag_of_cubes()
};

// The voxels that are filled get `material`; the others stay as they are. The scene's box is that of its filled voxels,
// and of the walker at the seed, within the grid. The walker's middle stays in this box. Throws Error if the seed is
// reached from outside, or if the walker does not fit there.
FloodedScene unreachable_filled(const dag::FrozenDag& dag, uint8_t material, const WalkSpace& space);

// The steps on the host that complete the inside of a solid after the device has built the surface or the whole solid.

struct Inside {
  bool flood = false;  // the device makes only the surface; voxels that no path reaches are filled afterwards
  // The material of voxels inside. If none is given, they take that of the surface before them or, with `flood`, the
  // most common one of the surface. With shells, it is a number outside the palette that marks voxels inside until
  // their depth is known.
  std::optional<uint8_t> interior = std::nullopt;
  std::optional<Shells> shells = std::nullopt;
  uint64_t memory_limit = 0;  // as for HostStore
};

// Sets the shells and the interior's number. Throws Error if all numbers are in use: the palette of `colors` entries
// must leave one free.
void set_shells(Inside& inside, Shells shells, uint32_t colors);

// Returns a depth in the unit of Shell. Throws UsageError if it is larger than the largest grid.
uint64_t shell_depth(double voxels);

// Returns the options for the build on the device.
BuildOptions with_inside(BuildOptions options, const Inside& inside);

// Completes a result that was built with these options, and adds its time to the result's.
void make_inside(BuildResult& result, const Inside& inside, const VoxelSize& voxel_size);

// Logs what a solid build has found in a mesh whose inside is not clear.
void tell_of_solid(const SolidCounts& counts, InsideRule rule);

}  // namespace vox::voxelize
