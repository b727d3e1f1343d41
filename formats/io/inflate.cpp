#include "formats/io/inflate.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <string>

#include "libvox/base/error.h"

namespace vox {
namespace {

using Decompressor = std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;

Decompressor make_decompressor() {
  return {libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
}

struct Members {
  std::span<const std::byte> in;
  std::span<std::byte> out;
};

// Inflates the next member of a gzip file, or the whole of zlib's data.
libdeflate_result inflate_member(libdeflate_decompressor* decompressor, Deflated format, Members& rest) {
  size_t read = 0, written = 0;
  const auto call = format == Deflated::Gzip ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
  const libdeflate_result result =
      call(decompressor, rest.in.data(), rest.in.size(), rest.out.data(), rest.out.size(), &read, &written);
  if (result == LIBDEFLATE_SUCCESS) rest = {rest.in.subspan(read), rest.out.subspan(written)};
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

}  // namespace vox
