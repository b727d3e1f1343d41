#include "formats/io/read_limits.h"

#include <array>
#include <fstream>
#include <string_view>

#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// True if a file is zip (3MF, ZAE), gzip (BLEND) or binary FBX, whose arrays are deflated.
bool is_compressed(const std::filesystem::path& path) {
  std::array<char, 18> start = {};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  const std::string_view text(start.data(), start.size());
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
