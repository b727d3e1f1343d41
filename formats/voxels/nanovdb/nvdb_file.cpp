#include "formats/voxels/nanovdb/nvdb_file.h"

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "formats/io/inflate.h"
#include "formats/io/mapped_file.h"
#include "libvox/base/log.h"

namespace vox::nvdb {
namespace {

struct StoredGrid {
  std::string name;
  GridRecord record;
  uint64_t at = 0;  // the position of its data in the file
  Codec codec = Codec::None;
};

void check_version(uint32_t version) {
  if (version >> 21 == kMajorVersion) return;
  throw Error(fmt::format("is of version {}.{}.{} of NanoVDB, expected {}", version >> 21,
                          version >> 10 & 0x7ff, version & 0x3ff, kMajorVersion))
      .hint("write it again with a NanoVDB of OpenVDB 8.1 or newer");
}

// Adds the grids of the segment that begins at `at`, and returns the start of the next segment.
uint64_t read_segment(const GridBytes& file, uint64_t at, std::vector<StoredGrid>& grids) {
  const auto header = file.get<FileHeader>(at, "the head of a segment");
  if (!is_magic(header.magic))
    throw Error(fmt::format("byte {} is not the start of a segment of NanoVDB", at))
        .hint("is the file damaged?");
  check_version(header.version);
  at += sizeof header;
  const size_t first = grids.size();
  for (uint32_t i = 0; i < header.grids; ++i) {
    const auto record = file.get<GridRecord>(at, "the record of a grid");
    at += sizeof record;
    const auto name = file.part(at, record.name_bytes, "the name of a grid");
    const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size());
    grids.push_back({std::string(text.substr(0, text.find('\0'))), record, 0, header.codec});
    at += record.name_bytes;
  }
  for (size_t i = first; i < grids.size(); ++i) {
    grids[i].at = at;
    file.part(at, grids[i].record.file_bytes, "a grid");
    at += grids[i].record.file_bytes;
  }
  return at;
}

GridBytes inflated(const GridBytes& file, const StoredGrid& stored, const std::filesystem::path& path) {
  const auto size = file.get<uint64_t>(stored.at, "a compressed grid");
  const auto data = file.part(stored.at + sizeof size, size, "a compressed grid");
  if (stored.record.grid_bytes / kDeflateRatio > data.size())
    throw Error(fmt::format("{} compressed bytes cannot hold a grid of {} bytes", data.size(),
                            stored.record.grid_bytes));
  const auto bytes =
      std::make_shared<const InflatedBytes>(data, Deflated::Zlib, stored.record.grid_bytes, path);
  return {bytes->bytes(), bytes};
}

GridBytes unpacked(const GridBytes& file, const StoredGrid& stored, const std::shared_ptr<const void>& owner,
                   const std::filesystem::path& path) {
  switch (stored.codec) {
    case Codec::None:
      return {file.part(stored.at, stored.record.file_bytes, "a grid"), owner};
    case Codec::Zip:
      return inflated(file, stored, path);
    case Codec::Blosc:
      throw Error("is compressed with Blosc, which is not supported")
          .hint("nanovdb_convert takes it to .vdb, and from there to .nvdb without compression");
  }
  throw Error(fmt::format("is compressed by codec {}, expected none or ZIP", static_cast<int>(stored.codec)));
}

}  // namespace

GridBytes open_grid(const std::filesystem::path& path) {
  const auto mapped = std::make_shared<const MappedFile>(path);
  const GridBytes file(mapped->bytes(), mapped);
  const auto magic = file.get<uint64_t>(0, "the magic number");
  if (!is_magic(magic)) throw Error("is no NanoVDB file: it does not begin with 'NanoVDB'");
  if (magic >> 56 == '1') return {mapped->bytes(), mapped};  // a grid in its form in memory
  std::vector<StoredGrid> grids;
  for (uint64_t at = 0; at < file.size();) at = read_segment(file, at, grids);
  if (grids.empty()) throw Error("holds no grid");
  if (grids.size() > 1) {
    std::vector<std::string> others;
    for (size_t i = 1; i < grids.size() && i < 8; ++i) others.push_back(grids[i].name);
    log_warning("{}: holds {} grids, of which the first, '{}', is read, and not '{}'{}", path.string(),
                grids.size(), grids[0].name, fmt::join(others, "', '"), grids.size() > 8 ? ", …" : "");
  }
  return unpacked(file, grids[0], mapped, path);
}

std::optional<std::span<const std::byte>> blind_data(const GridBytes& grid, const GridHead& head,
                                                     std::string_view name) {
  for (uint64_t i = 0; i < head.blind_count; ++i) {
    const uint64_t at = static_cast<uint64_t>(head.blind_at) + i * sizeof(BlindRecord);
    const auto record = grid.get<BlindRecord>(at, "the record of an array");
    if (std::string_view(record.name.data(), strnlen(record.name.data(), record.name.size())) != name)
      continue;
    if (record.value_bytes == 0 || record.count > grid.size() / record.value_bytes)
      throw Error(fmt::format("its array '{}' is larger than the grid", name)).hint("is the file damaged?");
    return grid.part(at + static_cast<uint64_t>(record.data_at), record.count * record.value_bytes,
                     "an array beside the tree");
  }
  return std::nullopt;
}

}  // namespace vox::nvdb
