// The reader of points as text, one on each line: .xyz, and .pts of laser scanners.
//
//   x y z            and anything else, such as a normal, except for
//   x y z r g b      with colors from 0 to 255, and
//   x y z i r g b    with an intensity before them
//
// No header says which of these a file has. Three numbers are colors if all of the file's first lines have
// whole numbers from 0 to 255 there. A line with a single number is the number of points in a scan.

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "formats/points/points.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

bool is_byte(double value) {
  return value >= 0 && value <= 255 && value == std::floor(value);
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
    std::array<bool, 2> bytes = {true, true};  // true if the color may follow 3 numbers, or 4
    lines_.for_each_in(piece, [&](const char* p) {
      std::vector<double> values;
      for (LineNumbers numbers(p); !numbers.at_end() && values.size() < 7;) values.push_back(numbers.next());
      if (values.size() == 1) return;
      least = std::min(least, values.size());
      for (size_t i = 0; i < 2; ++i)
        bytes[i] = bytes[i] && values.size() >= 6 + i &&
                   std::all_of(values.begin() + 3 + static_cast<ptrdiff_t>(i),
                               values.begin() + 6 + static_cast<ptrdiff_t>(i), is_byte);
    });
    if (least == SIZE_MAX) return;
    color_ = least >= 7 && bytes[1] ? 4 : least >= 6 && bytes[0] ? 3 : 0;
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
  tbb::parallel_for(size_t{0}, pieces(), [&](size_t piece) {
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
