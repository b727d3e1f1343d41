#include "formats/io/find_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>
#include <vector>

namespace vox {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameLength = 4096;  // PATH_MAX; also bounds the recursion below

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Decodes percent signs: "wood%20floor.png" → "wood floor.png"
std::string percent_decoded(const std::string& text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char value = 0;
    const char* digits = text.data() + i + 1;
    bool escape = text[i] == '%' && i + 2 < text.size() &&
                  std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    decoded += escape ? static_cast<char>(value) : text[i];
    if (escape) i += 2;
  }
  return decoded;
}

// Returns the entries of a folder whose names differ from `name` only in letter case, in order.
std::vector<fs::path> other_case(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  std::vector<fs::path> found;
  std::string wanted = lower_case(name);
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    if (std::string there = entry->path().filename().string(); there != name && lower_case(there) == wanted)
      found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<fs::path> resolve(const fs::path& folder, std::span<const std::string> parts) {
  std::error_code failed;
  if (parts.empty()) return fs::is_regular_file(folder, failed) ? std::optional(folder) : std::nullopt;
  if (parts[0] == "..") return resolve(folder / "..", parts.subspan(1));
  if (auto exact = folder / parts[0]; fs::exists(exact, failed))
    if (auto path = resolve(exact, parts.subspan(1))) return path;
  for (const fs::path& match : other_case(folder, parts[0]))
    if (auto path = resolve(match, parts.subspan(1))) return path;
  return std::nullopt;
}

std::vector<std::string> split(const std::string& name) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < name.size();) {
    size_t end = std::min(name.find('/', begin), name.size());
    std::string part = name.substr(begin, end - begin);
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

// Looks for the whole name first, then for shorter and shorter ends of it: textures/wood.png, wood.png.
std::optional<fs::path> find_by_ends(const fs::path& folder, const std::string& name) {
  std::vector<std::string> all = split(name);
  std::span<const std::string> parts = all;
  if (name.starts_with('/'))
    if (auto path = resolve("/", parts)) return path;
  for (; !parts.empty(); parts = parts.subspan(1))
    if (auto path = resolve(folder, parts)) return path;
  return std::nullopt;
}

}  // namespace

std::optional<fs::path> find_file(const fs::path& folder, std::string name) {
  if (name.size() > kMaxNameLength) return std::nullopt;
  std::replace(name.begin(), name.end(), '\\', '/');
  if (name.starts_with("file://")) name.erase(0, 7);
  fs::path start = folder.empty() ? fs::path(".") : folder;
  if (auto path = find_by_ends(start, name)) return path;
  return find_by_ends(start, percent_decoded(name));
}

}  // namespace vox
