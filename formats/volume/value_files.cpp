#include "formats/volume/value_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "formats/volume/header_text.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr size_t kMostDigits = 20;  // more than any number needs

// A file name with a place for a number in the notation of printf(): "%03d".
struct NumberedName {
  std::string before, after;
  size_t width = 0;
  char fill = ' ';

  std::string with(int64_t number) const {
    std::string digits = std::to_string(number);
    if (digits.size() < width) {
      const size_t sign = fill == '0' && number < 0 ? 1 : 0;
      digits.insert(sign, width - digits.size(), fill);
    }
    return before + digits + after;
  }
};

[[noreturn]] void fail_pattern(std::string_view pattern) {
  throw Error(fmt::format("its values are in files named '{}', expected one number such as %03d", pattern));
}

NumberedName parse_pattern(std::string_view pattern) {
  NumberedName name;
  bool found = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    std::string& text = found ? name.after : name.before;
    if (pattern[i] != '%') {
      text += pattern[i];
      continue;
    }
    if (pattern.substr(i + 1).starts_with('%')) {
      text += pattern[i++];
      continue;
    }
    if (found) fail_pattern(pattern);
    found = true;
    size_t at = i + 1;
    if (pattern.substr(at).starts_with('0')) name.fill = '0';
    for (; at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9' && name.width <= kMostDigits; ++at)
      name.width = name.width * 10 + static_cast<size_t>(pattern[at] - '0');
    if (at >= pattern.size() || name.width > kMostDigits ||
        std::string_view("diu").find(pattern[at]) == std::string_view::npos)
      fail_pattern(pattern);
    i = at;
  }
  if (!found) fail_pattern(pattern);
  return name;
}

void add_file(std::vector<std::filesystem::path>& files, std::filesystem::path file, int64_t most) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed))
    throw Error("no such file, although the header names it as one with values").at(file.string());
  if (static_cast<int64_t>(files.size()) == most)
    throw Error(fmt::format("its values are spread over more than {} files, one for each layer", most));
  files.push_back(std::move(file));
}

}  // namespace

bool names_several_files(std::string_view field) {
  return field.starts_with("LIST") || field.find('%') != std::string_view::npos;
}

std::vector<std::filesystem::path> numbered_files(std::string_view field, const std::filesystem::path& folder,
                                                  int64_t most) {
  const std::vector<std::string_view> words = words_of(field);
  if (words.size() < 3)
    throw Error(
        fmt::format("its values are in files '{}', expected a pattern, the first number, the last, "
                    "and the step",
                    field));
  const NumberedName name = parse_pattern(words[0]);
  const int64_t first = header_integer(words[1], "the first file's number"),
                last = header_integer(words[2], "the last file's number"),
                step = words.size() > 3 ? header_integer(words[3], "the step between files") : 1;
  if (step == 0 || (step > 0) != (last >= first))
    throw Error(
        fmt::format("its files run from {} to {} in steps of {}, which names none", first, last, step));
  const auto distance = [](int64_t from, int64_t to) {
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  };
  const uint64_t steps = step > 0 ? distance(first, last) / static_cast<uint64_t>(step)
                                  : distance(last, first) / distance(step, 0);
  std::vector<std::filesystem::path> files;
  for (uint64_t i = 0; i <= steps; ++i) {
    const uint64_t number = static_cast<uint64_t>(first) + i * static_cast<uint64_t>(step);
    add_file(files, folder / name.with(static_cast<int64_t>(number)), most);
  }
  return files;
}

std::vector<std::filesystem::path> listed_files(std::string_view lines, const std::filesystem::path& folder,
                                                int64_t most) {
  std::vector<std::filesystem::path> files;
  while (!lines.empty()) {
    const std::string_view name = trimmed(take_line(lines));
    if (name.empty()) break;
    add_file(files, folder / name, most);
  }
  if (files.empty()) throw Error("its list of files with values is empty");
  return files;
}

}  // namespace vox
