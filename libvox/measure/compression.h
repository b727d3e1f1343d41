// Computes how small the geometry of a scene could be: the exact size of every published form of an octree or a DAG,
// from the scene's unique nodes.
//
// The forms differ in three ways. Subtrees are stored once if they are equal, or also if they are equal after they are
// mirrored or turned. Pointers have a fixed number of bits, or fewer bits if many pointers lead to the same node.
// Leaves hold 2³ voxels or 4³.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/symmetry.h"
#include "libvox/base/vec.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/stats.h"

namespace vox::measure {

// Returns the number of bits that symbols take by their Shannon entropy, if each occurs as often as `counts` says.
double entropy_bits(std::span<const uint64_t> counts);

// `nodes` is the number of a level's nodes to each of which `references` pointers lead.
struct ReferenceCount {
  uint64_t references = 0, nodes = 0;
  friend bool operator==(const ReferenceCount&, const ReferenceCount&) = default;
};

// The stored nodes of one level. Nodes that are equal after one of a group of symmetries are stored once. A pointer to
// a stored node names the symmetry that makes the child of it.
struct SharedLevel {
  uint64_t nodes = 0;
  // The size of the nodes with pointers as short as possible (see SharedDag).
  uint64_t encoded_bytes = 0;
  // The number of stored nodes with each child mask. For leaves, the number of bytes of masks with each value; a
  // byte is a block of 2³ voxels.
  std::array<uint64_t, 256> masks = {};
  // The number of the stored nodes' pointers that name each symmetry. All zero for leaves.
  std::array<uint64_t, kSymmetries> turns = {};
  std::vector<ReferenceCount> references;  // those with most references first; the root has one

  uint64_t pointers() const;  // the number of the stored nodes' pointers
  friend bool operator==(const SharedLevel&, const SharedLevel&) = default;
};

// The stored nodes of a DAG without materials under the first `symmetries` symmetries (base/symmetry.h): 1, kMirrors or
// kSymmetries.
//
// Encoded nodes follow Jaspe Villanueva et al. 2016. A node has a header of 16 bits, two for each child, and then the
// pointers of its children. The nodes of a level with most references come first. Nodes begin at multiples of two
// bytes, leaves at multiples of eight. A pointer is the child's place in its level in these units, with the symmetry in
// its lowest bits. It takes the least of 16, 32 and 48 bits.
struct SharedDag {
  uint32_t symmetries = 1;
  std::vector<SharedLevel> levels;  // from the root's level down

  uint64_t nodes() const { return sum(&SharedLevel::nodes); }
  uint64_t encoded_bytes() const { return sum(&SharedLevel::encoded_bytes); }
  // Returns the number of bits that name a symmetry in a pointer: 0, 3 or 6.
  uint32_t turn_bits() const { return turn_bits_of(symmetries); }
  static uint32_t turn_bits_of(uint32_t symmetries) {
    return symmetries == 1 ? 0 : symmetries == kMirrors ? 3 : 6;
  }
  // Returns the least number of bits that child masks, pointers, symmetries and leaves take if each is coded
  // independently: the Shannon entropy of how often each occurs in its level.
  double entropy_bits() const;

  friend bool operator==(const SharedDag&, const SharedDag&) = default;

 private:
  uint64_t sum(uint64_t SharedLevel::*value) const;
};

// The DAG must have no materials, and check_structure() must accept it.
template <class Device>
SharedDag shared_under_on(Device& device, const dag::FrozenDag& geometry, uint32_t symmetries);
SharedDag shared_under(Engine& engine, const dag::FrozenDag& geometry, uint32_t symmetries);

// A DAG as bytes without pointers. Nodes of a level are in the order in which a depth-first walk first visits them. So
// a child that is visited for the first time is the level's next node, and only other children need a reference. All
// parts go from the root's level down.
struct PointerlessStream {
  std::vector<uint8_t> masks;  // the child mask of each inner node
  std::vector<uint8_t>
      first;  // for each child a bit, beginning with the lowest: 1 if the child is the next node of its level
  std::vector<uint8_t>
      references;  // for each other child its distance before the next node of its level, 7 bits in a byte
  std::vector<uint8_t> leaves;  // eight bytes for each leaf
  // The size in bits if a reference takes only as many bits as the number of nodes before it needs.
  uint64_t bits = 0;

  std::array<std::span<const uint8_t>, 4> parts() const { return {masks, first, references, leaves}; }
};
PointerlessStream pointerless_stream(const dag::FrozenDag& geometry);

// The nodes that remain if a node is not stored when it equals a coarser view of a node of a level above. A walk down
// to single voxels finds the same in the node above.
struct CrossLevel {
  std::vector<uint64_t> nodes;  // for each level, from the root's down
  uint64_t bytes = 0;           // their size with 32-bit headers and pointers, and leaves of two words
};
CrossLevel cross_level(const dag::FrozenDag& geometry);

// The share of the voxels that the form `lossy` may change.
inline constexpr double kLossyShare = 0.01;

struct CompressionForm {
  SceneSize size;
  uint64_t nodes = 0;  // the number of stored nodes and leaves; 0 if the form has none
};

// The sizes of all forms. Values of those that did not fit into memory are absent.
struct CompressionStats {
  uint64_t voxels = 0;
  std::vector<uint64_t> octree_nodes;              // for each level, from the root's down
  std::array<std::optional<SharedDag>, 3> shared;  // with 1, 8 and 48 symmetries
  // For each level, the number of nodes that differ under symmetries and moves, and of stored ones.
  std::vector<uint64_t> moved_nodes, moved_stored;
  std::vector<CompressionForm> forms;            // from the octree to the smallest
  std::optional<uint64_t> lossy_changed_voxels;  // the number of voxels that the form `lossy` changes
  bool is_complete = true;                       // false if something did not fit into memory
  // The size of the scene's materials or colors in every form (material_forms(), color_forms()). The caller sets it.
  std::vector<SceneSize> materials = {};
};

// Returns the size of bytes after deflate or Zstandard, which this room cannot do itself.
using CompressedSize = std::function<uint64_t(std::span<const uint8_t>)>;

// Without `zstd_size` there is no form stream_zstd. Forms that do not fit into the device's memory, or into `memory`
// bytes of the host's, are left out. The DAG must be in memory.
CompressionStats measure_compression(Engine& engine, const dag::FrozenDag& geometry,
                                     const CompressedSize& deflated_size,
                                     const CompressedSize& zstd_size = {}, uint64_t memory = UINT64_MAX);

// Returns the forms of an octree, and of the SVDAG if the DAG has no materials. They follow from counts alone. The DAG
// may be read as it is used.
CompressionStats octree_forms(const dag::FrozenDag& dag, const DagStats& counts);

// The forms below show how small a scene's materials could be if they were stored apart from its geometry, as a list
// of one material for each filled voxel in the order of a depth-first walk. In the form `blocks`, a material is found
// by two reads:
//
//   header, for 8 blocks   8 bytes: the bit at which their indices begin
//                          2 bytes for each block of 64 voxels: its palette, a set of the 16 materials
//   indices                those of the 8 blocks follow each other. An index has as many bits as the number of materials in
//                          the block's palette needs: none if there is only one
//
// The last block has the remaining voxels.
inline constexpr uint64_t kBlockVoxels = 64, kBlocksOfHeader = 8, kHeaderBytes = 8 + 2 * kBlocksOfHeader;

// Returns the sizes of the materials of a scene in these forms:
//
//   leaves          in the leaves of the DAG: what it takes besides the geometry
//   nibbles         4 bits for each filled voxel
//   runs            for each run of voxels of one material the number of the first one, and the material
//   blocks          see above
//   entropy         Shannon's bound for codes that look at one voxel at a time
//   entropy_after   the same for codes that also know the voxel before
//
// The DAG must have materials and be one that check_structure() accepts; `geometry` is the same without materials.
std::vector<SceneSize> material_forms(const dag::FrozenDag& dag, const dag::FrozenDag& geometry);
// About how many bytes of memory this takes.
uint64_t material_forms_memory(const dag::FrozenDag& dag);

// Returns the sizes of a scene's colors, which are stored apart anyway, in these forms:
//
//   blocks          as they are stored (libvox/attributes)
//   list            24 bits for each filled voxel
//   runs            for each run of voxels of one color the number of the first one, and the color
//   entropy         as above
//   entropy_after   as above; absent if more than 4,096 colors are different
std::vector<SceneSize> color_forms(const attributes::PackedValues& colors);

// A DAG that stores nodes once if they are equal after a symmetry of the cube and a move by whole voxels, as in
// Molenaar & Eisemann 2025, Transform-Aware Sparse Voxel Directed Acyclic Graphs.
//
// All of a node's voxels are turned or mirrored within its cube and then moved, and none may leave the cube. So
// no voxels of neighboring nodes come into view, and no voxel is cut off. The paper's search allows both.

// A pointer. The child is the stored node `node` of the level below, turned by the symmetry and moved by `move` voxels.
struct MovedChild {
  uint32_t node = 0, symmetry = 0;  // 8 B
  Int3 move = {0, 0, 0};            // 12 B
};
static_assert(sizeof(MovedChild) == 20);

struct TransformLevel {
  uint64_t distinct = 0;  // different nodes of the level; nodes that become each other count once
  // The stored nodes. They are fewer than `distinct`, since nodes that only unstored nodes use are not needed. A node
  // has a mask, and children in the order of octants. A leaf's mask has its voxels.
  std::vector<uint64_t> masks;
  std::vector<MovedChild> children;
};

struct TransformDag {
  std::vector<TransformLevel> levels;  // from the root's down

  uint64_t nodes() const;
  // The size of the nodes as SharedDag encodes them: with pointers of 16, 32 or 48 bits to places in the order of
  // references. A pointer's lowest bits are a number in a table of the level's most frequent transforms, of 8 bytes
  // each. The table's length makes the level smallest. The last number says that the transform follows, in 8 bytes.
  uint64_t table_bytes() const;
  // The size as a stream of bits: 8 bits of mask for each node, 64 for each leaf, and for each pointer the number of
  // the node with as many bits as its level needs, and the transform as a Huffman code. A level's code table takes 9
  // bytes for each transform: the transform and its code's length.
  uint64_t huffman_bytes() const;
};

// The DAG must have no materials and be one that check_structure() accepts.
TransformDag transform_dag(const dag::FrozenDag& geometry);

// Returns the bits that symbols take in a Huffman code if each occurs as often as `counts` says; 0 for a single symbol.
uint64_t huffman_bits(std::span<const uint64_t> counts);

}  // namespace vox::measure
