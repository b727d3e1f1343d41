// Reads words of a dataset from any thread and in any order. The HDF5 library, which serves one thread at a time, is
// needed only to open a reader.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "formats/scene/h5_words.h"

namespace vox::h5 {

class WordReader {
 public:
  // Returns null if the dataset's chunks are not of a kind that a ChunkCoder reads.
  static std::shared_ptr<WordReader> open(const Object& dataset);
  ~WordReader();

  uint64_t words() const { return words_; }
  uint64_t chunk_words() const { return format_.words; }

  // Reads the words from number `first` on. Throws Error that names the dataset.
  void read(uint64_t first, std::span<uint32_t> to);

 private:
  using Coder = ChunkCoder<uint32_t>;
  struct StoredChunk {
    uint64_t at = 0, bytes = 0;  // in the file
  };

  WordReader(const Object& dataset, const ChunkFormat& format);
  void read_chunk(Coder& coder, uint64_t chunk, std::span<uint32_t> to);
  std::unique_ptr<Coder> take_coder();

  int file_;
  std::string where_;
  ChunkFormat format_;
  uint64_t words_;
  std::vector<StoredChunk> chunks_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Coder>> coders_;  // those that no thread uses now
};

}  // namespace vox::h5
