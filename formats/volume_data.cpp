#include "formats/volume_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "formats/inflate.h"
#include "formats/mapped_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

static_assert(std::endian::native == std::endian::little);

// Bytes, and whatever keeps them where they are.
struct Held {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

Held raw_bytes(const VolumeInfo& info, const VolumeData& data) {
  auto file = std::make_shared<const MappedFile>(data.file);
  const uint64_t expected = info.bytes(), size = file->bytes().size();
  const uint64_t offset = data.offset.value_or(size < expected ? 0 : size - expected);
  if (size < offset || size - offset != expected)
    throw Error(fmt::format("expected {} bytes ({} x {} x {} values of {}), found {}", expected, info.size.x,
                            info.size.y, info.size.z, value_type_name(info.type),
                            size < offset ? 0 : size - offset))
        .at(data.file.string())
        .hint(offset > 0 ? fmt::format("behind the first {} bytes", offset) : "is the size or type wrong?");
  return {file, file->bytes().subspan(offset)};
}

Held deflated_bytes(const VolumeInfo& info, const VolumeData& data) {
  const MappedFile file(data.file);
  if (!data.offset || *data.offset > file.bytes().size())
    throw Error("its deflated data does not begin inside the file").at(data.file.string());
  auto inflated = std::make_shared<const InflatedBytes>(
      file.bytes().subspan(*data.offset), data.encoding == Encoding::Gzip ? Deflated::Gzip : Deflated::Zlib,
      info.bytes(), data.file);
  return {inflated, inflated->bytes()};
}

void swap_bytes(std::byte* values, uint64_t count, uint32_t each) {
  for (uint64_t i = 0; i < count; ++i) std::reverse(values + i * each, values + (i + 1) * each);
}

}  // namespace

Volume volume_from_file(VolumeInfo info, const VolumeData& data) {
  Held held = data.encoding == Encoding::Raw ? raw_bytes(info, data) : deflated_bytes(info, data);
  const uint32_t each = value_bytes(info.type);
  const bool swap = data.order == ByteOrder::Big && each > 1;
  auto read = [held = std::move(held), size = info.size, each, swap](const VoxelBox& box, std::byte* out) {
    const uint64_t row = uint64_t(box.size().x) * each;
    std::byte* to = out;
    for (int32_t z = box.min.z; z < box.max.z; ++z)
      for (int32_t y = box.min.y; y < box.max.y; ++y, to += row) {
        const uint64_t first =
            (uint64_t(z) * uint64_t(size.y) + uint64_t(y)) * uint64_t(size.x) + uint64_t(box.min.x);
        std::memcpy(to, held.bytes.data() + first * each, row);
      }
    if (swap) swap_bytes(out, box.voxels(), each);
  };
  return {std::move(info), std::move(read)};
}

ValueType checked_value_type(std::string_view name) {
  if (const auto type = parse_value_type(name)) return *type;
  throw Error(fmt::format("its values are of type '{}', expected one of: {}", name,
                          fmt::join(kValueTypeNames, ", ")));
}

ByteOrder parse_byte_order(std::string_view name) {
  if (name == "little") return ByteOrder::Little;
  if (name == "big") return ByteOrder::Big;
  throw Error(fmt::format("its byte order is '{}', expected little or big", name));
}

}  // namespace vox
