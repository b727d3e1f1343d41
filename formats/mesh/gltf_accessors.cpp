#include "formats/mesh/gltf_accessors.h"

#include <fmt/format.h>

#include "formats/mesh/gltf_place.h"

namespace vox {
namespace {

constexpr uint64_t kAlwaysAllowed = 1 << 16;
constexpr std::array<std::byte, 64> kZeros = {};  // enough for the widest element, a MAT4 of floats

uint64_t element_size(const GltfAccessor& accessor) {
  return uint64_t{size_of(accessor.component)} * accessor.width;
}

// Throws Error unless `count` elements fit into the bytes. No product of the file's numbers may overflow.
void check_range(uint64_t offset, uint64_t stride, uint64_t count, uint64_t size, uint64_t bytes) {
  if (count == 0) return;
  bool fits = offset <= bytes && size <= bytes - offset &&
              (count == 1 || (bytes - offset - size) / stride >= count - 1);
  if (!fits)
    throw Error(
        fmt::format("{} elements of {} bytes, {} apart from byte {} on, do not fit into the {} bytes of "
                    "its buffer view",
                    count, size, stride, offset, bytes));
}

uint64_t index_at(const std::byte* at, GltfComponent component) {
  uint64_t index = 0;
  with_component_type(component, [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof(value));
    index = static_cast<uint64_t>(value);
  });
  return index;
}

}  // namespace

const GltfElements& GltfAccessors::get(uint32_t index) {
  const GltfAccessor& accessor = item_of(document_.accessors, index, "accessors");
  auto known = found_.find(index);
  if (known == found_.end()) {
    GltfElements elements =
        at_place([&] { return list_place("accessors", index); }, [&] { return find(accessor); });
    known = found_.emplace(index, elements).first;
  }
  return known->second;
}

void GltfAccessors::check(uint32_t index, std::initializer_list<std::string_view> types,
                          std::initializer_list<GltfComponent> components) const {
  const GltfAccessor& accessor = item_of(document_.accessors, index, "accessors");
  if (std::ranges::find(types, accessor.type) == types.end())
    throw Error(fmt::format("accessors[{}] is of type {}, expected {}", index, accessor.type,
                            fmt::join(types, " or ")));
  if (std::ranges::find(components, accessor.component) == components.end())
    throw Error(fmt::format("accessors[{}] has components of type {}, which is not allowed here", index,
                            static_cast<int>(accessor.component)));
}

GltfElements GltfAccessors::find(const GltfAccessor& accessor) {
  GltfElements elements = {.data = kZeros.data(),
                           .count = accessor.count,
                           .stride = 0,
                           .width = accessor.width,
                           .component = accessor.component,
                           .normalized = accessor.normalized};
  uint64_t size = element_size(accessor);
  if (accessor.view != scene::kNone) {
    std::span<const std::byte> bytes = buffers_.view(accessor.view);
    uint64_t stride = document_.views[accessor.view].stride;
    if (stride > 0 && stride < size)
      throw Error(fmt::format("elements of {} bytes, but the stride of its buffer view is {}", size, stride));
    elements.stride = stride > 0 ? stride : size;
    check_range(accessor.offset, elements.stride, accessor.count, size, bytes.size());
    elements.data = bytes.data() + accessor.offset;
  } else if (accessor.count > buffers_.total_bytes() + kAlwaysAllowed) {
    throw Error(fmt::format("{} elements without data, in a file with {} bytes of data", accessor.count,
                            buffers_.total_bytes()));
  }
  if (!accessor.sparse || accessor.sparse->count == 0 || accessor.count == 0) return elements;
  elements.data = sparse_.emplace_back(with_sparse(accessor, elements)).data();
  elements.stride = size;
  return elements;
}

std::vector<std::byte> GltfAccessors::with_sparse(const GltfAccessor& accessor, const GltfElements& base) {
  const GltfSparse& sparse = *accessor.sparse;
  std::span<const std::byte> indices = buffers_.view(sparse.index_view),
                             values = buffers_.view(sparse.value_view);
  uint64_t size = element_size(accessor), index_size = size_of(sparse.index_component);
  check_range(sparse.index_offset, index_size, sparse.count, index_size, indices.size());
  check_range(sparse.value_offset, size, sparse.count, size, values.size());
  buffers_.count_decoded(accessor.count * size);
  std::vector<std::byte> bytes(accessor.count * size);
  for (uint64_t i = 0; i < accessor.count; ++i)
    std::memcpy(bytes.data() + i * size, base.data + i * base.stride, size);
  for (uint64_t i = 0; i < sparse.count; ++i) {
    uint64_t index = index_at(indices.data() + sparse.index_offset + i * index_size, sparse.index_component);
    if (index >= accessor.count)
      throw Error(
          fmt::format("its sparse indices refer to element {}, but there are {}", index, accessor.count));
    std::memcpy(bytes.data() + index * size, values.data() + sparse.value_offset + i * size, size);
  }
  return bytes;
}

}  // namespace vox
