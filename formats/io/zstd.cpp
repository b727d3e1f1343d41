#include "formats/io/zstd.h"

#include "libvox/base/error.h"
#include "libvox/base/log.h"

#ifdef VOX_HAS_ZSTD
#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <zstd.h>

#include <algorithm>
#include <vector>

#include "libvox/base/progress.h"

namespace vox {
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

}  // namespace vox
#else
namespace vox {

std::function<uint64_t(std::span<const uint8_t>)> zstd_size_or_none() {
  log_info("this build has no libzstd: the form stream_zstd is left out");
  return {};
}

void unpack_zstd(std::span<const std::byte>, std::span<std::byte>) {
  throw Error("is compressed with Zstandard, and this build has no libzstd");
}

}  // namespace vox
#endif
