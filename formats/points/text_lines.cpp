#include "formats/points/text_lines.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "libvox/base/cancel.h"

namespace vox {
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
