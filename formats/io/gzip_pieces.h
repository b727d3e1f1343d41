// Writes gzip data of any size piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "formats/io/compression.h"

namespace vox {

// A gzip file with a single member, whose bytes come in pieces. Pieces are compressed independently of each other.
// libdeflate compresses a piece into deflate data that end with a block marked as the last one. Here, this mark is
// removed, and an empty block behind it fills the last byte, so that the data of all pieces are one stream.
class GzipPieces {
 public:
  explicit GzipPieces(int level);  // kFastestDeflate to kSmallestDeflate

  // These return the next bytes of the file: those of a piece, and those behind the last piece.
  Bytes piece(std::span<const std::byte> bytes);
  Bytes end() const;

 private:
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor_;
  uint32_t crc_ = 0;
  uint64_t size_ = 0;
};

}  // namespace vox
