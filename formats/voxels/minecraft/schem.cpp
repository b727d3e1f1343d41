#include "formats/voxels/minecraft/schem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "formats/io/compression.h"
#include "formats/io/read_file.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/voxelize/grid.h"

namespace vox {
namespace {

constexpr size_t kMostNamed = 8;  // the most blocks that a message names

// The contents of the tags. Block (x, y, z) has number (y · size.z + z) · size.x + x in `data`. There it is
// an index in the palette, stored 7 bits a byte, the low bits first.
struct SchemTags {
  Vec3<uint64_t> size = {0, 0, 0};
  Vec3d offset = {0, 0, 0};
  std::vector<std::string_view> palette;
  std::span<const std::byte> data;
  uint64_t data_offset = 0;
  bool has_palette = false, has_data = false;
};

class SchemReader {
 public:
  explicit SchemReader(std::span<const std::byte> bytes) : from_(bytes) {}

  SchemTags read() {
    if (nbt::read_type(from_) != nbt::Type::Compound) throw Error("is no schematic: it holds no compound");
    nbt::read_string(from_);
    read_compound(0);
    if (tags_.size.x == 0 || tags_.size.y == 0 || tags_.size.z == 0 || !tags_.has_data)
      throw Error("is no schematic with Width, Height, Length and blocks");
    if (!tags_.has_palette) throw Error("has no palette, so its blocks have no names");
    return std::move(tags_);
  }

 private:
  // Version 3 has everything in a compound of its own, and the blocks in another compound inside that.
  void read_compound(uint32_t depth) {
    nbt::for_each_entry(from_, [&](std::string_view name, nbt::Type type) {
      if (type == nbt::Type::Compound && depth < 2 && (name == "Schematic" || name == "Blocks"))
        return read_compound(depth + 1);
      if (name == "Width") return read_side(tags_.size.x, type);
      if (name == "Height") return read_side(tags_.size.y, type);
      if (name == "Length") return read_side(tags_.size.z, type);
      if (name == "Version") return check_version(type);
      if (name == "Palette" && type == nbt::Type::Compound) return read_palette();
      if ((name == "BlockData" || name == "Data") && type == nbt::Type::ByteArray) return read_data();
      if (name == "Offset" && type == nbt::Type::IntArray) return read_offset();
      nbt::skip(from_, type);
    });
  }

  // Sides are unsigned shorts.
  void read_side(uint64_t& side, nbt::Type type) {
    side = static_cast<uint64_t>(nbt::read_integer(from_, type)) & 0xffff;
  }

  void check_version(nbt::Type type) {
    const int64_t version = nbt::read_integer(from_, type);
    if (version < 1 || version > 3) from_.fail(fmt::format("it is of version {}, expected 1 to 3", version));
  }

  void read_palette() {
    if (tags_.has_palette) from_.fail("there is a second palette");
    tags_.has_palette = true;
    std::vector<std::pair<int64_t, std::string_view>> entries;
    nbt::for_each_entry(from_, [&](std::string_view name, nbt::Type type) {
      entries.emplace_back(nbt::read_integer(from_, type), name);
    });
    tags_.palette.resize(entries.size());
    for (const auto& [number, name] : entries) {
      if (number < 0 || number >= static_cast<int64_t>(entries.size()))
        from_.fail(fmt::format("'{}' has number {} in a palette of {}", name, number, entries.size()));
      tags_.palette[static_cast<size_t>(number)] = name;
    }
  }

  void read_data() {
    if (tags_.has_data) from_.fail("its blocks occur twice");
    tags_.has_data = true;
    const uint64_t length = nbt::read_length(from_);
    tags_.data_offset = from_.offset();
    tags_.data = from_.take(length);
  }

  void read_offset() {
    if (nbt::read_length(from_) != 3) from_.fail("'Offset' is not three numbers");
    for (uint32_t axis = 0; axis < 3; ++axis) tags_.offset[axis] = from_.big<int32_t>();
  }

  ByteCursor from_;
  SchemTags tags_;
};

constexpr size_t kLeastGzip = 18, kGzipSizeBytes = 4;

// Returns the number of bytes that the gzip data stand for. The data end with this number modulo 2^32, which is the
// whole number because an array of NBT has less than 2^31 bytes. Zeros may follow, which fill a block of a tape. As up
// to three bytes of the number may be zeros, too, each place where it can end is tried, the smallest number first.
uint64_t inflated_size(const MappedFile& file) {
  const auto bytes = file.bytes();
  if (bytes.size() < kLeastGzip || bytes[0] != std::byte{0x1f} || bytes[1] != std::byte{0x8b})
    throw Error("is no schematic: it is not compressed by gzip");
  size_t least = bytes.size();  // where the data end if the last byte of the number is not zero
  while (least > kLeastGzip && bytes[least - 1] == std::byte{0}) --least;
  const auto size_before = [&](size_t end) {
    return uint64_t{ByteCursor(bytes.subspan(end - kGzipSizeBytes, kGzipSizeBytes)).little<uint32_t>()};
  };
  for (size_t end = std::min(least + kGzipSizeBytes - 1, bytes.size()); end > least; --end)
    if (const uint64_t size = size_before(end);
        size > 0 && inflated_start(bytes, static_cast<size_t>(size) + 1).size() == size)
      return size;
  const uint64_t size = size_before(least);
  if (size == 0) throw Error("is no schematic: it is empty");
  return size;
}

class Blocks {
 public:
  explicit Blocks(const std::filesystem::path& path)
      : file_(path),
        inflated_(file_.bytes(), Deflated::Gzip, inflated_size(file_), path),
        tags_(SchemReader(inflated_.bytes()).read()),
        marks_(checked_size(tags_)) {
    for (const std::string_view state : tags_.palette) is_air_.push_back(is_air(block_name(state)));
    index_rows();
  }

  const SchemTags& tags() const { return tags_; }
  const CubeMarks& marks() const { return marks_; }
  bool uses(size_t entry) const { return used_[entry] && !is_air_[entry]; }

  // Calls body(place in the cube, palette index) for the blocks of a cube that are not air.
  template <class Body>
  void for_each_in(Int3 corner, Body body) const {
    const auto begin = vec_of<uint64_t>(corner);
    const Vec3<uint64_t> end = {std::min(begin.x + 64, tags_.size.x), std::min(begin.y + 64, tags_.size.y),
                                std::min(begin.z + 64, tags_.size.z)};
    for (uint64_t y = begin.y; y < end.y; ++y)
      for (uint64_t z = begin.z; z < end.z; ++z) {
        uint64_t at = place_in_row(y * tags_.size.z + z, begin.x);
        for (uint64_t x = begin.x; x < end.x; ++x) {
          const uint32_t entry = number_at(at);
          if (!is_air_[entry]) body(vec_of<int32_t>(Vec3<uint64_t>{x, y, z} - begin), entry);
        }
      }
  }

 private:
  // Compares the size with the number of bytes in the file before any memory is allocated for it.
  static Vec3<uint64_t> checked_size(const SchemTags& tags) {
    const Vec3<uint64_t>& size = tags.size;
    if (size.x * size.y * size.z > tags.data.size())
      throw Error(fmt::format("{} bytes of blocks cannot hold {} x {} x {} of them", tags.data.size(), size.x,
                              size.y, size.z));
    return size;
  }

  // Returns where the number of a row's block x begins. Numbers above 127 take several bytes; groups of rows without one
  // are not walked.
  uint64_t place_in_row(uint64_t row, uint64_t x) const {
    const uint64_t group = row / rows_each_, first = group * rows_each_;
    const uint64_t rows = std::min(rows_each_, tags_.size.y * tags_.size.z - first);
    uint64_t left = (row - first) * tags_.size.x + x, at = starts_[group];
    if (starts_[group + 1] - at == rows * tags_.size.x) return at + left;
    for (; left > 0; --left) number_at(at);
    return at;
  }

  // Reads a number that has been checked and moves `at` behind it.
  uint32_t number_at(uint64_t& at) const {
    uint32_t number = 0, shift = 0;
    for (;; shift += 7) {
      const uint32_t byte = std::to_integer<uint32_t>(tags_.data[at++]);
      number |= (byte & 127) << shift;
      if (byte < 128) return number;
    }
  }

  // True if a number of at most five bytes begins here.
  bool has_number(uint64_t at) const {
    for (uint64_t i = at; i < std::min(at + 5, tags_.data.size()); ++i)
      if (std::to_integer<uint32_t>(tags_.data[i]) < 128) return true;
    return false;
  }

  void index_rows() {
    const uint64_t rows = tags_.size.y * tags_.size.z;
    rows_each_ = (kLeastOfGroup + tags_.size.x - 1) / tags_.size.x;
    used_.resize(tags_.palette.size());
    starts_.reserve((rows + rows_each_ - 1) / rows_each_ + 1);
    uint64_t at = 0;
    for (uint64_t row = 0; row < rows; ++row) {
      const uint64_t y = row / tags_.size.z, z = row % tags_.size.z;
      if (z == 0) throw_if_cancelled();
      if (row % rows_each_ == 0)
        starts_.push_back(static_cast<uint32_t>(at));  // an array of NBT has less than 2^31 bytes
      for (uint64_t x = 0; x < tags_.size.x; ++x) check_block({x, y, z}, at);
    }
    starts_.push_back(static_cast<uint32_t>(at));
    if (at != tags_.data.size())
      throw Error(fmt::format("byte {}: expected the end of its blocks", tags_.data_offset + at));
  }

  void check_block(const Vec3<uint64_t>& place, uint64_t& at) {
    const uint64_t begin = at;
    if (!has_number(at))
      throw Error(fmt::format("byte {}: block {}, {}, {} has no number", tags_.data_offset + at, place.x,
                              place.y, place.z));
    const uint32_t entry = number_at(at);
    if (entry >= used_.size())
      throw Error(fmt::format("byte {}: a block has number {} in a palette of {}", tags_.data_offset + begin,
                              entry, used_.size()));
    used_[entry] = true;
    if (!is_air_[entry]) marks_.mark(place);
  }

  MappedFile file_;
  InflatedBytes inflated_;
  SchemTags tags_;
  CubeMarks marks_;
  std::vector<bool> is_air_, used_;  // for each entry of the palette
  // Rows along x form groups of at least so many blocks, because a deflated file of few bytes may have very many rows of one
  // block.
  static constexpr uint64_t kLeastOfGroup = 64;
  uint64_t rows_each_ = 1;        // the rows of a group
  std::vector<uint32_t> starts_;  // for each group, its start in tags_.data; and the end of the last one
};

// Returns the colors of the palette's blocks, and logs which of the blocks in use have no known color.
std::vector<scene::Rgb8> block_table(const Blocks& blocks, const std::filesystem::path& path) {
  std::vector<scene::Rgb8> table;
  std::vector<std::string> unknown;
  const auto& palette = blocks.tags().palette;
  for (size_t i = 0; i < palette.size(); ++i) {
    const std::string_view name = block_name(palette[i]);
    const auto known = known_block_color(name);
    table.push_back(known ? *known : color_of_name(name));
    if (!known && blocks.uses(i)) unknown.emplace_back(name);
  }
  std::ranges::sort(unknown);
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  if (unknown.empty()) return table;
  std::string list;
  for (size_t i = 0; i < std::min(unknown.size(), kMostNamed); ++i) list += (i > 0 ? ", " : "") + unknown[i];
  log_warning("{}: {} kinds of blocks have no known color and get one derived from their names: {}{}",
              path.string(), unknown.size(), list, unknown.size() > kMostNamed ? ", …" : "");
  return table;
}

}  // namespace

VoxelFile open_schem(const std::filesystem::path& path) {
  const auto blocks = std::make_shared<const Blocks>(path);
  const Vec3<uint64_t> size = blocks->tags().size;
  VoxelFile file;
  file.resolution =
      std::max(static_cast<uint32_t>(std::max({size.x, size.y, size.z})), voxelize::kMinResolution);
  file.origin = blocks->tags().offset;
  file.values = VoxelValues::Table;
  file.table = block_table(*blocks, path);
  file.cubes = blocks->marks().keys();
  file.read = [blocks, cubes = file.cubes](size_t cube, VoxelSink& to) {
    blocks->for_each_in(dag::cube_corner(cubes[cube]),
                        [&](Int3 place, uint32_t entry) { to.put(place, entry); });
  };
  return file;
}

}  // namespace vox

namespace vox::nbt {
namespace {

constexpr uint32_t kMostDepth = 512;

// Returns the size in bytes of a value of a type with a fixed size.
uint64_t fixed_bytes(Type type) {
  constexpr std::array<uint64_t, 7> kBytes = {0, 1, 2, 4, 8, 4, 8};  // in the order of Type
  const auto i = static_cast<size_t>(type);
  return i < kBytes.size() ? kBytes[i] : 0;
}

void skip_below(ByteCursor& from, Type type, uint32_t depth);

void skip_list(ByteCursor& from, uint32_t depth) {
  const Type type = read_type(from);
  const uint64_t length = from.big<uint32_t>();
  if (type == Type::End) return;  // no elements follow, whatever its length says
  if (length > INT32_MAX) from.fail("a list has a negative length");
  if (const uint64_t bytes = fixed_bytes(type); bytes != 0) {
    from.take(length * bytes);
    return;
  }
  for (uint64_t i = 0; i < length; ++i) skip_below(from, type, depth);
}

void skip_below(ByteCursor& from, Type type, uint32_t depth) {
  if (depth > kMostDepth) from.fail("its tags are nested too deeply");
  switch (type) {
    case Type::ByteArray:
    case Type::IntArray:
    case Type::LongArray:
      from.take((type == Type::ByteArray  ? 1
                 : type == Type::IntArray ? 4
                                          : uint64_t{8}) *
                from.big<uint32_t>());
      return;
    case Type::String:
      read_string(from);
      return;
    case Type::List:
      return skip_list(from, depth + 1);
    case Type::Compound:
      return for_each_entry(from, [&](std::string_view, Type entry) { skip_below(from, entry, depth + 1); });
    default:
      from.take(fixed_bytes(type));
  }
}

}  // namespace

Type read_type(ByteCursor& from) {
  const auto type = from.big<uint8_t>();
  if (type > static_cast<uint8_t>(Type::LongArray))
    from.fail(fmt::format("there is no tag of type {}", type));
  return static_cast<Type>(type);
}

std::string_view read_string(ByteCursor& from) {
  return from.text(from.big<uint16_t>());
}

int64_t read_integer(ByteCursor& from, Type type) {
  switch (type) {
    case Type::Byte:
      return from.big<int8_t>();
    case Type::Short:
      return from.big<int16_t>();
    case Type::Int:
      return from.big<int32_t>();
    case Type::Long:
      return from.big<int64_t>();
    default:
      from.fail("expected a whole number");
  }
}

uint64_t read_length(ByteCursor& from) {
  const uint64_t length = from.big<uint32_t>();
  if (length > from.left()) from.take(length);
  return length;
}

void skip(ByteCursor& from, Type type) {
  skip_below(from, type, 0);
}

}  // namespace vox::nbt
