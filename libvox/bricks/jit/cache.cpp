#include "libvox/bricks/jit/cache.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "libvox/base/atomic_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/mix.h"

namespace vox::bricks {
namespace {

namespace fs = std::filesystem;
using Hash = std::array<uint64_t, 2>;

Hash hash_of(std::string_view text, Hash hash) {
  for (size_t i = 0; i < text.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<size_t>(8, text.size() - i));
    hash[0] = mix64(hash[0] ^ word);
    hash[1] = mix64(hash[1] + word * 0x9e3779b97f4a7c15ull);
  }
  return {mix64(hash[0] + text.size()), mix64(hash[1] ^ text.size())};
}

std::string_view text_of(const JitImage& image) {
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  const fs::path cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (cache.is_absolute()) return cache / "vox";
  return home.is_absolute() ? home / ".cache/vox" : fs::path();
}

std::optional<JitImage> read_image(const fs::path& path, Hash key) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  Hash hash;
  if (!file || size < static_cast<std::streamoff>(sizeof hash)) return {};
  JitImage image(static_cast<size_t>(size) - sizeof hash);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(image.data()), static_cast<std::streamsize>(image.size()));
  file.read(reinterpret_cast<char*>(hash.data()), sizeof hash);
  if (!file || hash != hash_of(text_of(image), key)) return {};
  return image;
}

void write_image(const fs::path& path, const JitImage& image, Hash key) {
  fs::create_directories(path.parent_path());
  AtomicFile file(path);
  const Hash hash = hash_of(text_of(image), key);
  std::ofstream out(file.path(), std::ios::binary);
  out.write(text_of(image).data(), static_cast<std::streamsize>(image.size()));
  out.write(reinterpret_cast<const char*>(hash.data()), sizeof hash);
  out.close();
  if (!out) throw Error("cannot be written").at(path.string());
  file.commit();
}

}  // namespace

JitImage cached_image(std::string_view source, std::string_view compiler,
                      const std::function<JitImage()>& compile) {
  const Hash key = hash_of(compiler, hash_of(source, {1, 2}));
  const fs::path folder = cache_folder();
  if (folder.empty()) return compile();
  const fs::path path = folder / fmt::format("{:016x}{:016x}.jit", key[0], key[1]);
  if (std::optional<JitImage> image = read_image(path, key)) return *std::move(image);
  JitImage image = compile();
  try {
    write_image(path, image, key);
  } catch (const std::exception& error) {
    log_debug("the compiled image is not kept: {}", error.what());
  }
  return image;
}

}  // namespace vox::bricks
