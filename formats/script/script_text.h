// Reads the text of a script file, and the words of its lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace vox {

// Reads a whole script. Throws Error if the file does not exist, is empty, is not text, or is larger than 1
// GiB.
std::string read_script_text(const std::filesystem::path& path);

// Throws Error that names the line of the first byte that text cannot contain.
void check_is_text(std::string_view text, const std::filesystem::path& path);

// Returns the start of the text, behind a byte order mark if it has one.
const char* after_byte_order_mark(const std::string& text);

// Returns the start of the line after the one that p is in, or the position after the zero byte if there is
// none.
const char* following_line(const char* p);

struct Word {
  const char* at = nullptr;  // in the script
  std::string_view text;     // without the quotes around it
};

// Reads the words of one line of a zero-terminated text. Words are separated by blanks or enclosed in double
// quotes; '#' begins a comment. Errors name the file, the line and the column.
class LineReader {
 public:
  LineReader(const std::filesystem::path& path, const char* line, uint32_t number)
      : path_(&path), line_(line), p_(line), number_(number) {}

  std::optional<Word> next();
  std::optional<Word> peek() const { return LineReader(*this).next(); }
  std::optional<Word> rest();                       // all words up to the end, with comments and quotes
  Word need(std::string_view expected);             // the next word; throws Error if there is none
  Word need_with_marks(std::string_view expected);  // the same; '#' may be part of it, as in a colour
  void need_end();                                  // throws Error if there is another word

  uint32_t number() const { return number_; }
  const char* position() const { return p_; }  // the position after the last word that was read

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

// Returns the text in single quotes, shortened if it is long, for messages.
std::string in_quotes(std::string_view text);

}  // namespace vox
