#include "formats/scene/groups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "formats/io/output_file.h"
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

// Finds the chunks of a dataset. The library tells the size of a chunk at once, but looks through all chunks before it to
// tell its place. Chunks mostly lie one behind the other: if the places of two chunks are as far apart as the sizes of the
// chunks from one to the other say, those between them need not be asked for.
class ChunkFinder {
 public:
  ChunkFinder(const Object& dataset, const ChunkFormat& format, uint64_t words, uint64_t most_bytes)
      : dataset_(dataset),
        format_(format),
        most_bytes_(most_bytes),
        count_(words / format.words + (words % format.words != 0)) {}

  std::vector<StoredChunk> find() {
    if (count_ == 0) return {};
    const Quiet quiet;
    for (uint64_t chunk = 0; chunk < count_; ++chunk) {
      const hsize_t first = chunk * format_.words;
      hsize_t bytes = 0;
      check(H5Dget_chunk_storage_size(dataset_.id, &first, &bytes), dataset_.where(), "cannot be read");
      if (bytes == 0 || bytes > most_bytes_) fail(chunk, bytes);
      chunks_.push_back({.bytes = bytes});
    }
    ask_place(0);
    if (count_ > 1) ask_place(count_ - 1);
    find_between(0, count_ - 1);
    return std::move(chunks_);
  }

 private:
  [[noreturn]] void fail(uint64_t chunk, uint64_t bytes) const {
    throw Error(fmt::format("the chunk from word {} has {} bytes", chunk * format_.words, bytes))
        .at(dataset_.where());
  }

  void ask_place(uint64_t chunk) {
    const hsize_t first = chunk * format_.words;
    unsigned skipped_filters = 0;
    haddr_t at = HADDR_UNDEF;
    hsize_t bytes = 0;
    check(H5Dget_chunk_info_by_coord(dataset_.id, &first, &skipped_filters, &at, &bytes), dataset_.where(),
          "cannot be read");
    if (at == HADDR_UNDEF || bytes != chunks_[chunk].bytes || skipped_filters != 0) fail(chunk, bytes);
    chunks_[chunk].at = at;
  }

  // Finds the places of the chunks between two that have theirs.
  void find_between(uint64_t low, uint64_t high) {
    uint64_t end = chunks_[low].at;
    for (uint64_t chunk = low; chunk < high; ++chunk) end += chunks_[chunk].bytes;
    if (end == chunks_[high].at) {
      for (uint64_t chunk = low + 1; chunk < high; ++chunk)
        chunks_[chunk].at = chunks_[chunk - 1].at + chunks_[chunk - 1].bytes;
    } else if (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      ask_place(middle);
      find_between(low, middle);
      find_between(middle, high);
    }
  }

  const Object& dataset_;
  const ChunkFormat& format_;
  uint64_t most_bytes_, count_;
  std::vector<StoredChunk> chunks_;  // only those that are there, because the file may state any number
};

}  // namespace

// Reads the words of a dataset, the first of which are in chunk 0, chunk by chunk.
template <class Word>
struct ChunkReader {
  std::shared_ptr<const ReadFile> file;
  std::string where;
  ChunkFormat format;
  std::vector<StoredChunk> chunks;

  ChunkReader(const Object& dataset, std::shared_ptr<const ReadFile> its_file, const ChunkFormat& its_format,
              uint64_t words)
      : file(std::move(its_file)),
        where(dataset.where()),
        format(its_format),
        chunks(ChunkFinder(dataset, its_format, words, ChunkCoder<Word>::most_bytes(its_format)).find()) {}

  // Any thread may call this with a coder of its own.
  void read(ChunkCoder<Word>& coder, uint64_t chunk, std::span<Word> to) const {
    Bytes bytes(chunks[chunk].bytes);
    file->read(chunks[chunk].at, std::as_writable_bytes(std::span(bytes)));
    if (!coder.decode(bytes, to))
      throw Error(fmt::format("the chunk from word {} is damaged", chunk * format.words)).at(where);
  }
};

namespace {

// Each thread reads the next chunk from the file and inflates it.
template <class Word>
void read_in_parallel(const Object& dataset, const ChunkFormat& format, std::span<Word> words) {
  const ChunkReader<Word> reader(dataset, file_of(dataset), format, words.size());
  Coders<Word> coders([&] { return ChunkCoder<Word>(format); });
  uint64_t next = 0;
  auto take = [&](tbb::flow_control& flow) -> uint64_t {
    throw_if_cancelled();
    if (next >= reader.chunks.size()) flow.stop();
    return next++;
  };
  auto read = [&](uint64_t chunk) {
    const std::span<Word> rest = words.subspan(chunk * format.words);
    reader.read(coders.local(), chunk, rest.first(std::min<uint64_t>(rest.size(), format.words)));
  };
  tbb::parallel_pipeline(chunks_for(kReadAhead),
                         tbb::make_filter<void, uint64_t>(tbb::filter_mode::serial_in_order, take) &
                             tbb::make_filter<uint64_t, void>(tbb::filter_mode::parallel, read));
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

template <class Array>
Array read(std::span<const Object> datasets, hid_t type) {
  using Word = typename Array::value_type;
  std::vector<uint64_t> sizes;
  for (const Object& dataset : datasets) sizes.push_back(checked_size(dataset, type));
  Array words(std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}));
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

// With a block of other data before the HDF5 file, releases of the library tell different places of chunks.
bool has_user_block(const Object& dataset) {
  const Handle file(check(H5Iget_file_id(dataset.id), dataset.where(), "cannot be read"), H5Fclose);
  const Handle properties(check(H5Fget_create_plist(file), dataset.where(), "cannot be read"), H5Pclose);
  hsize_t bytes = 0;
  return H5Pget_userblock(properties, &bytes) >= 0 && bytes > 0;
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
  if (has_user_block(dataset)) return std::nullopt;
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
  const uint64_t words = words_in(dataset);
  return WordReader(std::make_shared<const ChunkReader<uint32_t>>(dataset, std::move(file), *format, words),
                    words);
}

uint64_t WordReader::chunk_words() const {
  return chunks_->format.words;
}

// The pieces that a loop reads begin and end within chunks. A thread most often reads the next piece afterwards, so it keeps
// the last chunk of which only a part was wanted.
void WordReader::read(uint64_t first, std::span<uint32_t> to) const {
  struct Kept {
    std::weak_ptr<const Chunks> from;
    uint64_t chunk = 0;
    Words words;
  };
  static thread_local Kept kept;
  const uint64_t chunk_words = chunks_->format.words;
  ChunkCoder<uint32_t> coder(chunks_->format);
  while (!to.empty()) {
    const uint64_t chunk = first / chunk_words, begin = chunk * chunk_words;
    const uint64_t end = std::min(begin + chunk_words, words_);
    const uint64_t count = std::min<uint64_t>(end - first, to.size());
    if (first == begin && count == end - begin) {
      chunks_->read(coder, chunk, to.first(count));
    } else {
      if (kept.chunk != chunk || kept.from.owner_before(chunks_) || chunks_.owner_before(kept.from)) {
        kept.from.reset();
        kept.words.resize(end - begin);
        chunks_->read(coder, chunk, kept.words);
        kept.from = chunks_;
        kept.chunk = chunk;
      }
      std::copy_n(kept.words.begin() + static_cast<ptrdiff_t>(first - begin), count, to.begin());
    }
    first += count;
    to = to.subspan(count);
  }
}

}  // namespace vox::h5
