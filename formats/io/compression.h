// Compresses pieces of memory, and computes sums that show if bytes are unchanged.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formats/io/output_file.h"
#include "libvox/base/paged_memory.h"

struct libdeflate_compressor;

namespace vox {

// The levels of deflate.
inline constexpr int kFastestDeflate = 1, kSmallestDeflate = 9;

// The method by which large arrays of words in files are compressed.
struct Compression {
  enum class Method { None, Deflate, Zstd };
  Method method = Method::Deflate;
  // For Deflate. Masks, materials and pointers seldom repeat: for words of textured surfaces, level 6 makes
  // files 5 % smaller than the fastest level and takes six times as long.
  int level = kFastestDeflate;
};

// The following functions compress pieces of memory as zlib does. ISA-L, if the build has it, compresses words of
// scenes 2.6 times as fast as libdeflate's fastest level, into 2 % more bytes. libdeflate inflates as fast as ISA-L.

using Bytes = std::vector<uint8_t, UninitializedAllocator<uint8_t>>;

// Returns the greatest size that this many bytes can have when deflated.
uint64_t deflate_bound(uint64_t bytes);

// The compressor of one thread.
class Deflater {
 public:
  explicit Deflater(int level);  // kFastestDeflate to kSmallestDeflate
  ~Deflater();
  Deflater(Deflater&&) noexcept;
  Deflater& operator=(Deflater&&) = delete;

  // Equal bytes give equal results on one machine, except at kFastestDeflate: ISA-L 2.30 encodes one in
  // several hundred or thousand pieces differently, with a byte or two more or less, depending on its
  // stream's address in memory.
  Bytes deflated(std::span<const uint8_t> bytes);

 private:
  struct Fast;  // the state of ISA-L
  std::unique_ptr<Fast> fast_;
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor_;
};

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

// Returns the size of bytes that are deflated a MiB at a time, at the smallest level and on all cores.
uint64_t deflated_size(std::span<const uint8_t> bytes);

// The following functions inflate data of a known size.

inline constexpr uint64_t kDeflateRatio = 1032;  // the most bytes that one deflated byte can stand for

enum class Deflated { Gzip, Zlib };

// The inflated bytes. They are in a file without a name, so they may be larger than memory.
class InflatedBytes {
 public:
  // Throws an Error that names `source` if the data is damaged or does not have exactly `size` bytes.
  InflatedBytes(std::span<const std::byte> deflated, Deflated format, uint64_t size,
                const std::filesystem::path& source);

  std::span<const std::byte> bytes() const { return file_.bytes(); }

 private:
  NamelessFile file_;
};

// Returns the first `count` bytes of gzip data, or all if there are fewer. The checksum is not verified, so a
// caller that inflates the whole data must check that it begins with these bytes.
std::vector<std::byte> inflated_start(std::span<const std::byte> gzip, size_t count);

// HDF5's shuffle filter: it stores the lowest bytes of all words, then the second lowest, and so on. The
// loops go over one plane of bytes, or over independent words, so that the compiler can vectorize them.

// Each plane has room for `plane_bytes` words; there may be fewer words than that.
template <class Word>
void shuffle_bytes(std::span<const Word> words, uint8_t* bytes, size_t plane_bytes) {
  constexpr size_t kBlock = 8192 / sizeof(Word);  // stays in the nearest cache while its planes are written
  for (size_t begin = 0; begin < words.size(); begin += kBlock) {
    const std::span<const Word> block = words.subspan(begin, std::min(kBlock, words.size() - begin));
    for (size_t plane = 0; plane < sizeof(Word); ++plane) {
      uint8_t* __restrict to = bytes + plane * plane_bytes + begin;
      for (size_t i = 0; i < block.size(); ++i) to[i] = static_cast<uint8_t>(block[i] >> 8 * plane);
    }
  }
}

template <class Word>
void unshuffle_bytes(const uint8_t* bytes, std::span<Word> words, size_t plane_bytes) {
  Word* __restrict to = words.data();
  [&]<size_t... plane>(std::index_sequence<plane...>) {
    for (size_t i = 0; i < words.size(); ++i)
      to[i] = ((static_cast<Word>(bytes[plane * plane_bytes + i]) << 8 * plane) | ...);
  }
  (std::make_index_sequence<sizeof(Word)>());
}

// A checksum of bytes. A flipped or missing byte changes it. It does not protect against deliberate changes.
class CheckSum {
 public:
  // Adds bytes, padded with zeros to a multiple of 8 bytes, using all cores.
  CheckSum& add(std::span<const std::byte> bytes);

  template <class T>
  CheckSum& add_values(std::span<const T> values) {
    return add(std::as_bytes(values));
  }

  uint64_t value() const;

 private:
  uint64_t sum_ = 0, words_ = 0;
};

// HDF5's checksum, the 32-bit Fletcher checksum: two sums modulo 2^16 − 1 over the 16-bit words of a piece of
// memory, in big-endian order. In the second sum each word is multiplied by the number of words from it to
// the end. A sum that is a multiple of the modulus is stored as 2^16 − 1, unless all words are 0.

inline constexpr uint64_t kFletcher32Bytes = 4;

// Returns the bytes that HDF5 stores after a chunk of an even number of bytes.
std::array<uint8_t, kFletcher32Bytes> fletcher32(std::span<const uint8_t> bytes);

// Zstandard, if the build has its library: the size that bytes have after compression, and decompression.

// Returns a function that compresses bytes in pieces of a MiB, at level 19 and on all cores, and returns the compressed
// size. In a build without libzstd, the log says so, and an empty function is returned.
std::function<uint64_t(std::span<const uint8_t>)> zstd_size_or_none();

// Fills `to` with the bytes of compressed data. Throws Error if the data is damaged or has another number of bytes,
// and in a build without libzstd.
void unpack_zstd(std::span<const std::byte> packed, std::span<std::byte> to);

}  // namespace vox
