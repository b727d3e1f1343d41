// Cuts a scene into chunks that can be loaded one by one (docs/formats.md, "Pages that load as you fly"). A chunk holds
// some neighboring nodes of one level, its roots, and everything below them down to the next level at which the scene
// is cut. There, it names the chunks that continue it. In addition to the words of the DAG it has the box and the mean
// color of each node, so that a page can show a node whose chunk it has not loaded, as vox-render shows it from afar.
//
// Each node of the DAG at which the scene is cut is a root of exactly one chunk. So equal parts of a scene are one
// chunk, and the chunks depend only on the scene's content and these limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "formats/io/output_file.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/render/node_colors.h"
#include "libvox/scene/palette.h"

namespace vox {

// The limits of a chunk. A chunk with a single root may have more words, but with this number of levels less than 1
// MiB.
struct ChunkLimits {
  uint64_t most_words = uint64_t{1} << 16;  // 256 KiB, of which deflate leaves about 100
  uint32_t most_levels = 2;                 // levels of inner nodes, except in the chunk of the scene's root
};

struct ChunkTotals {
  dag::Digest top;  // the name of the chunk of the scene's root
  uint64_t chunks = 0;
  uint64_t words = 0;       // in all chunks, without heads, with a color for each leaf with materials
  uint64_t references = 0;  // all roots except the scene's
};

// A function that takes a finished chunk. Several threads may call it at the same time.
using KeepChunk = std::function<void(const dag::Digest& name, std::span<const uint32_t> words)>;

// Makes the chunks from the leaves up. The DAG must be one that check_structure() accepts; it may be paged. Memory is
// needed for one chunk in each thread, and 32 bytes on the disk for each node of a level at which the scene is cut.
// With `counts_voxels`, each node has the number of voxels below it, modulo 2^32, in place of its color.
ChunkTotals cut_into_chunks(const dag::VoxelScene& scene, const ChunkLimits& limits, bool counts_voxels,
                            const KeepChunk& keep);

struct ColorTotals {
  dag::Digest index;             // the name of the chunk that holds the names of all others
  std::vector<uint64_t> levels;  // the number of chunks of each level
  uint64_t words = 0;            // in all chunks but the index
};

// Makes the chunks of a scene's colors, of which there must be at least one. The colors of voxels follow one another as
// the scene numbers its voxels (libvox/dag/walk.h). Each level above has the means of 64 colors of the one
// below, for voxels that are seen from afar. The last level is one chunk. The values may be paged.
ColorTotals cut_into_color_chunks(const attributes::PackedValues& colors, const KeepChunk& keep);

// Returns the name of a chunk with these words, and the words of a name in other chunks.
dag::Digest chunk_name(std::span<const uint32_t> words);
inline std::array<uint32_t, 4> name_words(const dag::Digest& name) {
  return {static_cast<uint32_t>(name.high >> 32), static_cast<uint32_t>(name.high),
          static_cast<uint32_t>(name.low >> 32), static_cast<uint32_t>(name.low)};
}

// The words of a chunk, as docs/formats.md lists them.

inline constexpr uint32_t kChunkMagic = 0x4b435856;  // "VXCK"
inline constexpr uint32_t kChunkVersion = 1;
inline constexpr uint32_t kChunkHeadWords = 8, kChunkNameWords = 5, kChunkNodeHead = 4,
                          kChunkReferenceWords = 6;

// Returns the levels at which a scene is cut, from above: the level of its root, and those of other chunks' roots.
std::vector<uint32_t> chunk_levels(const dag::FrozenDag& dag, const ChunkLimits& limits);

// Makes one chunk of a scene: collects the nodes below its roots, and writes their words.

// The facts about a node that are needed to show it from afar.
struct NodeFromAfar {
  render::PackedBox box = 0;   //  8 B
  render::NodeMean mean = {};  // 16 B
  uint32_t look = 0;           // 4 B, the color of the mean, or the number of voxels
  uint32_t materials = 0;      // 4 B, bit i is set if a voxel has material i
};
static_assert(sizeof(NodeFromAfar) == 32);

// The roots of the chunks of a level. Each chunk has the roots from begins[i] to before begins[i + 1].
class ChunkRoots {
 public:
  explicit ChunkRoots(uint64_t nodes);

  uint64_t nodes() const { return nodes_; }
  std::span<NodeFromAfar> facts() { return facts_; }
  std::span<const NodeFromAfar> facts() const { return facts_; }

  // Adds the next chunk. Its roots follow those of the last one.
  void add(uint64_t begin, const dag::Digest& name);

  uint64_t chunk_of(uint64_t root) const;
  const dag::Digest& name(uint64_t chunk) const { return names_[chunk]; }
  uint64_t begin(uint64_t chunk) const { return begins_[chunk]; }
  uint64_t end(uint64_t chunk) const { return chunk + 1 < begins_.size() ? begins_[chunk + 1] : nodes_; }

 private:
  uint64_t nodes_;
  NamelessFile file_;  // because the facts about a level's nodes may not fit in memory
  std::span<NodeFromAfar> facts_;
  std::vector<uint64_t> begins_;
  std::vector<dag::Digest> names_;
};

// The colors from which mean colors are made, unless nodes count their voxels.
struct ChunkColors {
  ChunkColors(const scene::Palette& palette, bool counts_voxels);

  std::array<render::Light, scene::kPaletteSize> materials;
  std::vector<uint8_t> codes;
  bool counts_voxels;
};

// The numbers of nodes of one level in the order in which they were added, each once.
class NumberList {
 public:
  struct Added {
    uint32_t place;
    bool is_new;
  };
  Added add(uint32_t number);
  uint32_t place_of(uint32_t number) const;  // the number must be in the list
  void shrink(size_t size);                  // removes the numbers that were added last
  void clear() { shrink(0); }

  std::span<const uint32_t> numbers() const { return numbers_; }
  size_t size() const { return numbers_.size(); }

 private:
  size_t slot_of(uint32_t number) const;
  void grow();

  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(64);  // places + 1; 0: free
};

class ChunkBuilder {
 public:
  // Makes chunks of roots of the level `top`, which end at the level `bottom`: at the leaves if `below` is nullptr,
  // otherwise at the roots of other chunks.
  ChunkBuilder(const dag::FrozenDag& dag, const ChunkColors& colors, uint32_t top, uint32_t bottom,
               const ChunkRoots* below);

  // Adds the root that follows the last one. Returns false, and adds nothing, if the chunk has a root and would have
  // more words than `most`.
  bool add(uint32_t root, uint64_t most);

  // Returns the words of the chunk, puts the facts about its roots in order, and begins the next chunk.
  std::vector<uint32_t> finish(std::span<NodeFromAfar> roots);

  uint64_t words() const { return words_; }  // without the chunk's head
  uint64_t leaves() const { return below_ == nullptr ? sections_.back().nodes.size() : 0; }

 private:
  struct Section {
    NumberList nodes;
    std::vector<NodeFromAfar> facts;
  };

  bool is_end(uint32_t level) const { return level == bottom_; }
  const uint32_t* node(uint32_t level, uint32_t number) const;
  uint64_t size_of(uint32_t level, uint32_t number) const;
  void add_children(uint32_t level, size_t from);
  NodeFromAfar facts_of(uint32_t level, uint32_t number) const;
  NodeFromAfar facts_of_leaf(const uint32_t* leaf) const;
  NodeFromAfar facts_of_parent(uint32_t level, const uint32_t* node) const;
  NodeFromAfar seen(uint32_t level, render::NodeBox box, render::NodeMean mean, uint32_t materials,
                    uint64_t voxels) const;
  void find_facts();
  void write_node(uint32_t level, uint32_t number, std::vector<uint32_t>& words);
  uint32_t chunk_place(uint64_t chunk, std::vector<uint64_t>& chunks);

  const dag::FrozenDag& dag_;
  const ChunkColors& colors_;
  render::RayDagRef leaf_form_ = {};
  uint32_t top_, bottom_;
  const ChunkRoots* below_;
  std::vector<Section> sections_;  // from the roots' level down
  std::map<uint64_t, uint32_t> chunk_places_;
  uint64_t words_ = 0;
};

}  // namespace vox
