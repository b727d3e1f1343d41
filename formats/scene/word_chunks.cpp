#include "formats/scene/word_chunks.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "formats/io/byte_shuffle.h"
#include "formats/io/fletcher32.h"
#include "formats/scene/h5_words.h"
#include "libvox/base/error.h"

namespace vox::h5 {
namespace {

using Method = Compression::Method;

constexpr H5Z_filter_t kZstd = 32015;  // as registered with The HDF Group
constexpr unsigned kZstdLevel = 3;     // Zstandard's own default

// Returns the filters of a dataset in the order in which writing applies them.
std::vector<H5Z_filter_t> filters_of(hid_t properties) {
  std::vector<H5Z_filter_t> filters;
  for (int i = 0; i < H5Pget_nfilters(properties); ++i) {
    unsigned flags = 0, config = 0;
    size_t values = 0;
    filters.push_back(
        H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &config));
  }
  return filters;
}

}  // namespace

void check_available(const Compression& compression) {
  const Quiet quiet;
  if (compression.method != Method::Zstd || H5Zfilter_avail(kZstd) > 0) return;
  throw Error("HDF5 finds no plugin for Zstandard, its filter 32015")
      .hint("install one and set HDF5_PLUGIN_PATH to its folder, or take another compression");
}

Handle chunked_properties(const ChunkFormat& format) {
  check_available(format.compression);
  Handle properties = dataset_properties();
  const hsize_t words = format.words;
  H5Pset_chunk(properties, 1, &words);
  switch (format.compression.method) {
    case Method::None:
      H5Pset_fletcher32(properties);
      break;
    case Method::Deflate:
      H5Pset_shuffle(properties);
      H5Pset_deflate(properties, static_cast<unsigned>(format.compression.level));
      break;
    case Method::Zstd:
      H5Pset_shuffle(properties);
      H5Pset_filter(properties, kZstd, H5Z_FLAG_MANDATORY, 1, &kZstdLevel);
      break;
  }
  return properties;
}

std::optional<ChunkFormat> chunk_format(const Object& dataset) {
  const Handle properties(check(H5Dget_create_plist(dataset.id), dataset.where(), "cannot be read"),
                          H5Pclose);
  hsize_t words = 0;
  if (H5Pget_layout(properties) != H5D_CHUNKED || H5Pget_chunk(properties, 1, &words) != 1)
    return std::nullopt;
  const std::vector<H5Z_filter_t> filters = filters_of(properties);
  if (filters == std::vector<H5Z_filter_t>{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE})
    return ChunkFormat{{.method = Method::Deflate}, words};
  if (filters == std::vector<H5Z_filter_t>{H5Z_FILTER_FLETCHER32})
    return ChunkFormat{{.method = Method::None}, words};
  return std::nullopt;
}

template <class Word>
ChunkCoder<Word>::ChunkCoder(const ChunkFormat& format)
    : format_(format), decompressor_(libdeflate_alloc_decompressor(), libdeflate_free_decompressor) {}

template <class Word>
ChunkCoder<Word>::~ChunkCoder() = default;

template <class Word>
uint64_t ChunkCoder<Word>::most_bytes(const ChunkFormat& format) {
  const uint64_t bytes = sizeof(Word) * format.words;
  return format.compression.method == Method::None ? bytes + kFletcher32Bytes : deflate_bound(bytes);
}

template <class Word>
Bytes ChunkCoder<Word>::encoded(std::span<const Word> words) {
  const uint64_t bytes = sizeof(Word) * format_.words;
  if (format_.compression.method == Method::None) {
    Bytes chunk(bytes);
    std::memcpy(chunk.data(), words.data(), words.size_bytes());
    std::fill(chunk.begin() + static_cast<ptrdiff_t>(words.size_bytes()), chunk.end(), uint8_t{0});
    const std::array<uint8_t, kFletcher32Bytes> sum = fletcher32(chunk);
    chunk.insert(chunk.end(), sum.begin(), sum.end());
    return chunk;
  }
  if (!deflater_) deflater_ = std::make_unique<Deflater>(format_.compression.level);
  shuffled_.resize(bytes);
  if (words.size() < format_.words) std::fill(shuffled_.begin(), shuffled_.end(), uint8_t{0});
  shuffle_bytes(words, shuffled_.data(), format_.words);
  return deflater_->deflated(shuffled_);
}

template <class Word>
bool ChunkCoder<Word>::decode(std::span<const uint8_t> bytes, std::span<Word> words) {
  const uint64_t size = sizeof(Word) * format_.words;
  if (format_.compression.method == Method::None) {
    if (bytes.size() != size + kFletcher32Bytes) return false;
    const std::array<uint8_t, kFletcher32Bytes> sum = fletcher32(bytes.first(size));
    if (!std::equal(sum.begin(), sum.end(), bytes.begin() + static_cast<ptrdiff_t>(size))) return false;
    std::memcpy(words.data(), bytes.data(), words.size_bytes());
    return true;
  }
  shuffled_.resize(size);
  if (libdeflate_zlib_decompress(decompressor_.get(), bytes.data(), bytes.size(), shuffled_.data(), size,
                                 nullptr) != LIBDEFLATE_SUCCESS)
    return false;
  unshuffle_bytes<Word>(shuffled_.data(), words, format_.words);
  return true;
}

template class ChunkCoder<uint32_t>;
template class ChunkCoder<uint64_t>;

}  // namespace vox::h5
