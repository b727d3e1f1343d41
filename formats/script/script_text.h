// Reads the text of a script file, and the words of its lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace vox {

// Throws Error where there is no such file, or it is empty, or no text, or larger than 1 GiB.
std::string read_script_text(const std::filesystem::path& path);

// Throws Error that names the line of the first byte that no text holds.
void check_is_text(std::string_view text, const std::filesystem::path& path);

// The text behind a byte order mark.
const char* after_byte_order_mark(const std::string& text);

// The line behind the one that p is in; behind the zero byte where there is none.
const char* following_line(const char* p);

struct Word {
  const char* at = nullptr;  // in the script
  std::string_view text;     // without quotes around it
};

// Reads the words of one line of a text that a zero byte follows. Words stand between blanks, or in double
// quotes; '#' begins a comment. Its errors say where in the file something is wrong.
class LineReader {
 public:
  LineReader(const std::filesystem::path& path, const char* line, uint32_t number)
      : path_(&path), line_(line), p_(line), number_(number) {}

  std::optional<Word> next();
  std::optional<Word> peek() const { return LineReader(*this).next(); }
  std::optional<Word> rest();                       // all words up to the end, with comments and quotes
  Word need(std::string_view expected);             // the next word; fails where there is none
  Word need_with_marks(std::string_view expected);  // the same, for one that '#' may be a part of: a colour
  void need_end();                                  // fails where there is another word

  uint32_t number() const { return number_; }
  const char* position() const { return p_; }  // the place behind the last word

  // Throws Error with file, line and column.
  [[noreturn]] void fail(const Word& word, const std::string& problem, const std::string& hint = "") const;
  [[noreturn]] void fail_at_end(const std::string& problem, const std::string& hint = "") const;

 private:
  Word quoted_word(const char* at);
  [[noreturn]] void fail(const char* at, const std::string& problem, const std::string& hint) const;

  const std::filesystem::path* path_;
  const char* line_;
  const char* p_;
  uint32_t number_;
};

// The text in single quotes, shortened where it is long, for messages.
std::string in_quotes(std::string_view text);

}  // namespace vox
