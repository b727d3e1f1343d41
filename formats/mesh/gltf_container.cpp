#include "formats/mesh/gltf_container.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "formats/mesh/gltf_document.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF is little-endian");

constexpr size_t kHeaderSize = 12, kChunkHeaderSize = 8;
constexpr uint32_t kJsonChunk = 0x4e4f534a, kBinaryChunk = 0x004e4942;

uint32_t word_at(std::span<const std::byte> bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

GltfContainer::GltfContainer(const std::filesystem::path& path) : file_(path) {
  if (file_.text().starts_with("glTF")) {
    split(file_.bytes());
  } else {
    json_ = file_.text();
  }
  if (json_.starts_with("\xef\xbb\xbf")) json_.remove_prefix(3);          // a byte order mark
  while (!json_.empty() && json_.back() == '\0') json_.remove_suffix(1);  // padding, which should be blanks
}

void GltfContainer::split(std::span<const std::byte> file) {
  if (file.size() < kHeaderSize + kChunkHeaderSize)
    throw Error(fmt::format("a GLB file of {} bytes", file.size())).hint("is the file truncated?");
  uint32_t version = word_at(file, 4), length = word_at(file, 8);
  if (version == 1) throw OldGltf();
  if (version != 2)
    throw Error(fmt::format("GLB version {} is not supported, only version 2", version))
        .hint("export it as glTF 2.0");
  if (length > file.size())
    throw Error(fmt::format("the header says {} bytes, but the file has {}", length, file.size()))
        .hint("is the file truncated?");
  std::span<const std::byte> rest = file.first(length);
  if (rest.size() < kHeaderSize) throw Error(fmt::format("the header says {} bytes", length));
  rest = rest.subspan(kHeaderSize);
  while (rest.size() >= kChunkHeaderSize) {
    uint32_t size = word_at(rest, 0), type = word_at(rest, 4);
    rest = rest.subspan(kChunkHeaderSize);
    if (size > rest.size())
      throw Error(fmt::format("a chunk of {} bytes, but only {} follow", size, rest.size()))
          .hint("is the file damaged?");
    if (type == kJsonChunk && json_.empty()) json_ = as_text(rest.first(size));
    if (type == kBinaryChunk && binary_.empty()) binary_ = rest.first(size);
    rest = rest.subspan(size);
  }
  if (json_.empty()) throw Error("a GLB file without JSON").hint("is the file damaged?");
}

}  // namespace vox
