#include "tools/common/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "tools/common/help_text.h"

namespace vox {
namespace {

constexpr size_t kWidth = 72;  // the characters that man leaves of 80

// Escapes everything that man(7) would take for its own: backslashes, hyphens that are to stay ASCII, and
// points and quotes that begin a line.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool begins_line = result.empty() || result.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string page_name(const HelpParts& parts) {
  std::string name = parts.program;
  std::ranges::replace(name, ' ', '-');
  return name;
}

// The short description: "Measures a scene file: what it holds, …" becomes "measures a scene file".
std::string first_words(std::string about) {
  std::ranges::replace(about, '\n', ' ');
  const std::string words = about.substr(0, std::min(about.find(". "), about.find(": ")));
  return std::string(1, static_cast<char>(std::tolower(words.front()))) + words.substr(1);
}

bool is_indented(const std::string& line) {
  return line.starts_with(' ');
}

// The blocks of a description: successive lines that are all indented, or all not. An empty line ends a block
// and is left out.
std::vector<std::string> blocks_of(const std::string& about) {
  std::vector<std::string> blocks;
  std::istringstream stream(about);
  std::string last;
  for (std::string line; std::getline(stream, line); last = line) {
    if (line.empty()) continue;
    if (last.empty() || is_indented(last) != is_indented(line)) blocks.emplace_back();
    blocks.back() += line + '\n';
  }
  return blocks;
}

std::string description(const std::string& about) {
  std::string text, before = ".SH DESCRIPTION\n";
  for (const std::string& block : blocks_of(about)) {
    if (block == "Examples:\n") {
      before = ".SH EXAMPLES\n";
      continue;
    }
    text += before;
    text += is_indented(block) ? ".nf\n" + escaped(filled_about(block, kWidth)) + ".fi\n" : escaped(block);
    before = ".PP\n";
  }
  return text;
}

std::string option_entry(const HelpOption& option) {
  std::string text = ".TP\n";
  if (!option.letter.empty()) text += fmt::format("\\fB\\-{}\\fR, ", option.letter);
  text += fmt::format("\\fB\\-\\-{}\\fR", escaped(option.name));
  if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", escaped(option.value));
  return text + '\n' + escaped(option.text) + '\n';
}

constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
0
All was done.
.TP
1
Something went wrong; a message on stderr says what, where, and what to do.
.TP
2
The command line cannot be understood, or has an option without effect.
.TP
130
Ctrl\-C ended it.
)";

}  // namespace

std::string manual_page(const HelpParts& parts, const std::string& generator) {
  const std::string name = page_name(parts);
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  // The page has no date, so that the same sources give the same page.
  std::string text = fmt::format(".TH {} 1 \"\" \"{}\"\n", escaped(title), escaped(generator));
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(first_words(parts.about)));
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR{}\n", escaped(parts.program),
                      escaped(parts.usage.substr(parts.program.size())));
  text += description(parts.about) + ".SH OPTIONS\n";
  for (const HelpGroup& group : parts.groups) {
    text += fmt::format(".SS {}\n", group.name);
    for (const HelpOption& option : group.options) text += option_entry(option);
  }
  return text + kExitStatus;
}

}  // namespace vox
