#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/read_file.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/error.h"
#include "libvox/volume/volume.h"

namespace vox {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kMostOpenFiles = 64;  // the most files with values that are open at once

// Copies bytes of the values, beginning with the byte of this number.
using CopyBytes = std::function<void(uint64_t, std::span<std::byte>)>;

// The part of the values in one file.
struct Part {
  std::filesystem::path file;
  uint64_t values, bytes;
  std::string text;  // "7 x 5 x 3 values of u8"
};

uint64_t behind_lines(const Part& part, uint64_t offset, uint64_t lines) {
  const MappedFile mapped(part.file);
  std::string_view rest = mapped.text().substr(std::min<uint64_t>(offset, mapped.text().size()));
  for (; lines > 0 && !rest.empty(); --lines) take_line(rest);
  return mapped.text().size() - rest.size();
}

std::optional<uint64_t> offset_in(const Part& part, const VolumeData& data) {
  if (!data.offset) return std::nullopt;
  const uint64_t offset = data.lines == 0 ? *data.offset : behind_lines(part, *data.offset, data.lines);
  return offset + data.bytes_behind_lines;
}

enum class FileStays { Open, Closed };  // between two reads

CopyBytes raw_bytes(const Part& part, const VolumeData& data, FileStays stays) {
  auto file = std::make_shared<const ReadFile>(part.file);
  const uint64_t size = file->size();
  const uint64_t offset = offset_in(part, data).value_or(size < part.bytes ? 0 : size - part.bytes);
  if (size < offset || size - offset != part.bytes)
    throw Error(fmt::format("expected {} bytes ({}), found {}", part.bytes, part.text,
                            size < offset ? 0 : size - offset))
        .at(part.file.string())
        .hint(offset > 0 ? fmt::format("behind the first {} bytes", offset) : "is the size or type wrong?");
  if (stays == FileStays::Closed)
    return [path = part.file, offset](uint64_t at, std::span<std::byte> to) {
      ReadFile(path).read(offset + at, to);
    };
  return [file, offset](uint64_t at, std::span<std::byte> to) { file->read(offset + at, to); };
}

template <class Bytes>
CopyBytes copy_of(std::shared_ptr<Bytes> from, uint64_t offset = 0) {
  return [from, offset](uint64_t at, std::span<std::byte> to) {
    std::memcpy(to.data(), std::as_const(*from).bytes().data() + offset + at, to.size());
  };
}

CopyBytes deflated_bytes(const Part& part, const VolumeData& data) {
  const MappedFile file(part.file);
  const std::optional<uint64_t> offset = offset_in(part, data);
  if (!offset || *offset > file.bytes().size())
    throw Error("its deflated data do not begin inside the file").at(part.file.string());
  auto inflated = std::make_shared<InflatedBytes>(
      file.bytes().subspan(*offset), data.encoding == Encoding::Gzip ? Deflated::Gzip : Deflated::Zlib,
      data.inflated_offset + part.bytes, part.file);
  const size_t known = std::min(data.inflated_start.size(), inflated->bytes().size());
  if (!std::ranges::equal(inflated->bytes().first(known), std::span(data.inflated_start).first(known)))
    throw Error("its deflated data do not begin as expected").at(part.file.string());
  return copy_of(std::move(inflated), data.inflated_offset);
}

CopyBytes text_bytes(const Part& part, const VolumeData& data, StoredType type) {
  const MappedFile file(part.file);
  const std::optional<uint64_t> offset = offset_in(part, data);
  if (!offset || *offset > file.text().size())
    throw Error("its values do not begin inside the file").at(part.file.string());
  return copy_of(parsed_values(file.text(), *offset, type, part.values, part.file));
}

CopyBytes part_bytes(const Part& part, const VolumeData& data, StoredType type) {
  switch (data.encoding) {
    case Encoding::Raw:
      return raw_bytes(part, data, data.files.size() > kMostOpenFiles ? FileStays::Closed : FileStays::Open);
    case Encoding::Text:
      return text_bytes(part, data, type);
    default:
      return deflated_bytes(part, data);
  }
}

// Reads across files that hold `each` bytes each.
CopyBytes joined_bytes(std::vector<CopyBytes> parts, uint64_t each) {
  if (parts.size() == 1) return std::move(parts[0]);
  return [parts = std::move(parts), each](uint64_t at, std::span<std::byte> to) {
    while (!to.empty()) {
      const uint64_t before = at % each, count = std::min<uint64_t>(each - before, to.size());
      parts[at / each](before, to.first(count));
      at += count;
      to = to.subspan(count);
    }
  };
}

CopyBytes all_bytes(const StoredInfo& info, const VolumeData& data) {
  const auto files = static_cast<int64_t>(data.files.size());
  if (info.size.z % files != 0)
    throw Error(
        fmt::format("its {} layers are spread over {} files, expected as many in each", info.size.z, files));
  const Int3 size = {info.size.x, info.size.y, static_cast<int32_t>(info.size.z / files)};
  const uint64_t values = VoxelBox{{0, 0, 0}, size}.voxels(), bytes = values * stored_bytes(info.type);
  const std::string text =
      fmt::format("{} x {} x {} values of {}", size.x, size.y, size.z, stored_type_name(info.type));
  std::vector<CopyBytes> parts;
  for (const auto& file : data.files)
    parts.push_back(part_bytes({file, values, bytes, text}, data, info.type));
  return joined_bytes(std::move(parts), bytes);
}

// Parts of rows in a file, `run` bytes of each row.
struct RowParts {
  uint64_t first, row_bytes, rows, run;
};

constexpr uint64_t kShortRun = 4096, kMostSkipped = 64, kSpan = 1 << 20;
constexpr uint64_t kShortRow = 16384;  // a system call takes as long as copying about this many bytes

// Copies parts of rows. Short parts are read together with the bytes between them, because each read has a
// fixed cost.
void copy_rows(const CopyBytes& copy, const RowParts& parts, std::byte* to) {
  const bool reads_spans =
      parts.run < kShortRun && parts.row_bytes <= std::max(kMostSkipped * parts.run, kShortRow);
  const uint64_t at_once = reads_spans ? std::max<uint64_t>(kSpan / parts.row_bytes, 1) : 1;
  std::vector<std::byte> span;
  for (uint64_t row = 0; row < parts.rows; row += at_once) {
    const uint64_t count = std::min(at_once, parts.rows - row), first = parts.first + row * parts.row_bytes;
    if (count == 1) {
      copy(first, {to, parts.run});
      to += parts.run;
      continue;
    }
    span.resize((count - 1) * parts.row_bytes + parts.run);
    copy(first, span);
    for (uint64_t i = 0; i < count; ++i, to += parts.run)
      std::memcpy(to, span.data() + i * parts.row_bytes, parts.run);
  }
}

void swap_bytes(std::byte* values, uint64_t count, uint32_t each) {
  for (uint64_t i = 0; i < count; ++i) std::reverse(values + i * each, values + (i + 1) * each);
}

}  // namespace

StoredVolume volume_from_file(StoredInfo info, const VolumeData& data) {
  CopyBytes copy = all_bytes(info, data);
  const uint32_t each = stored_bytes(info.type);
  const bool swap = data.order == ByteOrder::Big && each > 1 && data.encoding != Encoding::Text;
  auto read = [copy = std::move(copy), size = info.size, each, swap](const VoxelBox& box, std::byte* out) {
    // Whole rows and whole layers are contiguous in the file.
    const bool rows = box.size().x == size.x, layers = rows && box.size().y == size.y;
    const VoxelBox runs = {
        box.min, {box.min.x + 1, rows ? box.min.y + 1 : box.max.y, layers ? box.min.z + 1 : box.max.z}};
    const uint64_t run = box.voxels() / runs.voxels() * each;
    const auto width = uint64_t(size.x), height = uint64_t(size.y), count = uint64_t(runs.size().y);
    std::byte* to = out;
    for (int32_t z = runs.min.z; z < runs.max.z; ++z, to += run * count) {
      const uint64_t first = (uint64_t(z) * height + uint64_t(runs.min.y)) * width + uint64_t(box.min.x);
      copy_rows(copy, {.first = first * each, .row_bytes = width * each, .rows = count, .run = run}, to);
    }
    if (swap) swap_bytes(out, box.voxels(), each);
  };
  return {std::move(info), std::move(read)};
}

ByteOrder parse_byte_order(std::string_view name) {
  if (name == "little") return ByteOrder::Little;
  if (name == "big") return ByteOrder::Big;
  throw Error(fmt::format("its byte order is '{}', expected little or big", name));
}

namespace {

constexpr uint64_t kReadAtOnce = 1 << 18;  // values of all channels

int32_t checked_channel(const Channels& channels, std::optional<uint32_t> wanted) {
  if (!wanted)
    throw Error(fmt::format("its voxels have {} values each, expected one", channels.count))
        .hint(fmt::format("choose a channel, 0 to {}", channels.count - 1));
  if (*wanted >= static_cast<uint64_t>(channels.count))
    throw UsageError(fmt::format("channel {} is chosen, but there are 0 to {}", *wanted, channels.count - 1));
  return static_cast<int32_t>(*wanted);
}

// Returns one channel of a file whose voxels have `stride` values each, one behind the other.
StoredVolume interleaved(StoredVolume file, const StoredInfo& info, int32_t stride, int32_t channel) {
  const uint32_t each = stored_bytes(info.type);
  auto read = [read = std::move(file.read), stride, channel, each](const VoxelBox& box, std::byte* to) {
    const volume::Pieces pieces(box, std::max<uint64_t>(kReadAtOnce / static_cast<uint64_t>(stride), 1));
    std::vector<std::byte> values;
    for (uint64_t i = 0; i < pieces.count(); ++i) {
      VoxelBox piece = pieces[i];
      const uint64_t voxels = piece.voxels();
      piece.min.x *= stride, piece.max.x *= stride;
      values.resize(piece.voxels() * each);
      read(piece, values.data());
      const std::byte* from = values.data() + static_cast<uint32_t>(channel) * each;
      for (uint64_t v = 0; v < voxels; ++v, to += each, from += static_cast<uint32_t>(stride) * each)
        std::memcpy(to, from, each);
    }
  };
  return {info, std::move(read)};
}

}  // namespace

StoredVolume channel_from_file(const StoredInfo& info, const VolumeData& data, const Channels& channels,
                               std::optional<uint32_t> wanted) {
  if (channels.count == 1) {
    if (wanted) throw UsageError("a channel is chosen, but its voxels have one value each");
    return volume_from_file(info, data);
  }
  const int32_t channel = checked_channel(channels, wanted);
  const int64_t x = info.size.x, y = info.size.y, z = info.size.z;
  if (channels.count > volume::kMaxVolumeSide)
    throw Error(fmt::format("its voxels have {} values each, expected at most {}", channels.count,
                            volume::kMaxVolumeSide));
  StoredInfo all = info;
  if (channels.order == Channels::Order::Interleaved) {
    all.size = volume::checked_volume_size(x * channels.count, y, z);
    return interleaved(volume_from_file(all, data), info, static_cast<int32_t>(channels.count), channel);
  }
  all.size = volume::checked_volume_size(x, y, z * channels.count);
  auto read = [read = volume_from_file(all, data).read, before = Int3{0, 0, info.size.z * channel}](
                  const VoxelBox& box, std::byte* to) {
    read({box.min + before, box.max + before}, to);
  };
  return {info, std::move(read)};
}

}  // namespace vox
