#include "formats/script/script_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "formats/io/read_file.h"
#include "formats/io/scan.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr size_t kMaxTextBytes = size_t{1} << 30;
constexpr size_t kMaxShown = 40;

bool is_text(char c) {
  return static_cast<unsigned char>(c) >= ' ' || is_blank(c) || c == '\n' || c == '\r';
}

bool continues_character(char c) {  // UTF-8
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::string read_script_text(const std::filesystem::path& path) {
  MappedFile file(path);
  if (file.text().size() > kMaxTextBytes)
    throw Error("is larger than 1 GiB").at(path.string()).hint("split the script");
  check_is_text(file.text(), path);
  return std::string(file.text());
}

void check_is_text(std::string_view text, const std::filesystem::path& path) {
  const auto* bad = std::find_if_not(text.begin(), text.end(), is_text);
  if (bad == text.end()) return;
  auto line = 1 + std::count(text.begin(), bad, '\n');
  throw Error(
      fmt::format("is no text file: a byte {:#04x} is in line {}", static_cast<unsigned char>(*bad), line))
      .at(path.string())
      .hint("expected a script, as ASCII or UTF-8");
}

const char* after_byte_order_mark(const std::string& text) {
  return text.c_str() + (text.starts_with("\xef\xbb\xbf") ? 3 : 0);
}

const char* following_line(const char* p) {
  return skip_line_end(p + std::strcspn(p, "\r\n"));
}

std::optional<Word> LineReader::next() {
  const char* at = p_;
  while (is_blank(*at)) ++at;
  if (is_line_end(*at) || *at == '#') return std::nullopt;
  p_ = at;
  if (*at == '"') return quoted_word(at);
  while (!is_blank(*p_) && !is_line_end(*p_) && *p_ != '#') ++p_;
  return Word{at, {at, p_}};
}

Word LineReader::quoted_word(const char* at) {
  do ++p_;
  while (*p_ != '"' && !is_line_end(*p_));
  if (is_line_end(*p_)) fail(at, "the quotes are not closed", "");
  ++p_;
  if (!is_blank(*p_) && !is_line_end(*p_) && *p_ != '#') fail(p_, "expected a blank behind the quotes", "");
  return {at, {at + 1, p_ - 1}};
}

std::optional<Word> LineReader::rest() {
  while (is_blank(*p_)) ++p_;
  const char* at = p_;
  p_ += std::strcspn(p_, "\r\n");
  while (p_ > at && is_blank(p_[-1])) --p_;
  return p_ > at ? std::optional(Word{at, {at, p_}}) : std::nullopt;
}

Word LineReader::need(std::string_view expected) {
  if (auto word = next()) return *word;
  fail_at_end(fmt::format("expected {}", expected));
}

Word LineReader::need_with_marks(std::string_view expected) {
  while (is_blank(*p_)) ++p_;
  if (is_line_end(*p_)) fail_at_end(fmt::format("expected {}", expected));
  const char* at = p_;
  while (!is_blank(*p_) && !is_line_end(*p_)) ++p_;
  return {at, {at, p_}};
}

void LineReader::need_end() {
  if (auto word = next())
    fail(*word, fmt::format("expected the end of the line, not {}", in_quotes(word->text)));
}

void LineReader::fail(const Word& word, const std::string& problem, const std::string& hint) const {
  fail(word.at, problem, hint);
}

void LineReader::fail_at_end(const std::string& problem, const std::string& hint) const {
  fail(p_, problem, hint);
}

void LineReader::fail(const char* at, const std::string& problem, const std::string& hint) const {
  auto column = 1 + std::count_if(line_, at, [](char c) { return !continues_character(c); });
  throw Error(problem).at(fmt::format("{}:{}:{}", path_->string(), number_, column)).hint(hint);
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= kMaxShown) return fmt::format("'{}'", text);
  size_t shown = kMaxShown;
  while (shown > 0 && continues_character(text[shown])) --shown;
  return fmt::format("'{}…'", text.substr(0, shown));
}

}  // namespace vox
