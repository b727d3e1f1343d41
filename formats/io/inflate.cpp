#include "formats/io/inflate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

// Opens a file without a name that takes this size on the disk, so that writing to its mapping cannot fail.
int nameless_file(uint64_t size, const std::filesystem::path& source) {
  std::string name = (std::filesystem::temp_directory_path() / "vox-XXXXXX").string();
  const int file = mkstemp(name.data());
  int failed = file < 0 ? errno : 0;
  if (file >= 0) {
    unlink(name.c_str());
    failed = posix_fallocate(file, 0, static_cast<off_t>(size));
    if (failed != 0) close(file);
  }
  if (failed == 0) return file;
  throw Error(fmt::format("{} cannot be inflated into {}: {}", format_bytes(size),
                          std::filesystem::temp_directory_path().string(),
                          std::generic_category().message(failed)))
      .at(source.string())
      .hint("set TMPDIR to a folder with enough room");
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

}  // namespace

InflatedBytes::InflatedBytes(std::span<const std::byte> deflated, Deflated format, uint64_t size,
                             const std::filesystem::path& source)
    : size_(size) {
  auto fail = [&](const std::string& problem) { throw Error(problem).at(source.string()); };
  if (size / kDeflateRatio > deflated.size())
    fail(fmt::format("expected {} bytes of values, but {} bytes of deflated data cannot hold as many", size,
                     deflated.size()));
  const int file = nameless_file(size, source);
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int reason = errno;
  close(file);
  if (mapped == MAP_FAILED) fail("cannot be inflated: " + std::generic_category().message(reason));
  data_ = static_cast<std::byte*>(mapped);

  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  Members rest = {deflated, {data_, size}};
  libdeflate_result result = LIBDEFLATE_SUCCESS;
  while (result == LIBDEFLATE_SUCCESS && !rest.in.empty())
    result = inflate_member(decompressor.get(), format, rest);
  if (result == LIBDEFLATE_SUCCESS && rest.out.empty()) return;
  munmap(data_, size_);  // no destructor runs where a constructor throws
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
    fail(fmt::format("expected {} bytes of values, found more in its deflated data", size));
  if (result != LIBDEFLATE_SUCCESS) fail("its deflated data is damaged or cut off");
  fail(fmt::format("expected {} bytes of values, found {} in its deflated data", size,
                   size - rest.out.size()));
}

InflatedBytes::~InflatedBytes() {
  munmap(data_, size_);
}

}  // namespace vox
