// How small the geometry of a scene could be: the size of every published form of an octree or a DAG, counted exactly from
// the unique nodes of the scene.
//
// The forms differ in three ways. Equal sub-trees are stored once, or also those that are equal after they are mirrored or
// turned. Pointers have a fixed number of bits, or fewer bits if many pointers lead to the same node. Leaves hold 2³ voxels
// or 4³.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libvox/attributes/packed_values.h"
#include "libvox/base/symmetry.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/stats.h"

namespace vox::measure {

// Returns the Shannon entropy of symbols of one kind, of which each occurs so often: the bits that all of them take.
double entropy_bits(std::span<const uint64_t> counts);

// `nodes` nodes of a level have `references` pointers each that lead to them.
struct ReferenceCount {
  uint64_t references = 0, nodes = 0;
  friend bool operator==(const ReferenceCount&, const ReferenceCount&) = default;
};

// The unique nodes of one level, where nodes that are equal after one of a group of symmetries are one node. The node that
// stands for all of them is called stored here. A pointer to a stored node names the symmetry that makes the child of it.
struct SharedLevel {
  uint64_t nodes = 0;
  // Bytes of the nodes with pointers that are as short as they can be (see SharedDag).
  uint64_t encoded_bytes = 0;
  // How often each child mask occurs among the stored nodes. For leaves: each byte of their masks, that is, each block of 2³
  // voxels.
  std::array<uint64_t, 256> masks = {};
  // How often the pointers of the stored nodes name each symmetry. All zero for leaves.
  std::array<uint64_t, kSymmetries> turns = {};
  std::vector<ReferenceCount> references;  // the most references first; the root has one

  uint64_t pointers() const;  // of the stored nodes
  friend bool operator==(const SharedLevel&, const SharedLevel&) = default;
};

// The unique nodes of a DAG without materials under the first `symmetries` symmetries (base/symmetry.h): 1, kMirrors or
// kSymmetries.
//
// Encoded nodes follow Jaspe Villanueva et al. 2016. A node has a header of 16 bits, two for each child, and then the pointers
// of its children. The nodes of a level lie in the order of their references, the most first, at multiples of two bytes,
// leaves at multiples of eight. A pointer is the child's place in its level in these units, and in its lowest bits the
// symmetry. It takes 16 bits if it fits into them, else 32, else 48.
struct SharedDag {
  uint32_t symmetries = 1;
  std::vector<SharedLevel> levels;  // from the root's level down

  uint64_t nodes() const { return sum(&SharedLevel::nodes); }
  uint64_t encoded_bytes() const { return sum(&SharedLevel::encoded_bytes); }
  // The bits that name a symmetry in a pointer: 0, 3 or 6.
  uint32_t turn_bits() const { return turn_bits_of(symmetries); }
  static uint32_t turn_bits_of(uint32_t symmetries) {
    return symmetries == 1 ? 0 : symmetries == kMirrors ? 3 : 6;
  }
  // The least number of bits that child masks, pointers, symmetries and leaves take if each is coded without looking at
  // others: the Shannon entropy of how often each occurs in its level.
  double entropy_bits() const;

  friend bool operator==(const SharedDag&, const SharedDag&) = default;

 private:
  uint64_t sum(uint64_t SharedLevel::*value) const;
};

// The DAG must have no materials and be one that check_structure() accepts.
template <class Device>
SharedDag shared_under_on(Device& device, const dag::FrozenDag& geometry, uint32_t symmetries);
SharedDag shared_under(Engine& engine, const dag::FrozenDag& geometry, uint32_t symmetries);

// A DAG without pointers, as bytes. Nodes of a level are in the order in which a depth-first walk first visits them, so a
// child that is visited for the first time is the level's next node, and only others need a reference. All parts go from the
// root's level down.
struct PointerlessStream {
  std::vector<uint8_t> masks;  // the child mask of each inner node
  std::vector<uint8_t>
      first;  // for each child a bit, the lowest first: 1 if it is the next node of its level
  std::vector<uint8_t>
      references;  // for each other child: how many nodes before the next one it is, 7 bits a byte
  std::vector<uint8_t> leaves;  // eight bytes for each leaf
  // The size as a stream of bits, in which a reference has as many bits as the number of nodes before it needs.
  uint64_t bits = 0;

  std::array<std::span<const uint8_t>, 4> parts() const { return {masks, first, references, leaves}; }
};
PointerlessStream pointerless_stream(const dag::FrozenDag& geometry);

// The nodes that are left if none is stored that equals a node of a level above when that is seen more coarsely: a walk that
// goes no deeper than its voxels finds the same in the node above.
struct CrossLevel {
  std::vector<uint64_t> nodes;  // of each level, from the root's down
  uint64_t bytes = 0;           // with headers and pointers of 32 bits, and leaves of two words
};
CrossLevel cross_level(const dag::FrozenDag& geometry);

// The share of the voxels that the form `lossy` may change.
inline constexpr double kLossyShare = 0.01;

struct CompressionForm {
  SceneSize size;
  uint64_t nodes = 0;  // nodes and leaves that are stored; 0 if the form has none
};

struct CompressionStats {
  uint64_t voxels = 0;
  std::vector<uint64_t> octree_nodes;  // of each level, from the root's down
  std::array<SharedDag, 3> shared;     // under 1, 8 and 48 symmetries
  // The nodes of each level under symmetries and moves (transforms.h): the different ones, and those that are stored.
  std::vector<uint64_t> moved_nodes, moved_stored;
  std::vector<CompressionForm> forms;  // from the octree to the smallest
  uint64_t lossy_changed_voxels = 0;   // the voxels that the form `lossy` changes
  // The scene's materials or colors in every form (material_forms(), color_forms()). measure_compression() is given none.
  std::vector<SceneSize> materials = {};
};

// Returns the size of bytes after deflate, which this room cannot do itself.
using DeflatedSize = std::function<uint64_t(std::span<const uint8_t>)>;

CompressionStats measure_compression(Engine& engine, const dag::FrozenDag& geometry,
                                     const DeflatedSize& deflated_size);

// How small the materials of a scene could be if they were kept apart from its geometry: one material for each filled voxel,
// in the order of a depth-first walk.

// The form `blocks`, in which the material of a voxel is found by two reads:
//
//   header, for 8 blocks   8 bytes: the bit at which their indices begin
//                          2 bytes for each block of 64 voxels: its palette, a set of the 16 materials
//   indices                those of the 8 blocks follow each other. An index has as many bits as the number of materials in
//                          the block's palette needs: none if there is only one
//
// The last block has the voxels that are left.
inline constexpr uint64_t kBlockVoxels = 64, kBlocksOfHeader = 8, kHeaderBytes = 8 + 2 * kBlocksOfHeader;

// Returns the sizes of the materials of a scene in these forms:
//
//   leaves          in the leaves of the DAG: what it takes besides the geometry
//   nibbles         4 bits for each filled voxel
//   runs            for each run of voxels of one material the number of the first one, and the material
//   blocks          see above
//   entropy         Shannon's bound for codes that look at one voxel at a time
//   entropy_after   the same where a code also sees the voxel before
//
// The DAG must have materials and be one that check_structure() accepts; `geometry` is the same without materials.
std::vector<SceneSize> material_forms(const dag::FrozenDag& dag, const dag::FrozenDag& geometry);

// Returns the sizes of a scene's colors, which are apart already, in these forms:
//
//   blocks          as they are stored (libvox/attributes)
//   list            24 bits for each filled voxel
//   runs            for each run of voxels of one color the number of the first one, and the color
//   entropy         as above
//   entropy_after   as above; absent if more than 4,096 colors are different
std::vector<SceneSize> color_forms(const attributes::PackedValues& colors);

}  // namespace vox::measure
