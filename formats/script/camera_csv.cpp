#include "formats/script/scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "formats/io/scan.h"
#include "formats/script/script_parts.h"
#include "libvox/base/error.h"
#include "libvox/base/geometry.h"

namespace vox {
namespace {

constexpr std::array<std::string_view, 11> kColumns = {
    "eye_x", "eye_y", "eye_z", "target_x", "target_y", "target_z", "fov", "time", "up_x", "up_y", "up_z"};
constexpr size_t kNeeded = 6, kFov = 6, kTime = 7, kUp = 8, kBehindUp = 11;
constexpr double kFarthest = 1e15, kMostSeconds = 1e9;

class CameraReader {
 public:
  explicit CameraReader(const std::filesystem::path& path) : path_(path) {}

  render::CameraPath read() {
    const std::string text = read_script_text(path_);
    for_each_line(text, path_, [&](LineReader& line) {
      if (!line.peek()) return;  // only blanks and a comment
      const Word rest = *line.rest();
      const std::vector<Word> cells = cells_of({rest.at, rest.text.substr(0, rest.text.find('#'))});
      columns_.empty() ? read_names(line, cells) : read_row(line, cells);
    });
    if (way_.empty()) throw Error("has no row with a camera").at(path_.string());
    return std::move(way_);
  }

 private:
  void read_names(const LineReader& line, const std::vector<Word>& cells) {
    for (const Word& cell : cells) {
      const auto* const found = std::ranges::find(kColumns, cell.text);
      if (found == kColumns.end())
        line.fail(cell, fmt::format("{} is not a column of a camera path", in_quotes(cell.text)),
                  fmt::format("the first line names some of: {}", fmt::join(kColumns, ",")));
      const auto column = static_cast<size_t>(found - kColumns.begin());
      if (has(column)) line.fail(cell, fmt::format("the column {} occurs twice", cell.text));
      columns_.push_back(column);
    }
    expect(line, 0, kNeeded);
    for (size_t column = kUp; column < kBehindUp; ++column)
      if (has(column)) expect(line, kUp, kBehindUp);
    way_.timed = has(kTime);
  }

  void read_row(const LineReader& line, const std::vector<Word>& cells) {
    if (cells.size() != columns_.size())
      line.fail(cells.front(), fmt::format("{} cells, expected {}", cells.size(), columns_.size()));
    std::array<double, kColumns.size()> values = {};
    for (size_t i = 0; i < cells.size(); ++i) values[columns_[i]] = value(line, cells[i], columns_[i]);
    render::CameraKey key = {.eye = {values[0], values[1], values[2]},
                             .target = {values[3], values[4], values[5]},
                             .time = values[kTime]};
    if (has(kFov)) key.fov = values[kFov];
    if (has(kUp)) {
      key.up = {values[kUp], values[kUp + 1], values[kUp + 2]};
      if (!(length(*key.up) > render::kShortestUp))
        line.fail(cells.front(), "up is about 0,0,0, which is no direction");
    }
    if (key.eye == key.target) line.fail(cells.front(), "the eye is where its target is");
    if (way_.timed && !way_.empty() && !(key.time > way_.keys.back().time))
      line.fail(cells.front(), fmt::format("the time {} is not after the one before", key.time));
    way_.keys.push_back(key);
  }

  static double value(const LineReader& line, const Word& cell, size_t column) {
    const auto number = parse_decimal(cell.text);
    if (!number) line.fail(cell, fmt::format("{} is no number", in_quotes(cell.text)));
    const double low = column == kFov ? render::kMinFov : column == kTime ? 0 : -kFarthest;
    const double high = column == kFov ? render::kMaxFov : column == kTime ? kMostSeconds : kFarthest;
    if (!(*number >= low && *number <= high))
      line.fail(cell, fmt::format("{} is {}, expected {} to {}", kColumns[column], cell.text, low, high));
    return *number;
  }

  void expect(const LineReader& line, size_t first, size_t behind) const {
    for (size_t column = first; column < behind; ++column)
      if (!has(column)) line.fail_at_end(fmt::format("the column {} is missing", kColumns[column]));
  }
  bool has(size_t column) const { return std::ranges::find(columns_, column) != columns_.end(); }

  const std::filesystem::path& path_;
  std::vector<size_t> columns_;  // the meaning of each cell of a row
  render::CameraPath way_;
};

}  // namespace

render::CameraPath read_camera_csv(const std::filesystem::path& path) {
  return CameraReader(path).read();
}

}  // namespace vox
