#include "formats/io/compression.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstring>
#include <functional>
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

}  // namespace vox
