#include "formats/voxels/nanovdb/nvdb_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/output_file.h"
#include "formats/io/read_file.h"
#include "formats/voxels/openvdb/vdb.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/voxelize/grid.h"

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

// NanoVDB compresses pieces of 1 GiB, each behind its compressed size.
GridBytes unpacked_blosc(const GridBytes& file, const StoredGrid& stored, const std::filesystem::path& path) {
  constexpr uint64_t kLz4Ratio = 255, kPiece = uint64_t{1} << 30;
  const uint64_t size = stored.record.grid_bytes;
  if (size == 0 || size / kLz4Ratio > stored.record.file_bytes)
    throw Error(
        fmt::format("{} compressed bytes cannot hold a grid of {} bytes", stored.record.file_bytes, size));
  const auto grid = std::make_shared<NamelessFile>(size, path);
  for (uint64_t at = stored.at, done = 0; done < size;) {
    const auto packed = file.get<uint64_t>(at, "a compressed grid");
    const uint64_t piece = std::min(kPiece, size - done);
    if (!unblosc(file.part(at + sizeof packed, packed, "a compressed grid"),
                 grid->bytes().subspan(done, piece)))
      throw Error("its grid cannot be unpacked: it is damaged, or is not LZ4 within Blosc");
    at += sizeof packed + packed;
    done += piece;
  }
  return {grid->bytes(), grid};
}

GridBytes unpacked(const GridBytes& file, const StoredGrid& stored, const std::shared_ptr<const void>& owner,
                   const std::filesystem::path& path) {
  switch (stored.codec) {
    case Codec::None:
      return {file.part(stored.at, stored.record.file_bytes, "a grid"), owner};
    case Codec::Zip:
      return inflated(file, stored, path);
    case Codec::Blosc:
      return unpacked_blosc(file, stored, path);
  }
  throw Error(
      fmt::format("is compressed by codec {}, expected none, ZIP or Blosc", static_cast<int>(stored.codec)));
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

namespace {

constexpr std::string_view kFirstLine = "vox scene 1";
constexpr std::string_view kAxes = "xyz";

// Reads the lines one by one; each has a keyword and its value.
class SceneLines {
 public:
  explicit SceneLines(std::string_view text) : text_(std::string(text)) {}

  std::istringstream next(std::string_view expected) {
    std::istringstream line(whole_line());
    if (std::string word; !(line >> word) || word != expected) damaged(expected);
    return line;
  }
  std::string whole_line() {
    std::string line;
    if (!std::getline(text_, line)) damaged("another line");
    return line;
  }
  template <class T>
  T value(std::string_view name) {
    std::istringstream line = next(name);
    T value = {};
    if (!(line >> value)) damaged(name);
    return value;
  }
  [[noreturn]] static void damaged(std::string_view expected) {
    throw Error(fmt::format("its description of the scene is damaged: expected {}", expected));
  }

 private:
  std::istringstream text_;
};

uint8_t channel_of(std::istringstream& line) {
  uint32_t value = 256;
  if (!(line >> value) || value > 255) SceneLines::damaged("red, green and blue, 0 to 255");
  return static_cast<uint8_t>(value);
}

// Replaces line ends, so that a name stays on one line.
std::string one_line(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return name;
}

}  // namespace

std::string scene_text(const dag::VoxelScene& scene) {
  std::string text =
      fmt::format("{}\nresolution {}\norigin {} {} {}\nvoxel_size {}\nup {}\nmaterials {}\n", kFirstLine,
                  scene.dag.resolution, scene.origin.x, scene.origin.y, scene.origin.z,
                  exact_sides(scene.voxel_size), kAxes[static_cast<size_t>(scene.up)], scene.palette.count);
  for (uint32_t i = 0; i < scene.palette.count; ++i) {
    const scene::Rgb8 color = scene.palette.colors[i];
    text += fmt::format("{} {} {} {}\n", color.r, color.g, color.b, one_line(scene.palette.names[i]));
  }
  return text;
}

SceneText parse_scene_text(std::string_view text) {
  SceneLines lines(text);
  if (lines.whole_line() != kFirstLine) SceneLines::damaged(kFirstLine);
  SceneText scene;
  scene.resolution = lines.value<uint32_t>("resolution");
  if (scene.resolution < voxelize::kMinResolution || scene.resolution > voxelize::kMaxResolution)
    SceneLines::damaged("a resolution of 4 to 1M");
  std::istringstream origin = lines.next("origin");
  if (!(origin >> scene.origin.x >> scene.origin.y >> scene.origin.z)) SceneLines::damaged("an origin");
  std::istringstream sides = lines.next("voxel_size");
  VoxelSize& size = scene.voxel_size;
  if (!(sides >> size.x)) SceneLines::damaged("a voxel size");
  if (!(sides >> size.y >> size.z)) size.y = size.z = size.x;
  if (!(size.shortest() > 0)) SceneLines::damaged("a voxel size above 0");
  const size_t up = kAxes.find(lines.value<char>("up"));
  if (up == std::string_view::npos) SceneLines::damaged("x, y or z");
  scene.up = static_cast<dag::UpAxis>(up);
  scene.palette.count = lines.value<uint32_t>("materials");
  if (scene.palette.count > scene::kPaletteSize) SceneLines::damaged("at most 16 materials");
  for (uint32_t i = 0; i < scene.palette.count; ++i) {
    std::istringstream line(lines.whole_line());
    for (uint8_t* channel :
         {&scene.palette.colors[i].r, &scene.palette.colors[i].g, &scene.palette.colors[i].b})
      *channel = channel_of(line);
    line.ignore(1);
    std::getline(line, scene.palette.names[i]);
  }
  return scene;
}

}  // namespace vox::nvdb
