// The chunks of a dataset of words: how words become the bytes of a chunk in the file, and back. HDF5 runs
// its filters on one thread; here each thread has a coder, and HDF5 receives finished chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "formats/io/compression.h"
#include "formats/io/deflate.h"
#include "formats/io/h5.h"

struct libdeflate_decompressor;

namespace vox::h5 {

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

  // `words` has at most a chunk's number of words; a shorter last chunk of a dataset is padded with zeros.
  Bytes encoded(std::span<const Word> words);
  // Returns false if the bytes are not a chunk.
  bool decode(std::span<const uint8_t> bytes, std::span<Word> words);

  // Returns the most bytes that an encoded chunk may have.
  static uint64_t most_bytes(const ChunkFormat& format);

 private:
  ChunkFormat format_;
  std::unique_ptr<Deflater> deflater_;  // created when first needed
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor_;
  Bytes shuffled_;
};

}  // namespace vox::h5
