#include "formats/io/compression.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"

#ifdef VOX_HAS_ISAL
#include <isa-l/igzip_lib.h>
#endif
#ifdef VOX_HAS_ZSTD
#include <zstd.h>
#endif

namespace vox {

#ifdef VOX_HAS_ISAL
struct Deflater::Fast {
  isal_zstream stream;
  std::vector<uint8_t> memory = std::vector<uint8_t>(ISAL_DEF_LVL1_DEFAULT);

  // Returns the number of bytes written; 0 if there is not enough room.
  size_t deflate(std::span<const uint8_t> bytes, std::span<uint8_t> to) {
    isal_deflate_stateless_init(&stream);
    stream.level = 1;
    stream.level_buf = memory.data();
    stream.level_buf_size = static_cast<uint32_t>(memory.size());
    stream.gzip_flag = IGZIP_ZLIB;
    stream.end_of_stream = 1;
    stream.next_in = const_cast<uint8_t*>(bytes.data());
    stream.avail_in = static_cast<uint32_t>(bytes.size());
    stream.next_out = to.data();
    stream.avail_out = static_cast<uint32_t>(to.size());
    return isal_deflate_stateless(&stream) == COMP_OK ? stream.total_out : 0;
  }
};
#else
struct Deflater::Fast {};
#endif

uint64_t deflate_bound(uint64_t bytes) {
  return libdeflate_zlib_compress_bound(nullptr, bytes);
}

Deflater::Deflater(int level) : compressor_(libdeflate_alloc_compressor(level), libdeflate_free_compressor) {
#ifdef VOX_HAS_ISAL
  if (level == kFastestDeflate) fast_ = std::make_unique<Fast>();
#endif
}

Deflater::~Deflater() = default;
Deflater::Deflater(Deflater&&) noexcept = default;

Bytes Deflater::deflated(std::span<const uint8_t> bytes) {
  Bytes result(deflate_bound(bytes.size()));
  size_t size = 0;
#ifdef VOX_HAS_ISAL
  if (fast_) size = fast_->deflate(bytes, result);
#endif
  if (size == 0)
    size =
        libdeflate_zlib_compress(compressor_.get(), bytes.data(), bytes.size(), result.data(), result.size());
  result.resize(size);
  return result;
}

uint64_t deflated_size(std::span<const uint8_t> bytes) {
  constexpr uint64_t kPiece = 1 << 20;
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, (bytes.size() + kPiece - 1) / kPiece, 1), uint64_t{0},
      [&](const tbb::blocked_range<uint64_t>& range, uint64_t size) {
        Deflater deflater(kSmallestDeflate);
        for (uint64_t piece = range.begin(); piece < range.end(); ++piece) {
          throw_if_cancelled();
          const uint64_t begin = piece * kPiece;
          size += deflater.deflated(bytes.subspan(begin, std::min(kPiece, bytes.size() - begin))).size();
        }
        return size;
      },
      std::plus<>());
}

namespace {

using Decompressor = std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;

Decompressor make_decompressor() {
  return {libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
}

struct Members {
  std::span<const std::byte> in;
  std::span<std::byte> out;
};

// Inflates the next member of a gzip file, or the whole of zlib's data. Zeros behind a member, which fill a block of a tape,
// are left out, as gzip does.
libdeflate_result inflate_member(libdeflate_decompressor* decompressor, Deflated format, Members& rest) {
  size_t read = 0, written = 0;
  const auto call = format == Deflated::Gzip ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
  const libdeflate_result result =
      call(decompressor, rest.in.data(), rest.in.size(), rest.out.data(), rest.out.size(), &read, &written);
  if (result != LIBDEFLATE_SUCCESS) return result;
  rest = {rest.in.subspan(read), rest.out.subspan(written)};
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (format == Deflated::Gzip && std::ranges::all_of(rest.in, is_zero)) rest.in = {};
  return result;
}

// Checks that the deflated data can stand for so many bytes, before room is made for them, and returns the
// size.
uint64_t checked_size(uint64_t size, uint64_t deflated, const std::filesystem::path& source) {
  if (size / kDeflateRatio > deflated)
    throw Error(fmt::format("expected {} bytes of values, but {} bytes of deflated data cannot hold as many",
                            size, deflated))
        .at(source.string());
  return size;
}

}  // namespace

InflatedBytes::InflatedBytes(std::span<const std::byte> deflated, Deflated format, uint64_t size,
                             const std::filesystem::path& source)
    : file_(checked_size(size, deflated.size(), source), source) {
  auto fail = [&](const std::string& problem) { throw Error(problem).at(source.string()); };
  const Decompressor decompressor = make_decompressor();
  Members rest = {deflated, file_.bytes()};
  libdeflate_result result = LIBDEFLATE_SUCCESS;
  while (result == LIBDEFLATE_SUCCESS && !rest.in.empty())
    result = inflate_member(decompressor.get(), format, rest);
  if (result == LIBDEFLATE_SUCCESS && rest.out.empty()) return;
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
    fail(fmt::format("expected {} bytes of values, found more in its deflated data", size));
  if (result != LIBDEFLATE_SUCCESS) fail("its deflated data is damaged or truncated");
  fail(fmt::format("expected {} bytes of values, found {} in its deflated data", size,
                   size - rest.out.size()));
}

std::vector<std::byte> inflated_start(std::span<const std::byte> gzip, size_t count) {
  // The data that does not fit any more is one match, which is no longer than this.
  constexpr size_t kLongestMatch = 258;
  const Decompressor decompressor = make_decompressor();
  std::vector<std::byte> start(count + kLongestMatch);
  Members rest = {gzip, start};
  libdeflate_result result = LIBDEFLATE_SUCCESS;
  while (result == LIBDEFLATE_SUCCESS && !rest.in.empty() && !rest.out.empty())
    result = inflate_member(decompressor.get(), Deflated::Gzip, rest);
  if (result != LIBDEFLATE_INSUFFICIENT_SPACE) start.resize(start.size() - rest.out.size());
  start.resize(std::min(start.size(), count));
  return start;
}

CheckSum& CheckSum::add(std::span<const std::byte> bytes) {
  constexpr uint64_t kWord = sizeof(uint64_t);
  const uint64_t words = (bytes.size() + kWord - 1) / kWord;
  const auto add_range = [&](const tbb::blocked_range<uint64_t>& range, uint64_t sum) {
    for (uint64_t i = range.begin(); i < range.end(); ++i) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i * kWord, std::min(kWord, bytes.size() - i * kWord));
      sum += mix64(mix64(words_ + i + 1) ^ word);
    }
    return sum;
  };
  sum_ += tbb::parallel_reduce(tbb::blocked_range<uint64_t>(0, words, 1 << 16), uint64_t{0}, add_range,
                               std::plus<>());
  words_ += words;
  return *this;
}

uint64_t CheckSum::value() const {
  return mix64(sum_ ^ mix64(words_ + 1));
}

std::array<uint8_t, kFletcher32Bytes> fletcher32(std::span<const uint8_t> bytes) {
  constexpr uint64_t kModulus = 0xffff;
  // The number of words in a block: the sum of 2^12 products of 16 and 12 bits fits well into 64 bits.
  constexpr uint64_t kBlock = 4096;
  uint64_t first = 0, second = 0, any = 0;
  const uint64_t words = bytes.size() / 2;
  for (uint64_t begin = 0; begin < words; begin += kBlock) {
    const uint64_t n = std::min(kBlock, words - begin);
    const uint8_t* block = bytes.data() + 2 * begin;
    uint64_t plain = 0, weighed = 0;
    for (uint64_t i = 0; i < n; ++i) {
      const uint32_t word = static_cast<uint32_t>(block[2 * i]) << 8 | block[2 * i + 1];
      plain += word;
      weighed += word * static_cast<uint32_t>(n - i);
    }
    any |= plain;
    second = (second + n * first + weighed) % kModulus;
    first = (first + plain) % kModulus;
  }
  if (any != 0 && first == 0) first = kModulus;
  if (any != 0 && second == 0) second = kModulus;
  return {static_cast<uint8_t>(first), static_cast<uint8_t>(first >> 8), static_cast<uint8_t>(second),
          static_cast<uint8_t>(second >> 8)};
}

#ifdef VOX_HAS_ZSTD
namespace {

uint64_t zstd_size(std::span<const uint8_t> bytes) {
  constexpr uint64_t kPiece = 1 << 20;
  constexpr int kLevel = 19;
  return tbb::parallel_reduce(
      tbb::blocked_range<uint64_t>(0, (bytes.size() + kPiece - 1) / kPiece, 1), uint64_t{0},
      [&](const tbb::blocked_range<uint64_t>& range, uint64_t size) {
        std::vector<uint8_t> compressed(ZSTD_compressBound(kPiece));
        for (uint64_t piece = range.begin(); piece < range.end(); ++piece) {
          throw_if_cancelled();
          const auto part = bytes.subspan(piece * kPiece, std::min(kPiece, bytes.size() - piece * kPiece));
          const size_t made =
              ZSTD_compress(compressed.data(), compressed.size(), part.data(), part.size(), kLevel);
          if (ZSTD_isError(made) != 0) throw Error(ZSTD_getErrorName(made));
          size += made;
        }
        return size;
      },
      std::plus<>());
}

}  // namespace

std::function<uint64_t(std::span<const uint8_t>)> zstd_size_or_none() {
  return zstd_size;
}

void unpack_zstd(std::span<const std::byte> packed, std::span<std::byte> to) {
  const size_t got = ZSTD_decompress(to.data(), to.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0)
    throw Error(fmt::format("its Zstandard data is damaged, or not of {} bytes: {}", to.size(),
                            ZSTD_getErrorName(got)));
  if (got != to.size())
    throw Error(fmt::format("expected {} bytes of values, found {} in its Zstandard data", to.size(), got));
}
#else
std::function<uint64_t(std::span<const uint8_t>)> zstd_size_or_none() {
  log_info("this build has no libzstd: the form stream_zstd is left out");
  return {};
}

void unpack_zstd(std::span<const std::byte>, std::span<std::byte>) {
  throw Error("is compressed with Zstandard, and this build has no libzstd");
}
#endif

namespace {

// The code of a block (RFC 1951, 3.2.2): the number of symbols with each length, and all symbols in the order of their
// codes.
class SymbolCode {
 public:
  static constexpr uint32_t kLongest = 15;

  explicit SymbolCode(std::span<const uint8_t> lengths) {
    for (const uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<uint32_t, kLongest + 2> starts = {};
    for (uint32_t length = 1; length <= kLongest; ++length)
      starts[length + 1] = starts[length] + counts_[length];
    for (uint32_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] != 0) symbols_[starts[lengths[symbol]]++] = static_cast<uint16_t>(symbol);
  }

  // next_bit() returns the next bit of the data.
  template <class NextBit>
  uint32_t read(const NextBit& next_bit) const {
    uint32_t code = 0, first = 0, index = 0;
    for (uint32_t length = 1; length <= kLongest; ++length) {
      code = code << 1 | next_bit();
      if (code < first + counts_[length]) return symbols_[index + code - first];
      index += counts_[length];
      first = (first + counts_[length]) << 1;
    }
    throw Error("deflated data has a code without a symbol");
  }

 private:
  std::array<uint16_t, kLongest + 1> counts_ = {};
  std::array<uint16_t, 288> symbols_ = {};
};

// Walks through deflate data to find its last block.
class DeflateWalk {
 public:
  explicit DeflateWalk(std::span<const uint8_t> data) : data_(data) {
    for (bool is_last = false; !is_last;) {
      last_block_ = at_;
      is_last = bits(1) == 1;
      switch (bits(2)) {
        case 0:
          skip_stored();
          break;
        case 1:
          skip_symbols(kFixedLiterals, kFixedDistances);
          break;
        case 2:
          skip_dynamic();
          break;
        default:
          throw Error("deflated data has a block of no type");
      }
    }
  }

  // The numbers of the bits at which the last block begins, and of the one behind the data.
  uint64_t last_block() const { return last_block_; }
  uint64_t end() const { return at_; }

 private:
  static constexpr uint32_t kEndOfBlock = 256;
  static const SymbolCode kFixedLiterals, kFixedDistances;

  uint32_t bit() {
    if (at_ / 8 >= data_.size()) throw Error("deflated data ends early");
    const uint32_t bit = data_[at_ / 8] >> at_ % 8 & 1u;
    ++at_;
    return bit;
  }
  uint32_t bits(uint32_t count) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; ++i) value |= bit() << i;
    return value;
  }
  uint32_t symbol(const SymbolCode& code) {
    return code.read([this] { return bit(); });
  }

  void skip_stored() {
    constexpr uint32_t kSizeBits = 16;
    at_ = (at_ + 7) / 8 * 8;
    const uint64_t bytes = bits(kSizeBits);
    at_ += kSizeBits + 8 * bytes;  // the size stands there twice
  }

  void skip_symbols(const SymbolCode& literals, const SymbolCode& distances) {
    constexpr uint32_t kFirstLength = 257, kLongestMatch = 285, kFirstWithBits = 265, kFirstFar = 4;
    for (uint32_t found = symbol(literals); found != kEndOfBlock; found = symbol(literals)) {
      if (found < kFirstLength) continue;
      if (found >= kFirstWithBits && found < kLongestMatch) at_ += (found - kFirstWithBits) / 4 + 1;
      const uint32_t distance = symbol(distances);
      if (distance >= kFirstFar) at_ += distance / 2 - 1;
    }
  }

  void skip_dynamic() {
    constexpr std::array<uint8_t, 19> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    const uint32_t literals = bits(5) + 257, distances = bits(5) + 1, lengths_of_code = bits(4) + 4;
    std::array<uint8_t, 19> code_lengths = {};
    for (uint32_t i = 0; i < lengths_of_code; ++i) code_lengths[kOrder[i]] = static_cast<uint8_t>(bits(3));
    const SymbolCode code(code_lengths);
    std::array<uint8_t, 288 + 32> lengths = {};
    for (uint32_t i = 0; i < literals + distances;) {
      const uint32_t found = symbol(code);
      if (found < 16) {
        lengths[i++] = static_cast<uint8_t>(found);
        continue;
      }
      const uint8_t repeated = found == 16 && i > 0 ? lengths[i - 1] : uint8_t{0};
      uint32_t times = found == 16 ? 3 + bits(2) : found == 17 ? 3 + bits(3) : 11 + bits(7);
      for (; times > 0 && i < literals + distances; --times) lengths[i++] = repeated;
    }
    const std::span<const uint8_t> all = lengths;
    skip_symbols(SymbolCode(all.subspan(0, literals)), SymbolCode(all.subspan(literals, distances)));
  }

  std::span<const uint8_t> data_;
  uint64_t at_ = 0, last_block_ = 0;
};

std::array<uint8_t, 288> fixed_lengths() {
  std::array<uint8_t, 288> lengths;
  for (uint32_t i = 0; i < lengths.size(); ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  return lengths;
}

std::array<uint8_t, 30> fixed_distance_lengths() {
  std::array<uint8_t, 30> lengths;
  lengths.fill(5);
  return lengths;
}

const SymbolCode DeflateWalk::kFixedLiterals = SymbolCode(fixed_lengths());
const SymbolCode DeflateWalk::kFixedDistances = SymbolCode(fixed_distance_lengths());

// Removes the mark of the last block, and adds an empty block up to the end of a byte.
void continue_stream(Bytes& data) {
  constexpr uint32_t kHeaderBits = 3;
  const DeflateWalk walk(data);
  data[walk.last_block() / 8] &= static_cast<uint8_t>(~(1u << walk.last_block() % 8));
  data.resize((walk.end() + 7) / 8);
  if (data.size() * 8 - walk.end() < kHeaderBits) data.push_back(0);
  constexpr std::array<uint8_t, 4> kNoBytes = {0, 0, 0xff, 0xff};
  std::ranges::copy(kNoBytes, std::back_inserter(data));
}

}  // namespace

GzipPieces::GzipPieces(int level)
    : compressor_(libdeflate_alloc_compressor(level), libdeflate_free_compressor) {}

Bytes GzipPieces::piece(std::span<const std::byte> bytes) {
  Bytes data(libdeflate_deflate_compress_bound(compressor_.get(), bytes.size()));
  data.resize(
      libdeflate_deflate_compress(compressor_.get(), bytes.data(), bytes.size(), data.data(), data.size()));
  continue_stream(data);
  if (size_ == 0) {
    constexpr std::array<uint8_t, 10> kHeader = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    data.insert(data.begin(), kHeader.begin(), kHeader.end());
  }
  crc_ = libdeflate_crc32(crc_, bytes.data(), bytes.size());
  size_ += bytes.size();
  return data;
}

Bytes GzipPieces::end() const {
  Bytes data = {1, 0, 0, 0xff, 0xff};  // an empty block, marked as the last one
  for (const uint32_t number : {crc_, static_cast<uint32_t>(size_)})
    for (uint32_t byte = 0; byte < 4; ++byte) data.push_back(static_cast<uint8_t>(number >> 8 * byte));
  return data;
}

}  // namespace vox
