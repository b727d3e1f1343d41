// The readers of points from scanners: LAS 1.0 to 1.4 (ASPRS, "LAS Specification 1.4 - R15") with points of formats 0 to 10,
// and text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "formats/points/points.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

// The point formats: the least size of a record, and the offset of its color, 0 if it has none. Formats from
// 6 on have their flags elsewhere.
struct LasPointFormat {
  uint16_t bytes, color;
};
constexpr LasPointFormat kPointFormats[] = {
    {20, 0}, {28, 0}, {26, 20}, {34, 28}, {57, 0}, {63, 28}, {30, 0}, {36, 30}, {38, 30}, {59, 0}, {67, 30},
};

struct LasHeader {
  uint64_t points_at = 0, count = 0;  // the first byte of the records, and their number
  uint32_t format = 0;
  uint32_t record_bytes = 0;
  std::byte withheld = {};  // the bit of a record's byte 15 that marks it as withheld
  Vec3d scale = {1, 1, 1}, offset = {0, 0, 0};
};

// The public header, by the places of its fields:
//
//   byte  24   u8 ×2      version           107   u32        count, before 1.4
//         94   u16        header's size     131   f64 ×3     scale
//         96   u32        points begin      155   f64 ×3     offset
//        104   u8         point format      247   u64        count, in 1.4
//        105   u16        record's size
LasHeader read_las_header(const ReadFile& file) {
  constexpr uint64_t kShortest = 227, kWithCount = 255;
  std::array<std::byte, kWithCount> bytes = {};
  const std::byte* at = bytes.data();
  const uint64_t there = std::min<uint64_t>(file.size(), bytes.size());
  file.read(0, std::span(bytes).first(there));
  if (std::string_view(reinterpret_cast<const char*>(at), 4) != "LASF")
    throw Error("is not a LAS file: does not start with 'LASF'");
  if (there < kShortest) throw Error("ends within its header").hint("is it truncated?");
  const uint32_t major = value_at<uint8_t>(at + 24), minor = value_at<uint8_t>(at + 25);
  if (major != 1 || minor > 4)
    throw Error(fmt::format("is LAS {}.{}, but only 1.0 to 1.4 are supported", major, minor));

  LasHeader header;
  const uint32_t format = value_at<uint8_t>(at + 104);
  if ((format & 0xc0) != 0)
    throw Error("its points are compressed as LAZ, which is not supported")
        .hint("unpack it, as with laszip or 'pdal translate in.laz out.las'");
  if (format >= std::size(kPointFormats))
    throw Error(fmt::format("has points of format {}, but only 0 to {} are supported", format,
                            std::size(kPointFormats) - 1));
  header.format = format;
  header.record_bytes = value_at<uint16_t>(at + 105);
  if (header.record_bytes < kPointFormats[format].bytes)
    throw Error(fmt::format("has {} bytes for a point of format {}, which takes {}", header.record_bytes,
                            format, kPointFormats[format].bytes));
  const uint64_t header_bytes = value_at<uint16_t>(at + 94);
  header.points_at = value_at<uint32_t>(at + 96);
  if (header.points_at < kShortest || header.points_at > file.size())
    throw Error(fmt::format("its points begin at byte {} of {}", header.points_at, file.size()))
        .hint("is it truncated?");
  header.count = value_at<uint32_t>(at + 107);
  if (minor == 4 && header_bytes >= kWithCount && there == kWithCount)
    if (const auto count = value_at<uint64_t>(at + 247); count > 0) header.count = count;
  if (header.count > (file.size() - header.points_at) / header.record_bytes)
    throw Error(fmt::format("{} points cannot fit into the file", header.count))
        .hint("is the file truncated?");
  for (uint32_t axis = 0; axis < 3; ++axis) {
    header.scale[axis] = value_at<double>(at + 131 + 8 * axis);
    header.offset[axis] = value_at<double>(at + 155 + 8 * axis);
    if (!std::isfinite(header.scale[axis]) || header.scale[axis] == 0 || !std::isfinite(header.offset[axis]))
      throw Error(fmt::format("its coordinates have the scale {} and the offset {}", header.scale[axis],
                              header.offset[axis]));
  }
  // In LAS 1.0 the whole byte is a class.
  if (minor > 0) header.withheld = format >= 6 ? std::byte{4} : std::byte{128};
  return header;
}

// The range of color components.
enum class LasColors { None, Bytes, Words };

class LasPoints {
 public:
  explicit LasPoints(const std::filesystem::path& path) : file_(path), header_(read_las_header(file_)) {
    color_at_ = kPointFormats[header_.format].color;
    if (color_at_ != 0) colors_ = find_colors();
  }

  size_t pieces() const { return (header_.count + kPieceRecords - 1) / kPieceRecords; }
  bool has_colors() const { return colors_ != LasColors::None; }

  CloudPiece read(size_t piece) const {
    CloudPiece part;
    part.points.reserve(kPieceRecords);
    for_each_in(piece, [&](const std::byte* record) {
      if ((record[15] & header_.withheld) != std::byte{}) {
        ++part.left_out;
      } else {
        part.points.push_back({place(record), rgb(record)});
      }
    });
    return part;
  }

 private:
  template <class Body>
  void for_each_in(size_t piece, const Body& body) const {
    const uint64_t first = piece * kPieceRecords, count = std::min(kPieceRecords, header_.count - first);
    const uint64_t bytes = count * header_.record_bytes;
    const auto records = std::make_unique_for_overwrite<std::byte[]>(bytes);
    file_.read(header_.points_at + first * header_.record_bytes, {records.get(), bytes});
    for (uint64_t at = 0; at < bytes; at += header_.record_bytes) body(records.get() + at);
  }

  // Components have 16 bits, but many programs write values of 8 bits unchanged. If none is greater than 255,
  // they are taken as 8 bits. If all are 0, the points have no colors.
  LasColors find_colors() const {
    std::atomic<uint16_t> most = 0;
    parallel_for(size_t{0}, pieces(), [&](size_t piece) {
      if (most.load(std::memory_order_relaxed) > 255) return;
      throw_if_cancelled();
      uint16_t here = 0;
      for_each_in(piece, [&](const std::byte* record) {
        for (uint32_t i = 0; i < 3; ++i) here = std::max(here, component(record, i));
      });
      uint16_t before = most.load(std::memory_order_relaxed);
      while (before < here && !most.compare_exchange_weak(before, here)) {
      }
    });
    return most > 255 ? LasColors::Words : most > 0 ? LasColors::Bytes : LasColors::None;
  }

  uint16_t component(const std::byte* record, uint32_t i) const {
    return value_at<uint16_t>(record + color_at_ + 2 * i);
  }

  Vec3d place(const std::byte* record) const {
    const auto along = [&](uint32_t axis) {
      return value_at<int32_t>(record + 4 * axis) * header_.scale[axis] + header_.offset[axis];
    };
    return {along(0), along(1), along(2)};
  }

  uint32_t rgb(const std::byte* record) const {
    if (colors_ == LasColors::None) return 0;
    const auto code = [&](uint32_t i) {
      const uint32_t value = component(record, i);
      return static_cast<uint8_t>(colors_ == LasColors::Bytes ? value : (value + 128) / 257);
    };
    return rgb_value({code(0), code(1), code(2)});
  }

  ReadFile file_;
  LasHeader header_;
  uint32_t color_at_ = 0;
  LasColors colors_ = LasColors::None;
};

}  // namespace

PointCloud open_las(const std::filesystem::path& path) {
  const auto points = std::make_shared<const LasPoints>(path);
  return {.has_colors = points->has_colors(),
          .up = dag::UpAxis::Z,
          .pieces = points->pieces(),
          .read = [points](size_t piece) { return points->read(piece); }};
}

// Points as text, one on each line: .xyz, and .pts of laser scanners.
//
//   x y z            and anything else, such as a normal, except for
//   x y z r g b      with colors from 0 to 255, and
//   x y z i r g b    with an intensity before them
//
// No header says which of these a file has. Three numbers are colors if all of the file's first lines have
// whole numbers from 0 to 255 there. If both places have such numbers, there is an intensity. The normal of a floor, 0 0 1,
// has such numbers, too: if all lines end with vectors of length 1 behind three or six numbers, these are normals. A line
// with a single number is the number of points in a scan.

namespace {

bool is_byte(double value) {
  return value >= 0 && value <= 255 && value == std::floor(value);
}

// True if the last three of so many numbers are a vector of length 1.
bool end_with_normal(const std::vector<double>& values, size_t count) {
  if (values.size() != count) return false;
  const Vec3d last = {values[count - 3], values[count - 2], values[count - 1]};
  return std::abs(dot(last, last) - 1) < 0.02;
}

class PointLines {
 public:
  explicit PointLines(const std::filesystem::path& path) : lines_(path, 0) {
    if (lines_.count() == 0) throw Error("holds no line of numbers");
    find_colors();
  }

  size_t pieces() const { return lines_.pieces(); }
  bool has_colors() const { return color_ > 0; }

  CloudPiece read(size_t piece) const {
    CloudPiece part;
    part.points.reserve(lines_.count_of(piece));
    lines_.for_each_in(piece, [&](const char* p) {
      LineNumbers numbers(p);
      CloudPoint point;
      point.place.x = numbers.next();
      if (numbers.at_end()) return;
      point.place.y = numbers.next();
      point.place.z = numbers.next();
      if (color_ > 0) point.rgb = color(numbers);
      part.points.push_back(point);
    });
    return part;
  }

 private:
  // Skips the numbers before the color and reads the color, which comes last.
  uint32_t color(LineNumbers& numbers) const {
    for (size_t i = 3; i < color_; ++i) numbers.next();
    std::array<uint8_t, 3> rgb = {};
    for (uint8_t& component : rgb) {
      const double value = numbers.next();
      if (!is_byte(value)) throw Error(fmt::format("expected a color from 0 to 255 instead of {}", value));
      component = static_cast<uint8_t>(value);
    }
    return rgb_value({rgb[0], rgb[1], rgb[2]});
  }

  // Looks at the first piece that has lines.
  void find_colors() {
    size_t piece = 0;
    while (lines_.count_of(piece) == 0) ++piece;
    size_t least = SIZE_MAX;
    std::array<bool, 2> bytes = {true, true};    // true if the color may follow 3 numbers, or 4
    std::array<bool, 2> normals = {true, true};  // true if all lines are 3 numbers, or 6, and a normal
    lines_.for_each_in(piece, [&](const char* p) {
      std::vector<double> values;
      LineNumbers numbers(p);
      while (values.size() < 7 ? !numbers.at_end() : values.size() < 10 && numbers.at_number())
        values.push_back(numbers.next());
      if (values.size() == 1) return;
      least = std::min(least, values.size());
      for (size_t i = 0; i < 2; ++i) {
        bytes[i] = bytes[i] && values.size() >= 6 + i &&
                   std::all_of(values.begin() + 3 + static_cast<ptrdiff_t>(i),
                               values.begin() + 6 + static_cast<ptrdiff_t>(i), is_byte);
        normals[i] = normals[i] && end_with_normal(values, 6 + 3 * i);
      }
    });
    if (least == SIZE_MAX) return;
    const bool has_intensity = least >= 7 && bytes[1] && !(bytes[0] && normals[1]);
    color_ = has_intensity ? 4 : least >= 6 && bytes[0] && !normals[0] ? 3 : 0;
  }

  TextLines lines_;
  size_t color_ = 0;  // how many numbers come before the color; 0 if there is none
};

}  // namespace

PointCloud open_point_text(const std::filesystem::path& path) {
  const auto lines = std::make_shared<const PointLines>(path);
  return {.has_colors = lines->has_colors(), .pieces = lines->pieces(), .read = [lines](size_t piece) {
            return lines->read(piece);
          }};
}

namespace {

constexpr uint64_t kPieceBytes = 1 << 19;
constexpr uint64_t kLongestLine = 1 << 16;  // bytes

}  // namespace

TextLines::TextLines(const std::filesystem::path& path, uint64_t begin)
    : path_(path), file_(path), begin_(std::min(begin, file_.size())) {
  const uint64_t bytes = file_.size() - begin_;
  firsts_.resize((bytes + kPieceBytes - 1) / kPieceBytes + 1);
  parallel_for(size_t{0}, pieces(), [&](size_t piece) {
    throw_if_cancelled();
    uint64_t lines = 0;
    for_each_in(piece, [&](const char*) { ++lines; });
    firsts_[piece + 1] = lines;
  });
  std::partial_sum(firsts_.begin(), firsts_.end(), firsts_.begin());
}

// A piece has the lines that start within its bytes. A line starts at its first byte if another ends just
// before it; the last line may end in a later piece.
TextLines::Block TextLines::read(size_t piece) const {
  const uint64_t from = begin_ + piece * kPieceBytes, to = std::min(from + kPieceBytes, file_.size());
  Block block;
  block.offset = piece == 0 ? from : from - 1;
  append(block.text, block.offset, to - block.offset);
  block.end = block.text.size();
  if (piece > 0) {
    const auto line_end = std::find_if(block.text.begin(), block.text.end(), is_line_end);
    block.first = std::min(static_cast<size_t>(line_end - block.text.begin()) + 1, block.end);
  }
  if (block.first == block.end) return block;
  for (uint64_t at = to; at < file_.size() && !is_line_end(block.text.back());) {
    if (at - to > kLongestLine) fail(Error("a line of the text is too long for a point"), at);
    const uint64_t bytes = std::min<uint64_t>(1024, file_.size() - at);
    append(block.text, at, bytes);
    at += bytes;
    const auto line_end =
        std::find_if(block.text.end() - static_cast<ptrdiff_t>(bytes), block.text.end(), is_line_end);
    if (line_end != block.text.end()) block.text.erase(line_end + 1, block.text.end());
  }
  return block;
}

void TextLines::append(std::string& text, uint64_t offset, uint64_t bytes) const {
  const size_t before = text.size();
  text.resize(before + bytes);
  file_.read(offset, std::as_writable_bytes(std::span(text.data() + before, bytes)));
}

void TextLines::fail(const Error& error, uint64_t offset) const {
  uint64_t line = 1;
  char last = 0;
  for (uint64_t at = 0; at < offset;) {
    std::string text;
    append(text, at, std::min(kPieceBytes, offset - at));
    at += text.size();
    for (const char c : text) {
      line += c == '\r' || (c == '\n' && last != '\r');
      last = c;
    }
  }
  throw Error(error).at(fmt::format("{}:{}", path_.string(), line));
}

}  // namespace vox
