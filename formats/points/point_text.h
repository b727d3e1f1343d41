// The lines of a large text file, in pieces that can be read independently.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "libvox/base/error.h"

namespace vox {

// Reads the numbers of a line one after the other.
class LineNumbers {
 public:
  explicit LineNumbers(const char* p) : p_(skip_blanks(p)) {}

  bool at_end() const { return is_line_end(*p_); }

  // Throws Error if there is no number left.
  double next() {
    if (at_end()) throw Error("the line has too few numbers");
    const Number number = scan_number(p_);
    if (number.end == nullptr)
      throw Error(fmt::format("expected a number instead of '{:.32}'", std::string(p_, word_end(p_))));
    p_ = skip_blanks(number.end);
    return number.value;
  }

 private:
  const char* p_;
};

// The lines from byte `begin` on, without empty lines and comments ("#" or "//").
class TextLines {
 public:
  // Throws Error if there is no such file, or if a line is longer than any line of numbers can be.
  TextLines(const std::filesystem::path& path, uint64_t begin);

  uint64_t count() const { return firsts_.back(); }
  size_t pieces() const { return firsts_.size() - 1; }
  uint64_t first_of(size_t piece) const { return firsts_[piece]; }  // the number of its first line, from 0
  uint64_t count_of(size_t piece) const { return firsts_[piece + 1] - firsts_[piece]; }

  // Calls body(p) with the first word of each line of a piece (formats/io/scan.h). Several threads may call
  // it. The file and the line are added to an Error that body throws.
  template <class Body>
  void for_each_in(size_t piece, const Body& body) const {
    const Block block = read(piece);
    for (const char* p = block.text.data() + block.first; p < block.text.data() + block.end; p = next(p)) {
      p = skip_blanks(p);
      if (is_line_end(*p) || *p == '#' || (p[0] == '/' && p[1] == '/')) continue;
      try {
        body(p);
      } catch (Error& error) {
        fail(error, block.offset + static_cast<uint64_t>(p - block.text.data()));
      }
    }
  }

 private:
  // A piece's lines begin at `first` or later and before `end` of the text, which is at `offset` in the file.
  struct Block {
    std::string text;
    uint64_t offset = 0;
    size_t first = 0, end = 0;
  };

  static const char* next(const char* p) {
    while (!is_line_end(*p)) ++p;
    return p + 1;
  }
  Block read(size_t piece) const;
  void append(std::string& text, uint64_t offset, uint64_t bytes) const;
  [[noreturn]] void fail(const Error& error, uint64_t offset) const;

  std::filesystem::path path_;
  ReadFile file_;
  uint64_t begin_;
  std::vector<uint64_t> firsts_;  // the first line of each piece, and finally the number of all lines
};

}  // namespace vox
