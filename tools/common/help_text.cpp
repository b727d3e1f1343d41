#include "tools/common/help_text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace vox {
namespace {

constexpr size_t kLeast = 80, kMost = 100;
constexpr size_t kLongestOption = 26;  // longer ones have their description in the next line

size_t characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// The words of a text; "(default: 4)" is one word.
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    if (!words.empty() && words.back() == "(default:")
      words.back() += ' ' + word;
    else
      words.push_back(word);
  }
  return words;
}

// Cuts lists that are longer than a line behind a comma.
std::vector<std::string> cut_to(size_t room, const std::vector<std::string>& words) {
  std::vector<std::string> pieces;
  for (std::string word : words) {
    for (size_t comma; word.size() > room && (comma = word.rfind(',', room - 1)) != std::string::npos;) {
      pieces.push_back(word.substr(0, comma + 1));
      word.erase(0, comma + 1);
    }
    pieces.push_back(word);
  }
  return pieces;
}

// Puts the words behind the text that stands in the line already, in lines that begin at `column`.
std::string filled(std::string line, const std::vector<std::string>& words, size_t column, size_t width) {
  std::string lines;
  const std::string indent(column, ' ');
  line.resize(line.size() + column - std::min(column, characters(line)), ' ');
  bool empty = true;
  for (const std::string& word : cut_to(width - column, words)) {
    if (!empty && characters(line) + 1 + characters(word) > width) {
      lines += line + '\n';
      line = indent;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return lines + line + '\n';
}

// Indented lines that belong together. The first has a left part and, behind its last gap of several blanks,
// a text, which goes on in further lines that begin in the same column.
struct Entry {
  std::vector<std::string> lines;
  std::string left;
  size_t begin = 0, column = 0;  // where the left part begins, and where the text
  std::string text;

  explicit Entry(const std::string& line)
      : lines{line}, begin(line.find_first_not_of(' ')), column(begin), text(line) {
    const size_t gap = line.rfind("  ");
    if (gap == std::string::npos || gap < begin) return;
    left = line.substr(0, line.find_last_not_of(' ', gap) + 1);
    text = line.substr(gap + 2);
    column = characters(line.substr(0, gap + 2));
  }

  bool goes_on(const std::string& line) const {
    const size_t first = line.find_first_not_of(' ');
    return first == column && line.rfind("  ") < first;
  }
  void add(const std::string& line) {
    lines.push_back(line);
    text += line;
  }
};

// The entry in lines of the width; it stays as it is where all of it fits.
std::string entry_text(const Entry& entry, size_t width) {
  constexpr size_t kRoom = 24, kIndent = 6;
  std::string whole;
  for (const std::string& line : entry.lines) whole += line + '\n';
  if (std::ranges::all_of(entry.lines, [&](const std::string& line) { return characters(line) <= width; }))
    return whole;
  const std::vector<std::string> words = words_of(entry.text);
  if (entry.column + kRoom <= width) return filled(entry.left, words, entry.column, width);
  return (entry.left.empty() ? "" : entry.left + '\n') + filled("", words, kIndent, width);
}

// The left column of an option.
std::string option_column(const HelpOption& option) {
  return fmt::format("  {}--{}{}", option.letter.empty() ? "    " : "-" + option.letter + ", ", option.name,
                     option.value.empty() ? "" : " " + option.value);
}

}  // namespace

size_t screen_width() {
  size_t width = kMost;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text = columns;
    std::from_chars(text.data(), text.data() + text.size(), width);
  }
  return std::clamp(width, kLeast, kMost);
}

std::string filled_about(const std::string& text, size_t width) {
  std::istringstream stream(text);
  std::string result, paragraph;
  std::optional<Entry> entry;
  const auto end_block = [&] {
    if (!paragraph.empty()) result += filled("", words_of(std::exchange(paragraph, "")), 0, width);
    if (entry) result += entry_text(*std::exchange(entry, std::nullopt), width);
  };
  for (std::string line; std::getline(stream, line);) {
    const bool is_indented = line.starts_with(' ');
    if (entry && is_indented && entry->goes_on(line)) {
      entry->add(line);
      continue;
    }
    if (paragraph.empty() || line.empty() || is_indented) end_block();
    if (line.empty())
      result += '\n';
    else if (is_indented)
      entry.emplace(line);
    else
      paragraph += line + '\n';
  }
  end_block();
  return result;
}

std::string help_text(const HelpParts& parts, size_t width) {
  size_t column = 0;
  for (const HelpGroup& group : parts.groups)
    for (const HelpOption& option : group.options)
      if (const size_t size = characters(option_column(option)); size <= kLongestOption)
        column = std::max(column, size + 2);
  std::string text = filled_about(fmt::format("{}\nUsage:\n  {}\n\n", parts.about, parts.usage), width);
  for (const HelpGroup& group : parts.groups) {
    text += fmt::format("{} options:\n", group.name);
    for (const HelpOption& option : group.options) {
      const std::string left = option_column(option);
      const bool fits = characters(left) + 2 <= column;
      if (!fits) text += left + '\n';
      text += filled(fits ? left : "", words_of(option.text), column, width);
    }
    text += '\n';
  }
  text.pop_back();
  return text;
}

}  // namespace vox
