// Colors for numbers and names that have no color of their own.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/volume/places.h"
#include "formats/voxels/export.h"
#include "formats/voxels/voxel_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/scene/palette.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// Returns a color for a number. The colors of consecutive numbers differ strongly: each hue is the golden
// ratio further around the circle, and three shades alternate. The computation uses integers only.
inline scene::Rgb8 distinct_color(uint32_t number) {
  const uint32_t hue = number * 40503 % 65536;            // 65536 is the whole circle
  const uint32_t high = 230 - number % 3 * 45, low = 60;  // the strongest and the weakest channel
  const auto channel = [&](uint32_t from) {
    const uint32_t at = (hue + from) % 65536 * 6;  // six parts: up, high, high, down, low, low
    const uint32_t part = at / 65536, step = (high - low) * (at % 65536) / 65536;
    if (part == 0) return low + step;
    if (part == 3) return high - step;
    return part < 3 ? high : low;
  };
  return {static_cast<uint8_t>(channel(21845)), static_cast<uint8_t>(channel(0)),
          static_cast<uint8_t>(channel(43691))};
}

namespace {

constexpr uint64_t kPairsAtOnce = 1 << 20;

struct BinvoxHeader {
  uint32_t version = 1;
  Vec3<uint64_t> size = {0, 0, 0};  // voxels along x, y and z of the grid
  Vec3d translate = {0, 0, 0};
  double scale = 1;
  size_t bytes = 0;  // the header's length, up to the runs

  uint64_t longest() const { return std::max({size.x, size.y, size.z}); }
};

// Reads `count` numbers from a line of the header.
std::array<double, 3> header_numbers(const char* p, size_t count, std::string_view word) {
  std::array<double, 3> numbers = {};
  for (size_t i = 0; i < count; ++i) {
    p = skip_blanks(p);
    const Number number = scan_number(p);
    if (number.end == nullptr || !std::isfinite(number.value))
      throw Error(fmt::format("'{}' of its header needs {} numbers", word, count));
    numbers[i] = number.value;
    p = number.end;
  }
  return numbers;
}

uint64_t checked_side(double side) {
  if (!(side >= 1 && side <= voxelize::kMaxResolution) || side != std::floor(side))
    throw Error(fmt::format("'dim' of its header has {}, expected 1 to {} voxels along each axis", side,
                            voxelize::kMaxResolution));
  return static_cast<uint64_t>(side);
}

BinvoxHeader read_header(std::string_view text) {
  BinvoxHeader header;
  const char *p = text.data(), *end = p + text.size();
  if (!text.starts_with("#binvox ")) throw Error("is no binvox file: it does not begin with #binvox");
  const double version = header_numbers(p + 8, 1, "#binvox")[0];
  if (version != 1 && version != 2)
    throw Error(fmt::format("is of version {} of binvox, expected 1 or 2", version));
  header.version = static_cast<uint32_t>(version);
  for (p = next_line(p); p < end; p = next_line(p)) {
    p = skip_blanks(p);
    const char* behind = word_end(p);
    const std::string_view word(p, static_cast<size_t>(behind - p));
    if (word == "data") {
      // Exactly one line end ends this line, because the data may begin with bytes that look like another.
      while (is_blank(*behind)) ++behind;
      if (*behind == '\r' && behind[1] == '\n') ++behind;
      header.bytes = static_cast<size_t>(behind + 1 - text.data());
      if (*behind != '\n' || header.size.x == 0)
        throw Error(header.size.x == 0 ? "its header has no 'dim'"
                                       : "the line 'data' of its header does not end");
      return header;
    }
    if (word == "dim") {
      // Depth, height and width are the sides along x, z and y.
      const auto sides = header_numbers(behind, 3, word);
      header.size = {checked_side(sides[0]), checked_side(sides[2]), checked_side(sides[1])};
    } else if (word == "translate") {
      const auto corner = header_numbers(behind, 3, word);
      header.translate = {corner[0], corner[1], corner[2]};
    } else if (word == "scale") {
      header.scale = header_numbers(behind, 1, word)[0];
      if (header.scale <= 0) throw Error("'scale' of its header is not greater than 0");
    }
  }
  throw Error("its header has no line 'data'");
}

// The runs of the file. Voxel (x, y, z) has number (x · size.z + z) · size.y + y; a column is the voxels
// along y.
class BinvoxRuns {
 public:
  BinvoxRuns(std::span<const std::byte> bytes, Vec3<uint64_t> size)
      : bytes_(bytes), size_(checked(bytes, size)), marks_(size) {
    while (size.x * size.z / stride_ > std::max<uint64_t>(bytes.size() / sizeof(Start), 1 << 17))
      stride_ *= 2;
    starts_.resize((size.x * size.z + stride_ - 1) / stride_);
    const uint64_t parts = (pairs() + kPairsAtOnce - 1) / kPairsAtOnce;
    std::vector<uint64_t> firsts(parts + 1);  // the first voxel of each part
    parallel_for(uint64_t{0}, parts, [&](uint64_t part) {
      for_each_pair(part, [&](uint64_t pair) {
        if (count(pair) == 0) throw Error(fmt::format("run {} has no voxels", pair));
        firsts[part + 1] += count(pair);
      });
    });
    for (uint64_t part = 0; part < parts; ++part) firsts[part + 1] += firsts[part];
    const uint64_t voxels = size.x * size.y * size.z;
    if (firsts[parts] != voxels)
      throw Error(
          fmt::format("its runs hold {} voxels, but 'dim' of its header asks for {}", firsts[parts], voxels));
    std::vector<std::bitset<256>> values(parts);
    parallel_for(uint64_t{0}, parts, [&](uint64_t part) {
      throw_if_cancelled();
      values[part] = index_part(part, firsts[part]);
    });
    for (const auto& of_part : values) values_ |= of_part;
  }

  const std::bitset<256>& values() const { return values_; }  // those that filled voxels have
  const CubeMarks& marks() const { return marks_; }

  // Calls body(y, length, value) for the filled runs of a column, clipped to [y_begin, y_end).
  template <class Body>
  void for_each_run(uint64_t x, uint64_t z, uint64_t y_begin, uint64_t y_end, Body body) const {
    const uint64_t column = x * size_.z + z, before = column % stride_ * size_.y;
    const Start start = starts_[column / stride_];
    y_begin += before, y_end += before;
    uint64_t y = 0, left = count(start.pair()) - start.skipped();
    for (uint64_t pair = start.pair();; left = count(++pair)) {
      const uint64_t end = y + left;
      const uint64_t from = std::max(y, y_begin), to = std::min(end, y_end);
      if (value(pair) != 0 && from < to) body(from - before, to - from, value(pair));
      if (end >= y_end) return;
      y = end;
    }
  }

 private:
  // The start of a column: a pair, and how many of its voxels belong to columns before.
  class Start {
   public:
    Start() = default;
    Start(uint64_t pair, uint64_t skipped) : bits_(pair << 8 | skipped) {}
    uint64_t pair() const { return bits_ >> 8; }
    uint64_t skipped() const { return bits_ & 255; }

   private:
    uint64_t bits_ = 0;
  };

  // Compares the grid's size with the number of bytes in the file before any memory is allocated for it.
  static Vec3<uint64_t> checked(std::span<const std::byte> bytes, Vec3<uint64_t> size) {
    const uint64_t voxels = size.x * size.y * size.z;  // at most 2^60
    if (bytes.size() % 2 != 0 || voxels / 255 > bytes.size() / 2)
      throw Error(fmt::format("{} bytes of runs cannot hold {} x {} x {} voxels", bytes.size(), size.x,
                              size.y, size.z))
          .hint("is the file cut off?");
    return size;
  }

  uint64_t pairs() const { return bytes_.size() / 2; }
  uint8_t value(uint64_t pair) const { return std::to_integer<uint8_t>(bytes_[2 * pair]); }
  uint64_t count(uint64_t pair) const { return std::to_integer<uint64_t>(bytes_[2 * pair + 1]); }

  template <class Body>
  void for_each_pair(uint64_t part, Body body) const {
    const uint64_t end = std::min((part + 1) * kPairsAtOnce, pairs());
    for (uint64_t pair = part * kPairsAtOnce; pair < end; ++pair) body(pair);
  }

  // Finds the starts of columns in a part and marks the cubes of its filled voxels.
  std::bitset<256> index_part(uint64_t part, uint64_t voxel) {
    std::bitset<256> values;
    const uint64_t step = stride_ * size_.y;
    uint64_t start = (voxel + step - 1) / step, next = start * step;
    for_each_pair(part, [&](uint64_t pair) {
      const uint64_t end = voxel + count(pair);
      for (; next < end; next += step) starts_[start++] = Start(pair, next - voxel);
      if (value(pair) != 0 && end > voxel) {
        values.set(value(pair));
        mark(voxel, end);
      }
      voxel = end;
    });
    return values;
  }

  void mark(uint64_t voxel, uint64_t end) {
    while (voxel < end) {
      const uint64_t column = voxel / size_.y, y = voxel % size_.y;
      marks_.mark({column / size_.z, y, column % size_.z});
      voxel += std::min(64 - y % 64, size_.y - y);
    }
  }

  std::span<const std::byte> bytes_;
  Vec3<uint64_t> size_;
  CubeMarks marks_;
  // The stride is above 1 if columns are many and short, so that starts take less memory than runs.
  uint64_t stride_ = 1;
  std::vector<Start> starts_;  // for every stride_-th column
  std::bitset<256> values_;
};

struct BinvoxContent {
  explicit BinvoxContent(const std::filesystem::path& path)
      : file(path), header(read_header(file.text())), runs(file.bytes().subspan(header.bytes), header.size) {}

  MappedFile file;
  BinvoxHeader header;
  BinvoxRuns runs;
};

// Calls body(x, z, y, length, value) for the filled runs in a cube, in the cube's coordinates.
template <class Body>
void for_each_run_of_cube(const BinvoxContent& content, Int3 corner, Body body) {
  const Vec3<uint64_t> size = content.header.size;
  const auto begin = vec_of<uint64_t>(corner);
  for (uint64_t x = begin.x; x < std::min(begin.x + 64, size.x); ++x)
    for (uint64_t z = begin.z; z < std::min(begin.z + 64, size.z); ++z)
      content.runs.for_each_run(
          x, z, begin.y, std::min(begin.y + 64, size.y), [&](uint64_t y, uint64_t length, uint8_t value) {
            body(static_cast<int32_t>(x - begin.x), static_cast<int32_t>(z - begin.z),
                 static_cast<int32_t>(y - begin.y), static_cast<int32_t>(length), value);
          });
}

// Fills four voxels of a column at once; used if only filled or empty matters.
void fill_cube(const BinvoxContent& content, Int3 corner, VoxelSink& to) {
  // The bits that rows of up to four voxels along y have in a leaf at x = z = 0.
  constexpr std::array<uint64_t, 16> kRows = [] {
    std::array<uint64_t, 16> rows = {};
    for (uint32_t row = 0; row < 16; ++row)
      for (uint32_t y = 0; y < 4; ++y)
        if (row >> y & 1) rows[row] |= uint64_t{1} << ((y & 1) << 1 | (y >> 1) << 4);
    return rows;
  }();
  std::array<uint64_t, dag::VoxelCube::kLeaves> masks = {};
  for_each_run_of_cube(content, corner, [&](int32_t x, int32_t z, int32_t y, int32_t length, uint8_t) {
    const uint64_t run = (length == 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1) << y;
    for (int32_t part = y / 4; part <= (y + length - 1) / 4; ++part) {
      const uint32_t code = dag::VoxelCube::code({x, 4 * part, z});
      masks[code >> 6] |= kRows[run >> 4 * part & 15] << (code & 63);
    }
  });
  for (uint32_t leaf = 0; leaf < masks.size(); ++leaf) to.put_mask(leaf, masks[leaf]);
}

// Decides what the values of version 2 mean.
void set_values(VoxelFile& file, const std::bitset<256>& values, const std::filesystem::path& path) {
  uint32_t highest = 0;
  for (uint32_t value = 1; value < 256; ++value)
    if (values[value]) highest = value;
  const size_t different = values.count();
  if (highest == 0) return;
  if (highest <= scene::kPaletteSize) {
    file.values = VoxelValues::Entries;
    file.own_colors = false;
    file.palette.count = highest;
    for (uint32_t i = 0; i < highest; ++i) {
      file.palette.colors[i] = distinct_color(i);
      file.palette.names[i] = fmt::format("material {}", i);
    }
    return;
  }
  file.values = VoxelValues::Table;
  for (uint32_t value = 0; value < 256; ++value) file.table.push_back(distinct_color(value));
  if (different > scene::kPaletteSize)
    log_warning("{}: has {} different values, of which several become one material", path.string(),
                different);
}

}  // namespace

VoxelFile open_binvox(const std::filesystem::path& path) {
  const auto content = std::make_shared<const BinvoxContent>(path);
  const BinvoxHeader& header = content->header;
  VoxelFile file;
  file.resolution = std::max(static_cast<uint32_t>(header.longest()), voxelize::kMinResolution);
  file.origin = header.translate;
  file.voxel_size = header.scale / static_cast<double>(header.longest());
  if (!(file.voxel_size.x > 0)) throw Error("'scale' of its header is too small");
  if (header.version == 2) set_values(file, content->runs.values(), path);
  file.cubes = content->runs.marks().keys();
  const uint32_t first = file.values == VoxelValues::Entries ? 1 : 0;  // the value that stands for entry 0
  file.read = [content, first, cubes = file.cubes, values = file.values](size_t cube, VoxelSink& to) {
    const Int3 corner = dag::cube_corner(cubes[cube]);
    if (values == VoxelValues::Filled) return fill_cube(*content, corner, to);
    const auto put = [&](int32_t x, int32_t z, int32_t y, int32_t length, uint8_t value) {
      for (int32_t i = y; i < y + length; ++i) to.put({x, i, z}, value - first);
    };
    for_each_run_of_cube(*content, corner, put);
  };
  return file;
}

}  // namespace vox
