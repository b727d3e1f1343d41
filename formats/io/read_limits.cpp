#include "formats/io/read_limits.h"

#include <string>

#include "formats/io/read_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// True if a file is zip (3MF, ZAE), gzip (BLEND) or binary FBX, whose arrays are deflated.
bool is_compressed(const std::filesystem::path& path) {
  const std::string text = first_bytes(path, 18);
  return text.starts_with("PK\x03\x04") || text.starts_with("\x1f\x8b") ||
         text.starts_with("Kaydara FBX Binary");
}

}  // namespace

ChildLimits may_take(const std::filesystem::path& path) {
  std::error_code failed;
  const uint64_t file = std::filesystem::file_size(path, failed);
  if (failed) throw Error(failed.message());
  const uint64_t size = is_compressed(path) ? 16 * file : file;
  return {.seconds = 10 + size / kMiB, .bytes = 256 * kMiB + 64 * size};
}

}  // namespace vox
