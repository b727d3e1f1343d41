// Reads and writes large arrays of 32-bit or 64-bit words in an HDF5 file. Each array is a dataset of one
// dimension, chunked, shuffled and deflated. All threads compress and inflate chunks. Other readers (h5py)
// see an ordinary dataset.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "formats/io/read_file.h"
#include "libvox/base/words.h"

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
