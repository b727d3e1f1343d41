#include "formats/volume/volume_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <span>

#include "formats/io/inflate.h"
#include "formats/io/mapped_file.h"
#include "formats/io/read_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

static_assert(std::endian::native == std::endian::little);

// Copies bytes of the values, from the byte with this number on.
using CopyBytes = std::function<void(uint64_t, std::span<std::byte>)>;

CopyBytes raw_bytes(const volume::VolumeInfo& info, const VolumeData& data) {
  auto file = std::make_shared<const ReadFile>(data.file);
  const uint64_t expected = info.bytes(), size = file->size();
  const uint64_t offset = data.offset.value_or(size < expected ? 0 : size - expected);
  if (size < offset || size - offset != expected)
    throw Error(fmt::format("expected {} bytes ({} x {} x {} values of {}), found {}", expected, info.size.x,
                            info.size.y, info.size.z, volume::value_type_name(info.type),
                            size < offset ? 0 : size - offset))
        .at(data.file.string())
        .hint(offset > 0 ? fmt::format("behind the first {} bytes", offset) : "is the size or type wrong?");
  return [file, offset](uint64_t at, std::span<std::byte> to) { file->read(offset + at, to); };
}

CopyBytes deflated_bytes(const volume::VolumeInfo& info, const VolumeData& data) {
  const MappedFile file(data.file);
  if (!data.offset || *data.offset > file.bytes().size())
    throw Error("its deflated data does not begin inside the file").at(data.file.string());
  auto inflated = std::make_shared<const InflatedBytes>(
      file.bytes().subspan(*data.offset), data.encoding == Encoding::Gzip ? Deflated::Gzip : Deflated::Zlib,
      info.bytes(), data.file);
  return [inflated](uint64_t at, std::span<std::byte> to) {
    std::memcpy(to.data(), inflated->bytes().data() + at, to.size());
  };
}

void swap_bytes(std::byte* values, uint64_t count, uint32_t each) {
  for (uint64_t i = 0; i < count; ++i) std::reverse(values + i * each, values + (i + 1) * each);
}

}  // namespace

volume::Volume volume_from_file(volume::VolumeInfo info, const VolumeData& data) {
  CopyBytes copy = data.encoding == Encoding::Raw ? raw_bytes(info, data) : deflated_bytes(info, data);
  const uint32_t each = volume::value_bytes(info.type);
  const bool swap = data.order == ByteOrder::Big && each > 1;
  auto read = [copy = std::move(copy), size = info.size, each, swap](const VoxelBox& box, std::byte* out) {
    // Whole rows and whole layers follow one another in the file.
    const bool rows = box.size().x == size.x, layers = rows && box.size().y == size.y;
    const VoxelBox runs = {
        box.min, {box.min.x + 1, rows ? box.min.y + 1 : box.max.y, layers ? box.min.z + 1 : box.max.z}};
    const uint64_t run = box.voxels() / runs.voxels() * each;
    std::byte* to = out;
    for (int32_t z = runs.min.z; z < runs.max.z; ++z)
      for (int32_t y = runs.min.y; y < runs.max.y; ++y, to += run) {
        const uint64_t first =
            (uint64_t(z) * uint64_t(size.y) + uint64_t(y)) * uint64_t(size.x) + uint64_t(box.min.x);
        copy(first * each, {to, run});
      }
    if (swap) swap_bytes(out, box.voxels(), each);
  };
  return {std::move(info), std::move(read)};
}

volume::ValueType checked_value_type(std::string_view name) {
  if (const auto type = volume::parse_value_type(name)) return *type;
  throw Error(fmt::format("its values are of type '{}', expected one of: {}", name,
                          fmt::join(volume::kValueTypeNames, ", ")));
}

ByteOrder parse_byte_order(std::string_view name) {
  if (name == "little") return ByteOrder::Little;
  if (name == "big") return ByteOrder::Big;
  throw Error(fmt::format("its byte order is '{}', expected little or big", name));
}

}  // namespace vox
