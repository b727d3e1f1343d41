// The chunks of a dataset of words: how words become the bytes of a chunk that a file holds, and back. HDF5
// runs its filters on one thread; here each thread has a coder, and chunks are handed over complete.
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
  Compression compression;  // deflated after a byte shuffle; or as they are, with a checksum
  uint64_t words = 0;       // of a chunk
};

// The properties of a new dataset with such chunks. Throws what check_available() throws.
Handle chunked_properties(const ChunkFormat& format);

// The format of a dataset whose chunks a coder can read; nothing for any other dataset.
std::optional<ChunkFormat> chunk_format(const Object& dataset);

// Of one thread. A word has 32 or 64 bits.
template <class Word>
class ChunkCoder {
 public:
  explicit ChunkCoder(const ChunkFormat& format);
  ~ChunkCoder();

  // At most as many words as a chunk has: the last one of a dataset is filled up with zeros.
  Bytes encoded(std::span<const Word> words);
  // False where the bytes are no chunk.
  bool decode(std::span<const uint8_t> bytes, std::span<Word> words);

  // The most bytes that a chunk may have.
  static uint64_t most_bytes(const ChunkFormat& format);

 private:
  ChunkFormat format_;
  std::unique_ptr<Deflater> deflater_;  // made when it is needed
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor_;
  Bytes shuffled_;
};

}  // namespace vox::h5
