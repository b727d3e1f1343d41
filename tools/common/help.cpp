#include "tools/common/tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr size_t kLeast = 80, kMost = 100;
constexpr size_t kLongestOption = 26;  // longer ones have their description in the next line

size_t characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// The words of a text; "Default: 4" is one word.
std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    if (!words.empty() && words.back() == "Default:")
      words.back() += ' ' + word;
    else
      words.push_back(word);
  }
  return words;
}

// Cuts words that are longer than a line after a comma.
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

// Appends the words to the text that stands in the line already, in lines that begin at `column`.
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

// Indented lines that belong together. The first one has a left part and, after its last gap of several blanks, a text;
// the text goes on in further lines that begin in the same column.
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

// The entry in lines of the width; it stays as it is if all of it fits.
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

// A description in lines of the width: paragraphs are filled; indented lines stay as they are if they fit, and are
// continued below their last column if they do not.
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

std::string shown_argument(const Option& option) {
  return option.argument.empty() ? fmt::format("{}", fmt::join(option.words, "|")) : option.argument;
}

// The left column of an option.
std::string option_column(const Option& option) {
  const std::string argument = shown_argument(option);
  return fmt::format("  {}--{}{}", option.letter.empty() ? "    " : "-" + option.letter + ", ", option.name,
                     argument.empty() ? "" : " " + argument);
}

// The right column: what the option does, what it takes, and its default.
std::string option_text(const Option& option) {
  const std::string unit = option.unit.empty() ? "" : " " + option.unit;
  std::string text = option.help;
  if (!option.words.empty() && !option.argument.empty())
    text += fmt::format(" {}: {}.", option.argument.ends_with("...") ? "Some of" : "One of",
                        fmt::join(option.words, ", "));
  const bool says_range = option.range && !(option.range->least == 0 && std::isinf(option.range->most));
  if (says_range) text += fmt::format(" Range: {}{}.", option.range->text(), unit);
  const std::string& usual = option.usual.empty() ? option.preset : option.usual;
  if (!usual.empty()) text += fmt::format(" Default: {}{}", usual, says_range ? "" : unit);
  return text;
}

std::string option_list(const std::vector<const Option*>& options, size_t width) {
  size_t column = 0;
  for (const Option* option : options)
    if (const size_t size = characters(option_column(*option)); size <= kLongestOption)
      column = std::max(column, size + 2);
  std::string text;
  for (const Option* option : options) {
    const std::string left = option_column(*option);
    const bool fits = characters(left) + 2 <= column;
    if (!fits) text += left + '\n';
    text += filled(fits ? left : "", words_of(option_text(*option)), column, width);
  }
  return text;
}

std::string usage(const ToolDescription& tool) {
  return fmt::format("Usage: {} {}\n\n", tool.program, tool.usage);
}

std::string examples(std::span<const std::string> list) {
  std::string text = list.empty() ? "" : "\nExamples:\n";
  for (const std::string& example : list) text += "  " + example + '\n';
  return text;
}

std::string topic_names(const ToolDescription& tool) {
  std::vector<std::string_view> names;
  for (const OptionTopic& topic : tool.topics) names.push_back(topic.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string short_help(const ToolDescription& tool, size_t width) {
  constexpr size_t kExamples = 3;
  const std::span<const std::string> all = tool.examples;
  std::vector<const Option*> basics;
  for (const std::string& name : tool.basics)
    if (const Option* option = tool.option(name)) basics.push_back(option);
  const std::string list = "\nOptions that most people need:\n";
  const std::string rest =
      fmt::format("\n--help TOPIC explains all options of a topic: {}. --help all explains everything.\n",
                  topic_names(tool));
  return usage(tool) +
         filled_about(tool.about + examples(all.first(std::min(kExamples, all.size()))), width) + list +
         option_list(basics, width) + filled_about(rest, width);
}

std::string topic_help(const OptionTopic& topic, size_t width) {
  std::string text = fmt::format("Options for {}:\n", topic.title);
  if (topic.options.empty()) text = "";
  std::vector<const Option*> options;
  for (const Option& option : topic.options) options.push_back(&option);
  const std::string paragraphs =
      topic.text.empty() ? "" : filled_about(topic.text, width) + (text.empty() ? "" : "\n");
  return paragraphs + text + option_list(options, width);
}

constexpr const char* kExitCodes = R"(
Exit status:
  0    Everything was done.
  1    Something went wrong; a message on stderr says what, where, and what to do.
  2    The command line cannot be understood, or has an option without effect.
  130  Ctrl-C ended the program.
)";

std::string full_help(const ToolDescription& tool, size_t width) {
  const std::string more = tool.more.empty() ? "" : "\n" + tool.more;
  std::string text = usage(tool) + filled_about(tool.about + more + examples(tool.examples), width);
  for (const OptionTopic& topic : tool.topics) text += '\n' + topic_help(topic, width);
  return text + filled_about(kExitCodes, width);
}

using Clock = std::chrono::steady_clock;

constexpr const char* kClearLine = "\r\x1b[K";

// The process's stderr, which messages and the bar of progress share.
class Screen {
 public:
  static Screen& get() {
    static Screen screen;
    return screen;
  }

  void set_tool(const std::string& tool) { tool_ = tool; }
  void set_level(LogLevel level) {
    const std::lock_guard lock(mutex_);
    level_ = level;
  }

  void show(LogLevel level, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (level <= level_) print_line(level, text);
  }

  void show(const ProgressState& state) {
    const std::lock_guard lock(mutex_);
    if (level_ < LogLevel::Info) return;
    if (state.ended) return clear_bar();
    const double share = state.share();
    const std::string left =
        share > 0 ? format_seconds(state.seconds * (1 - share) / share) + " left" : std::string();
    if (on_terminal_) {
      draw_bar(state, share, left);
    } else if (const std::optional<int> tenth = state.new_tenth()) {
      print_line(LogLevel::Info, fmt::format("{} {} %  {}  {}", state.what, *tenth * 10, state.detail, left));
    }
  }

 private:
  void print_line(LogLevel level, std::string_view text) {
    const char* kind = level == LogLevel::Error ? "error: " : level == LogLevel::Warning ? "warning: " : "";
    clear_bar();
    print_message(fmt::format("{}: {}{}\n", tool_, kind, escape_line(text)));
  }

  void draw_bar(const ProgressState& state, double share, const std::string& left) {
    const Clock::time_point now = Clock::now();
    if (state.done < state.total && now - last_drawn_ < std::chrono::milliseconds(50)) return;
    last_drawn_ = now;
    constexpr int kWidth = 30;
    const int filled = static_cast<int>(share * kWidth);
    std::fputs(kClearLine, stderr);
    print_message(escape_line(fmt::format("{} [{:#<{}}{:.<{}}] {:3.0f} %  {}  {}", state.what, "", filled, "",
                                          kWidth - filled, share * 100, state.detail, left)));
    bar_drawn_ = true;
  }

  // Clears the bar, so that a message can take its line.
  void clear_bar() {
    if (bar_drawn_) std::fputs(kClearLine, stderr);
    bar_drawn_ = false;
  }

  std::mutex mutex_;  // messages and progress come from different threads
  std::string tool_ = "vox";
  LogLevel level_ = LogLevel::Info;
  bool on_terminal_ = isatty(STDERR_FILENO) != 0, bar_drawn_ = false;
  Clock::time_point last_drawn_;
};

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

std::string help_on(const ToolDescription& tool, const std::string& topic, size_t width) {
  if (topic.empty()) return short_help(tool, width);
  if (topic == "all") return full_help(tool, width);
  std::vector<std::string_view> names = {"all"};
  for (const OptionTopic& known : tool.topics) {
    if (known.name == topic) return topic_help(known, width);
    names.push_back(known.name);
  }
  throw UsageError(
      fmt::format("--help has no topic '{}', expected all or one of: {}", topic, topic_names(tool)))
      .hint(did_you_mean(topic, names));
}

void show_messages(const std::string& tool) {
  Screen::get().set_tool(tool);
  set_log_sink([](LogLevel level, std::string_view text) { Screen::get().show(level, text); });
  set_progress_sink([](const ProgressState& state) { Screen::get().show(state); });
}

void set_log_level(LogLevel level) {
  Screen::get().set_level(level);
}

void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is this one: those below are open.
    [[maybe_unused]] const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void print_result(std::string_view text) {
  throw_late_error();
  const std::string escaped = escape_lines(text);
  errno = 0;
  const bool written = std::fwrite(escaped.data(), 1, escaped.size(), stdout) == escaped.size();
  if (!written || std::fflush(stdout) != 0)
    throw Error(fmt::format("the result cannot be written: {}", std::strerror(errno))).at("standard output");
}

void print_message(std::string_view text) {
  const std::string escaped = escape_lines(text);
  std::fwrite(escaped.data(), 1, escaped.size(), stderr);
  std::fflush(stderr);
}

}  // namespace vox
