// Reads and writes large arrays of 32-bit or 64-bit words in an HDF5 file. Each array is a dataset of one
// dimension, chunked, shuffled and deflated. All threads compress and inflate chunks. Other readers (h5py)
// see an ordinary dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "formats/io/read_file.h"
#include "formats/scene/scene_file.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/error.h"
#include "libvox/base/paged_memory.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/frozen_dag.h"
#include "libvox/dag/walk.h"
#include "libvox/spatial/frozen_hash.h"

struct libdeflate_decompressor;

namespace vox::h5 {

// Throws Error if the HDF5 library lacks the filter for this compression.
void check_available(const Compression& compression);

// Returns the dataset, to which the caller may add attributes.
Object write_words(const Object& parent, const std::string& name, std::span<const uint32_t> words,
                   const Compression& compression);
Object write_words(const Object& parent, const std::string& name, std::span<const uint64_t> words,
                   const Compression& compression);

// Reads a dataset of any layout with any filters that the HDF5 library supports. A dataset that write_words()
// could have written is read in parallel.
Words read_words(const Object& dataset);
LongWords read_long_words(const Object& dataset);
// Reads several datasets, one after the other.
Words read_words(std::span<const Object> datasets);

// Returns the number of 32-bit words in the dataset without reading them.
uint64_t words_in(const Object& dataset);

// The chunks of a dataset. HDF5 would run its filters on one thread; here each thread has a coder, which turns words
// into the bytes of a chunk and back, and HDF5 gets finished chunks.
struct ChunkFormat {
  Compression compression;  // deflated after a byte shuffle, or uncompressed with a checksum
  uint64_t words = 0;       // words in a chunk
};

// Returns the properties of a new dataset with such chunks. Throws the errors of check_available().
Handle chunked_properties(const ChunkFormat& format);

// Returns the format of a dataset whose chunks a coder can read, and nothing for any other dataset.
std::optional<ChunkFormat> chunk_format(const Object& dataset);

// Encodes and decodes chunks on one thread. A word has 32 or 64 bits.
template <class Word>
class ChunkCoder {
 public:
  explicit ChunkCoder(const ChunkFormat& format);
  ~ChunkCoder();

  // `words` has at most as many words as a chunk. The last chunk of a dataset may be shorter, and is padded with zeros.
  Bytes encoded(std::span<const Word> words);
  // Returns false if the bytes cannot be decoded to this many words.
  bool decode(std::span<const uint8_t> bytes, std::span<Word> words);

  // Returns the most bytes that an encoded chunk may have.
  static uint64_t most_bytes(const ChunkFormat& format);

 private:
  ChunkFormat format_;
  std::unique_ptr<Deflater> deflater_;  // created when first needed
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor_;
  Bytes shuffled_;
};

// A chunk of a dataset in the file.
struct StoredChunk {
  uint64_t at = 0, bytes = 0;  // the place and the size in the file
};

template <class Word>
struct ChunkReader;

// Reads words of a dataset from any thread and in any order. The HDF5 library, which serves one thread at a time, is
// needed only to open a reader.
class WordReader {
 public:
  // Returns nothing if a ChunkCoder cannot read the dataset's chunks. `file` must be the dataset's file.
  static std::optional<WordReader> open(const Object& dataset, std::shared_ptr<const ReadFile> file);

  uint64_t words() const { return words_; }
  uint64_t chunk_words() const;

  // Reads the words from number `first` on. Throws Error that names the dataset.
  void read(uint64_t first, std::span<uint32_t> to) const;

 private:
  using Chunks = ChunkReader<uint32_t>;
  WordReader(std::shared_ptr<const Chunks> chunks, uint64_t words)
      : chunks_(std::move(chunks)), words_(words) {}

  std::shared_ptr<const Chunks> chunks_;
  uint64_t words_;
};

// Opens the file of an object a second time, for readers of its datasets.
std::shared_ptr<const ReadFile> file_of(const Object& object);

}  // namespace vox::h5

// Reads and writes the parts of a scene file in HDF5: its facts, and the groups that hold its voxels in each form.

namespace vox {

// Calls body(), which does not know where in a file its data lie, and names the place in its errors unless they name it
// already.
template <class Body>
auto at_place(const std::string& where, const Body& body) {
  try {
    return body();
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(where + ": ")) throw;
    throw Error(error.what()).at(where).about(error.setting());
  }
}

// Everything in a scene file except its voxels (docs/formats.md): the header, the place in the world, the palette and
// the origin.

void write_header(const h5::Object& file, const FileOrigin& origin, uint32_t version);
void write_palette(const h5::Object& file, const dag::VoxelScene& scene);
// Writes all facts, including header and palette.
void write_scene_facts(const h5::Object& file, const dag::VoxelScene& scene, uint32_t version);

// Returns the version of a file. Throws Error if this program cannot read that version, or if the file is
// not a scene file.
uint32_t checked_version(const h5::Object& file);
void read_palette(const h5::Object& file, dag::VoxelScene& scene);
// Reads everything except the voxels: the levels of the DAG are empty.
dag::VoxelScene read_scene_but_voxels(const h5::Object& file);
// Reads an attribute of three numbers, which must be finite.
Vec3d read_vector(const h5::Object& group, const std::string& name);

// The parts of a scene file are described in scene_parts.h.

// True if the words of a file's SVDAG group are in parts.
bool has_parts(const h5::Object& svdag);

struct OpenPart {
  h5::Object file;
  uint64_t check;  // the sum over the part's words
};

// Opens the parts that the head names. Returns none if the scene is not in parts. Throws Error that names a part if it
// is missing or is not the one for which the head was written.
std::vector<OpenPart> open_parts(const h5::Object& svdag);

// A level in all parts, one after the other. The last element of the begins is the level's end.
struct LevelOfParts {
  std::vector<h5::Object> words;  // the datasets
  std::vector<uint64_t> word_begins = {0}, node_begins = {0};
};

// Opens a level in all parts. Throws Error that names a part if it does not continue the part before.
LevelOfParts level_of_parts(std::span<const OpenPart> parts, uint32_t level);

// Returns the checksum of a part with one more level, whose first node has the number `first`. Before the first
// level, the sum is the number of levels.
uint64_t sum_with_level(uint64_t sum, std::span<const uint32_t> words, uint64_t first);

// The SVDAG of a scene file has one group for each level, level_00 for the root. docs/formats.md lists every
// attribute. In version 1 a child pointer is a word offset, in
// version 2 the child's number; `starts` gives the positions of nodes.

std::string level_group_name(uint32_t level);  // level_00, …

// Throws Error if version 1 is requested and cannot hold the DAG.
void write_svdag_group(const h5::Object& file, const dag::FrozenDag& dag, uint32_t version,
                       const Compression& compression);
// Writes the attributes of a level's words in version 2.
void write_level_facts(const h5::Object& words, const dag::DagLevel& level);

// Fills the levels of a DAG whose other fields are set, and checks everything that a walk over them relies
// on.
dag::FrozenDag read_svdag_group(const h5::Object& file, uint32_t version, dag::FrozenDag dag);

// Does the same for a DAG that stays in the file: its levels are read when they are used (dag/paged_level.h). Returns
// nothing if the file's version or the form of its words does not allow it.
std::optional<dag::FrozenDag> page_svdag_group(const h5::Object& file, uint32_t version, dag::FrozenDag dag,
                                               const std::shared_ptr<PagedBudget>& budget);

// The counts of a level, and its number of words in memory. The words are not read.
struct LevelSizes {
  uint64_t words, nodes, svo_nodes;
};
std::vector<LevelSizes> read_level_sizes(const h5::Object& file, uint32_t version, const dag::FrozenDag& dag);

// Reads and writes the symmetric form of a scene's geometry (libvox/dag/symmetric_dag.h) as the group /symmetric:
//
//   /symmetric                 attribute version uint32: 1
//   /symmetric/level_NN/words  uint32, 00 the root … the leaves last; attributes nodes uint64 (stored nodes), plain_nodes,
//                              plain_words, svo_nodes uint64: the level in the SVDAG, in nodes and in words of 32 bits, and
//                              in the octree
//
// docs/formats.md describes the words. The scene's digest is the one of its geometry, as for an SVDAG.

void write_symmetric_group(const h5::Object& file, const dag::SymmetricDag& dag,
                           const Compression& compression);
// Checks everything that a walk relies on. `facts` has the scene's resolution, counts and digest.
dag::SymmetricDag read_symmetric_group(const h5::Object& file, const dag::FrozenDag& facts);
// Returns the SVDAG that the group represents.
dag::FrozenDag expanded_symmetric_group(const h5::Object& file, const dag::FrozenDag& facts);
// Does the same as read_level_sizes() for the SVDAG that the group represents.
std::vector<LevelSizes> read_plain_sizes(const h5::Object& file, const dag::FrozenDag& facts);
// Returns the size of the symmetric form without reading it.
SymmetricSize symmetric_size_of(const h5::Object& file, const dag::FrozenDag& facts);

// Reads and writes bricks as the group /bricks of a scene file:
//
//   /bricks          attributes size uint32 [3] (voxels), value_type "u8" | "u16" | "i16" | "f32", spacing,
//                    origin float64 [3], background float64 (what empty voxels hold), brick_side, filled
//                    (voxels that are not empty), entry_words 1 | 2, source; allowed_types (names with commas
//                    between them): the types that a brick might have; slope float64 where some were made
//                    dense for speed: how much memory that was worth. Old files lack these two attributes
//                    In a file that holds a scene's bricks alone, also up and unit, as in /scene
//   /bricks/types    names of the types, by number (texts)
//   /bricks/root     uint32 [entries * entry_words]: type in bits 0 to 3, place above, in words. Dense: an entry
//                    for each brick, x fastest. docs/formats.md describes sparse roots, which have attributes
//                    group_levels and place_log2 and the datasets groups, blocksL and listL
//   /bricks/NAME     uint32: the bricks of that type, as libvox/bricks says; attribute bricks: how many
//
// A voxel's word xor the bits of the background is its value.

// The coarser levels of a volume are groups of the same form, /bricks_1, /bricks_2, …; attribute levels uint32 of /bricks is
// their number, and absent if there are none.

std::string bricks_group_name(uint32_t level);
void write_bricks_group(const h5::Object& file, const bricks::FrozenBricks& bricks,
                        const Compression& compression, uint32_t level = 0, uint32_t coarser = 0);

// Reads what a file with a scene's bricks and nothing else states about the scene: the palette, the place in the world and
// the origin. Its DAG is empty. Throws Error if the file has no palette, because the bricks are a volume's.
dag::VoxelScene read_scene_of_bricks_but_voxels(const std::filesystem::path& path);

// Throws Error: the bricks are expected to be a scene's, but are a volume's.
[[noreturn]] void fail_as_volume(const std::filesystem::path& path);

// Makes the DAG of a file's bricks, which hold the materials of the scene with these facts. Throws Error if they do not.
dag::FrozenDag dag_of_bricks(const std::filesystem::path& path, const dag::VoxelScene& facts,
                             uint64_t memory_limit);

// Checks everything that access to the bricks relies on. Throws Error that names the defect.
bricks::FrozenBricks read_bricks_group(const h5::Object& file, uint32_t level = 0);
// Returns the bytes that the bricks of each level take in memory, beginning with the finest.
std::vector<uint64_t> bricks_group_bytes(const h5::Object& file);

// Reads and writes values of voxels as the groups /attributes/colors and /attributes/normals of a scene file:
//
//   /attributes/NAME         attributes count uint64 (of values: the scene's filled voxels), value_bits uint32, bytes
//                            uint64 (of all blocks), digest (text)
//   /attributes/NAME/groups  uint64 [4 * groups]: the heads of groups
//   /attributes/NAME/words   uint32: the bytes of blocks, four in a word, the first in the lowest bits
//   /attributes/NAME/table   uint32: the values of which blocks hold the numbers; absent if they hold values
//
// docs/formats.md describes groups and blocks.

enum class VoxelAttribute { Colors, Normals };

bool has_attribute_group(const h5::Object& file, VoxelAttribute attribute);
void write_attribute_group(const h5::Object& file, VoxelAttribute attribute,
                           const attributes::PackedValues& values, const Compression& compression);
// Returns nothing if the file does not have the attribute. Throws Error that names the defect unless all values can
// be read, there are as many as the scene has voxels, and they have their digest. With a budget, the blocks stay in
// the file if their compression allows it: they are read when they are used, within the budget. The heads, a third of
// a bit for each voxel, are always in memory.
std::optional<attributes::PackedValues> read_attribute_group(const h5::Object& file, VoxelAttribute attribute,
                                                             uint64_t voxels,
                                                             const std::shared_ptr<PagedBudget>& budget = {});

// Returns the digest that a file states. `object` is where the text stands.
dag::Digest checked_digest(const std::string& text, const h5::Object& object);

// Returns what is known about the values without reading them.
std::optional<AttributeInfo> attribute_info_of(const h5::Object& file, VoxelAttribute attribute);

// Reads and writes a spatial hash as the group /hash of a scene file:
//
//   /hash           attributes version 2, table "lines", layout "morton" | "linear", resolution,
//                   material_bits 0 | 4, key_bits 60, value_bits 4, line_cells 16, bucket_cells 8, voxels,
//                   lines, seed, probes, apart 0 | 1, load_factor; arithmetic: a text that says how a voxel
//                   is found
//   /hash/cells     uint64 [16 * lines + 1]
//
// docs/formats.md describes each of them.

void write_hash_group(const h5::Object& file, const spatial::FrozenHash& hash,
                      const Compression& compression);

// Checks everything that searches rely on. Throws Error that names the defect.
spatial::FrozenHash read_hash_group(const h5::Object& file);

// The levels of the SVDAG of a scene file. The words of a level lie in one dataset or, run after run, in one dataset of
// each part. Child numbers have 4 or 8 bytes in the file (docs/formats.md), and 4 in memory.

// A level whose attributes and places of nodes have been read.
struct SvdagLevel {
  std::string where;       // for messages: the file and its group
  dag::LevelForm form;     // 12 B
  LevelSizes sizes;        // 24 B
  LevelOfParts runs = {};  // one run if the scene is not in parts
  LongWords starts = {};   // in the form for memory; none in files of version 1

  bool has_long_numbers() const { return runs.word_begins.back() != sizes.words; }
};

// Opens all levels of a DAG; `parts` is empty if the scene is not in parts. Throws Error if the file contradicts itself
// or a level has too many nodes.
std::vector<SvdagLevel> open_levels(const h5::Object& svdag, std::span<const OpenPart> parts,
                                    uint32_t version, const dag::FrozenDag& dag);

// Returns the words of a level, given those in the file.
Words words_in_memory(const SvdagLevel& level, Words in_file);

// Reads words of a level in their form in memory, from number `first` on.
struct LevelReader {
  std::function<void(uint64_t first, std::span<uint32_t> to)> read;
  uint64_t piece_words = 0;  // the number of words that are best read together
};

// Returns a reader that any thread may use, even in the handler of a fault, or nothing if the form of the words does
// not allow that. `files` are the files of the runs.
std::optional<LevelReader> level_reader(const SvdagLevel& level,
                                        std::span<const std::shared_ptr<const ReadFile>> files);

}  // namespace vox
