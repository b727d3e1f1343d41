#include "formats/scene/h5_words.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"

namespace vox::h5 {
namespace {

constexpr uint64_t kChunkBytes = 1 << 20;
// From this size on, a dataset is worth large pages and an early start of writing to disk.
constexpr uint64_t kLargeBytes = 64 << 20;

template <class Word>
using Coders = tbb::enumerable_thread_specific<ChunkCoder<Word>>;

// A chunk in the pipeline.
struct Chunk {
  hsize_t first = 0;  // its first word
  Bytes bytes;
};

// Returns how many chunks may be in the pipeline at once.
size_t chunks_for(size_t each) {
  return each * static_cast<size_t>(tbb::info::default_concurrency()) + 2 * each;
}
constexpr size_t kReadAhead = 2, kWriteBehind = 6;  // chunks for each core: disks pause longer when written

Bytes read_chunk(const Object& dataset, hsize_t first, uint64_t most_bytes) {
  Quiet quiet;
  hsize_t size = 0;
  uint32_t skipped_filters = 0;
  check(H5Dget_chunk_storage_size(dataset.id, &first, &size), dataset.where(), "cannot be read");
  if (size == 0 || size > most_bytes)
    throw Error(fmt::format("the chunk from word {} has {} bytes", first, size)).at(dataset.where());
  Bytes bytes(size);
  check(H5Dread_chunk(dataset.id, H5P_DEFAULT, &first, &skipped_filters, bytes.data()), dataset.where(),
        "cannot be read");
  if (skipped_filters != 0)
    throw Error(fmt::format("the chunk from word {} is not compressed", first)).at(dataset.where());
  return bytes;
}

template <class Word>
void read_in_parallel(const Object& dataset, const ChunkFormat& format, std::span<Word> words) {
  Coders<Word> coders([&] { return ChunkCoder<Word>(format); });
  const uint64_t most_bytes = ChunkCoder<Word>::most_bytes(format);
  hsize_t next = 0;
  auto read = [&](tbb::flow_control& flow) -> Chunk {
    throw_if_cancelled();
    if (next >= words.size()) {
      flow.stop();
      return {};
    }
    const hsize_t first = std::exchange(next, next + format.words);
    return {first, read_chunk(dataset, first, most_bytes)};
  };
  auto decode = [&](const Chunk& chunk) {
    const uint64_t count = std::min<uint64_t>(format.words, words.size() - chunk.first);
    if (!coders.local().decode(chunk.bytes, words.subspan(chunk.first, count)))
      throw Error(fmt::format("the chunk from word {} is damaged", chunk.first)).at(dataset.where());
  };
  tbb::parallel_pipeline(chunks_for(kReadAhead),
                         tbb::make_filter<void, Chunk>(tbb::filter_mode::serial_in_order, read) &
                             tbb::make_filter<Chunk, void>(tbb::filter_mode::parallel, decode));
}

// Compresses chunks on all threads and writes them in order.
template <class Word>
void write_in_parallel(const Object& dataset, const ChunkFormat& format, std::span<const Word> words) {
  Coders<Word> coders([&] { return ChunkCoder<Word>(format); });
  std::optional<WriteBehind> behind;
  if (words.size_bytes() >= kLargeBytes) behind.emplace(descriptor(dataset));
  hsize_t next = 0;
  auto cut = [&](tbb::flow_control& flow) -> hsize_t {
    throw_if_cancelled();
    if (next >= words.size()) flow.stop();
    return std::exchange(next, next + format.words);
  };
  auto encode = [&](hsize_t first) -> Chunk {
    const uint64_t count = std::min<uint64_t>(format.words, words.size() - first);
    return {first, coders.local().encoded(words.subspan(first, count))};
  };
  auto write = [&](const Chunk& chunk) {
    Quiet quiet;
    check(H5Dwrite_chunk(dataset.id, H5P_DEFAULT, 0, &chunk.first, chunk.bytes.size(), chunk.bytes.data()),
          dataset.where(), "cannot be written");
    if (behind) behind->wrote(chunk.bytes.size());
  };
  tbb::parallel_pipeline(chunks_for(kWriteBehind),
                         tbb::make_filter<void, hsize_t>(tbb::filter_mode::serial_in_order, cut) &
                             tbb::make_filter<hsize_t, Chunk>(tbb::filter_mode::parallel, encode) &
                             tbb::make_filter<Chunk, void>(tbb::filter_mode::serial_in_order, write));
}

template <class Word>
Object write(const Object& parent, const std::string& name, hid_t type, std::span<const Word> words,
             const Compression& compression) {
  const ChunkFormat format = {compression, std::clamp<uint64_t>(words.size(), 1, kChunkBytes / sizeof(Word))};
  Object dataset = create_dataset(parent, name, type, {words.size()}, chunked_properties(format));
  if (compression.method == Compression::Method::Zstd) {
    check(H5Dwrite(dataset.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data()), dataset.where(),
          "cannot be written");
  } else {
    write_in_parallel(dataset, format, words);
  }
  return dataset;
}

// Checks that the dataset is one dimension of such words, and returns their number.
uint64_t checked_size(const Object& dataset, hid_t expected) {
  const Handle type(check(H5Dget_type(dataset.id), dataset.where(), "cannot be read"), H5Tclose);
  const std::vector<hsize_t> dims = dimensions(dataset);
  if (dims.size() != 1 || H5Tequal(type, expected) <= 0)
    throw Error(fmt::format("expected one dimension of {}-bit unsigned words", 8 * H5Tget_size(expected)))
        .at(dataset.where());
  return dims[0];
}

// Asks the system for large pages, because the first touch of gigabytes is faster with them.
template <class Array>
Array on_large_pages(Array words) {
  constexpr uint64_t kPage = 4096;
  const uint64_t bytes = words.size() * sizeof(words[0]);
  const uint64_t before = (kPage - reinterpret_cast<uintptr_t>(words.data()) % kPage) % kPage;
  if (bytes >= kLargeBytes)
    madvise(reinterpret_cast<char*>(words.data()) + before, (bytes - before) / kPage * kPage, MADV_HUGEPAGE);
  return words;
}

template <class Array>
Array read(std::span<const Object> datasets, hid_t type) {
  using Word = typename Array::value_type;
  std::vector<uint64_t> sizes;
  for (const Object& dataset : datasets) sizes.push_back(checked_size(dataset, type));
  Array words = on_large_pages(Array(std::accumulate(sizes.begin(), sizes.end(), uint64_t{0})));
  std::span<Word> left(words);
  for (size_t i = 0; i < sizes.size(); left = left.subspan(sizes[i++])) {
    const std::span<Word> to = left.first(sizes[i]);
    if (const std::optional<ChunkFormat> format = chunk_format(datasets[i])) {
      read_in_parallel(datasets[i], *format, to);
    } else {
      std::fill(to.begin(), to.end(), 0);  // the library may skip chunks that were never written
      check(H5Dread(datasets[i].id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to.data()), datasets[i].where(),
            "cannot be read");
    }
  }
  return words;
}

}  // namespace

Object write_words(const Object& parent, const std::string& name, std::span<const uint32_t> words,
                   const Compression& compression) {
  return write(parent, name, H5T_STD_U32LE, words, compression);
}

Object write_words(const Object& parent, const std::string& name, std::span<const uint64_t> words,
                   const Compression& compression) {
  return write(parent, name, H5T_STD_U64LE, words, compression);
}

Words read_words(const Object& dataset) {
  return read<Words>({&dataset, 1}, H5T_STD_U32LE);
}

Words read_words(std::span<const Object> datasets) {
  return read<Words>(datasets, H5T_STD_U32LE);
}

LongWords read_long_words(const Object& dataset) {
  return read<LongWords>({&dataset, 1}, H5T_STD_U64LE);
}

uint64_t words_in(const Object& dataset) {
  return checked_size(dataset, H5T_STD_U32LE);
}

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

std::shared_ptr<const ReadFile> file_of(const Object& object) {
  return std::make_shared<ReadFile>(fcntl(descriptor(object), F_DUPFD_CLOEXEC, 0), object.file);
}

std::optional<WordReader> WordReader::open(const Object& dataset, std::shared_ptr<const ReadFile> file) {
  const std::optional<ChunkFormat> format = chunk_format(dataset);
  if (!format) return std::nullopt;
  return WordReader(dataset, std::move(file), *format);
}

WordReader::WordReader(const Object& dataset, std::shared_ptr<const ReadFile> file, const ChunkFormat& format)
    : file_(std::move(file)), where_(dataset.where()), format_(format), words_(words_in(dataset)) {
  const uint64_t most = Coder::most_bytes(format);
  for (hsize_t first = 0; first < words_; first += format.words) {
    unsigned skipped_filters = 0;
    haddr_t at = HADDR_UNDEF;
    hsize_t bytes = 0;
    check(H5Dget_chunk_info_by_coord(dataset.id, &first, &skipped_filters, &at, &bytes), where_,
          "cannot be read");
    if (at == HADDR_UNDEF || bytes == 0 || bytes > most || skipped_filters != 0)
      throw Error(fmt::format("the chunk from word {} has {} bytes", first, bytes)).at(where_);
    chunks_.push_back({at, bytes});
  }
}

void WordReader::read(uint64_t first, std::span<uint32_t> to) const {
  Coder coder(format_);
  Words whole;  // a chunk of which only a part is wanted
  while (!to.empty()) {
    const uint64_t chunk = first / format_.words, begin = chunk * format_.words;
    const uint64_t end = std::min(begin + format_.words, words_);
    const uint64_t count = std::min<uint64_t>(end - first, to.size());
    if (first == begin && count == end - begin) {
      read_chunk(coder, chunk, to.first(count));
    } else {
      whole.resize(end - begin);
      read_chunk(coder, chunk, whole);
      std::copy_n(whole.begin() + static_cast<ptrdiff_t>(first - begin), count, to.begin());
    }
    first += count;
    to = to.subspan(count);
  }
}

void WordReader::read_chunk(Coder& coder, uint64_t chunk, std::span<uint32_t> to) const {
  Bytes bytes(chunks_[chunk].bytes);
  file_->read(chunks_[chunk].at, std::as_writable_bytes(std::span(bytes)));
  if (!coder.decode(bytes, to))
    throw Error(fmt::format("the chunk from word {} is damaged", chunk * format_.words)).at(where_);
}

}  // namespace vox::h5
