// The bytes of a glTF file's buffers and buffer views. They are used directly in the mapped files unless they
// are encoded.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/mesh/gltf_document.h"

namespace vox {

// Finds and decodes views when they are first asked for. Only one thread may call it; any thread may read the
// bytes.
class GltfBuffers {
 public:
  // `binary` are the bytes after a GLB's JSON. They and the document must outlive this object.
  GltfBuffers(const GltfDocument& document, const std::filesystem::path& folder, OpenFolders open,
              std::span<const std::byte> binary);

  // Throws Error if there is no such view, if it reaches beyond its buffer, or if the buffer reaches beyond
  // its file.
  std::span<const std::byte> view(uint32_t index);

  // Returns the total size of all buffers that the file states. No sensible file has more elements without
  // data than that.
  uint64_t total_bytes() const { return total_bytes_; }

  // Counts bytes that are about to be decoded. Throws Error if there is not enough memory for them, since a
  // small file can refer to the same data many times.
  void count_decoded(uint64_t bytes);

 private:
  std::span<const std::byte> buffer(uint32_t index);
  std::span<const std::byte> bytes_of(const GltfBuffer& buffer, uint32_t index);
  std::span<const std::byte> part_of_buffer(uint32_t buffer, uint64_t offset, uint64_t size);
  std::span<const std::byte> keep(std::vector<std::byte> bytes);

  const GltfDocument& document_;
  std::filesystem::path folder_;
  OpenFolders open_;
  std::span<const std::byte> binary_;
  uint64_t total_bytes_ = 0, decoded_bytes_ = 0;
  std::map<uint32_t, std::span<const std::byte>> buffers_, views_;
  std::vector<std::unique_ptr<MappedFile>> files_;
  std::vector<std::vector<std::byte>> decoded_;
};

// Accessors of a glTF file turn numbers of any type, stride and place into elements that loops can read (glTF
// 2.0, §3.6.2).

// A view of an accessor's elements, either in the file or decoded in memory.
struct GltfElements {
  const std::byte* data = nullptr;
  uint64_t count = 0, stride = 0;  // a stride of 0 means that every element is the same
  uint32_t width = 1;
  GltfComponent component = GltfComponent::Float;
  bool normalized = false;
};

class GltfAccessors {
 public:
  // Both must outlive this object.
  GltfAccessors(const GltfDocument& document, GltfBuffers& buffers)
      : document_(document), buffers_(buffers) {}

  // Returns the same object for the same index. Throws Error if there is no such accessor, or if its bytes
  // are missing.
  const GltfElements& get(uint32_t index);

  // Throws Error unless the accessor has one of these types and one of these components.
  void check(uint32_t index, std::initializer_list<std::string_view> types,
             std::initializer_list<GltfComponent> components) const;

 private:
  GltfElements find(const GltfAccessor& accessor);
  std::vector<std::byte> with_sparse(const GltfAccessor& accessor, const GltfElements& base);

  const GltfDocument& document_;
  GltfBuffers& buffers_;
  std::map<uint32_t, GltfElements> found_;
  std::vector<std::vector<std::byte>> sparse_;
};

// Calls body(T) with a value of the component's type.
template <class Body>
void with_component_type(GltfComponent component, Body body) {
  switch (component) {
    case GltfComponent::Int8:
      return body(int8_t{});
    case GltfComponent::Uint8:
      return body(uint8_t{});
    case GltfComponent::Int16:
      return body(int16_t{});
    case GltfComponent::Uint16:
      return body(uint16_t{});
    case GltfComponent::Uint32:
      return body(uint32_t{});
    case GltfComponent::Float:
      return body(float{});
  }
}

// Converts normalized integers to [0, 1] or [-1, 1] (glTF 2.0, §3.6.2.2).
template <class T>
double normalized_value(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    return std::max(value / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
  }
}

// Calls body(i, std::array<double, N>) for the elements [first, end). If an element has fewer components than
// `fill`, the remaining ones are taken from it.
template <size_t N, class Body>
void for_each_element(const GltfElements& elements, uint64_t first, uint64_t end,
                      const std::array<double, N>& fill, Body body) {
  with_component_type(elements.component, [&]<class T>(T) {
    const size_t width = std::min<size_t>(elements.width, N);
    const std::byte* from = elements.data + first * elements.stride;
    for (uint64_t i = first; i < end; ++i, from += elements.stride) {
      std::array<double, N> values = fill;
      for (size_t c = 0; c < width; ++c) {
        T value;
        std::memcpy(&value, from + c * sizeof(T), sizeof(T));
        values[c] = elements.normalized ? normalized_value(value) : static_cast<double>(value);
      }
      body(i, values);
    }
  });
}

// The next functions decode buffer views that meshoptimizer's codecs have compressed
// (EXT_meshopt_compression), in builds with that library.

// Returns the size of the decoded view. Throws Error if the compressed bytes cannot hold that much.
uint64_t decoded_size(const GltfMeshopt& packed);

// Decodes `compressed` to `size` bytes. Throws Error.
std::vector<std::byte> decode_meshopt(const GltfMeshopt& packed, uint64_t size,
                                      std::span<const std::byte> compressed);

// A URI can contain a file: "data:application/octet-stream;base64,AAAA" (RFC 2397, RFC 4648).

// Returns the bytes of a data URI, or nothing for any other URI. Throws Error if the data is not valid
// base64.
std::optional<std::vector<std::byte>> data_of_uri(std::string_view uri);

}  // namespace vox
