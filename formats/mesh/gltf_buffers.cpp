#include "formats/mesh/gltf_buffers.h"

#include <fmt/format.h>

#include <utility>

#include "formats/mesh/data_uri.h"
#include "formats/mesh/gltf_meshopt.h"
#include "formats/mesh/gltf_place.h"
#include "libvox/base/memory.h"
#include "libvox/base/units.h"

namespace vox {

GltfBuffers::GltfBuffers(const GltfDocument& document, const std::filesystem::path& folder, OpenFolders open,
                         std::span<const std::byte> binary)
    : document_(document), folder_(folder), open_(std::move(open)), binary_(binary) {
  for (const GltfBuffer& buffer : document.buffers)
    if (buffer.size < UINT64_MAX - total_bytes_) total_bytes_ += buffer.size;
}

void GltfBuffers::count_decoded(uint64_t bytes) {
  constexpr uint64_t kWorthAsking = 1 << 24;
  decoded_bytes_ += bytes;
  if (decoded_bytes_ > kWorthAsking && bytes > available_bytes())
    throw Error(fmt::format("not enough memory for {} of decoded data, {} are free",
                            format_bytes(decoded_bytes_), format_bytes(available_bytes())));
}

std::span<const std::byte> GltfBuffers::keep(std::vector<std::byte> bytes) {
  return decoded_.emplace_back(std::move(bytes));
}

std::span<const std::byte> GltfBuffers::bytes_of(const GltfBuffer& buffer, uint32_t index) {
  if (!buffer.uri) {
    if (index == 0 && !binary_.empty()) return binary_;
    throw Error("has no 'uri', and no data follows the file's JSON");
  }
  if (auto data = data_of_uri(*buffer.uri)) return keep(std::move(*data));
  if (auto file = find_file(folder_, *buffer.uri, open_))
    return files_.emplace_back(std::make_unique<MappedFile>(*file))->bytes();
  throw Error(fmt::format("'{}' not found", *buffer.uri)).hint("it belongs beside the glTF file");
}

std::span<const std::byte> GltfBuffers::buffer(uint32_t index) {
  const GltfBuffer& buffer = item_of(document_.buffers, index, "buffers");
  auto [known, is_new] = buffers_.try_emplace(index);
  if (!is_new) return known->second;
  return known->second =
             at_place([&] { return list_place("buffers", index); },
                      [&] {
                        std::span<const std::byte> bytes = bytes_of(buffer, index);
                        if (bytes.size() < buffer.size)
                          throw Error(fmt::format("'byteLength' is {}, but there are only {} bytes",
                                                  buffer.size, bytes.size()))
                              .hint("is the file truncated?");
                        return bytes.first(buffer.size);
                      });
}

std::span<const std::byte> GltfBuffers::part_of_buffer(uint32_t index, uint64_t offset, uint64_t size) {
  std::span<const std::byte> bytes = buffer(index);
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw Error(fmt::format("{} bytes from byte {} on, but buffers[{}] has only {}", size, offset, index,
                            bytes.size()));
  return bytes.subspan(offset, size);
}

std::span<const std::byte> GltfBuffers::view(uint32_t index) {
  const GltfView& view = item_of(document_.views, index, "bufferViews");
  auto [known, is_new] = views_.try_emplace(index);
  if (!is_new) return known->second;
  return known->second =
             at_place([&] { return list_place("bufferViews", index); },
                      [&] {
                        if (!view.meshopt) return part_of_buffer(view.buffer, view.offset, view.size);
                        const GltfMeshopt& packed = *view.meshopt;
                        count_decoded(decoded_size(packed));
                        return keep(decode_meshopt(
                            packed, view.size, part_of_buffer(packed.buffer, packed.offset, packed.size)));
                      });
}

}  // namespace vox
