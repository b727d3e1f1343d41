#include "formats/mesh/obj.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "formats/io/scan.h"
#include "formats/io/values.h"

namespace vox {
namespace {

// Removes the first word and the blanks after it from `text`, and returns the word.
std::string_view take_word(std::string_view& text) {
  auto end = std::find_if(text.begin(), text.end(), is_blank);
  auto next = std::find_if_not(end, text.end(), is_blank);
  std::string_view word(text.begin(), end);
  text = std::string_view(next, text.end());
  return word;
}

std::optional<double> number_of(std::string_view word) {
  std::string terminated(word);
  Number number = scan_number(terminated.c_str());
  if (!number.end || !std::isfinite(number.value)) return std::nullopt;
  return number.value;
}

// True if a word starts like a number but is not one, such as 3.1+e2 or 0,5.
bool is_malformed(std::string_view word) {
  const bool starts =
      !word.empty() && (is_digit(word[0]) || std::string_view("+-.").find(word[0]) != word.npos);
  return starts && !scan_number(std::string(word).c_str()).end;
}

// Returns the leading numbers of `text`, at most `most`. Throws BadMtl.
std::vector<double> take_numbers(std::string_view text, size_t most) {
  std::vector<double> numbers;
  while (numbers.size() < most && !text.empty()) {
    std::string_view rest = text;
    const std::string_view word = take_word(rest);
    if (is_malformed(word)) throw BadMtl(fmt::format("expected a number instead of '{}'", word));
    auto number = number_of(word);
    if (!number) break;
    numbers.push_back(*number);
    text = rest;
  }
  return numbers;
}

// Takes the one to three numbers of -o, -s, -t, but leaves a file name that looks like a number.
std::array<double, 2> take_pair(std::string_view& text, std::array<double, 2> pair) {
  for (size_t i = 0; i < 3; ++i) {
    std::string_view rest = text;
    auto number = number_of(take_word(rest));
    if (!number || rest.empty()) break;
    if (i < 2) pair[i] = *number;
    text = rest;
  }
  return pair;
}

MtlMap parse_map(std::string_view text) {
  static const std::unordered_map<std::string_view, int> kIgnored = {
      {"-blendu", 1},  {"-blendv", 1}, {"-boost", 1},  {"-bm", 1},   {"-cc", 1},
      {"-imfchan", 1}, {"-mm", 2},     {"-texres", 1}, {"-type", 1}, {"-colorspace", 1}};
  MtlMap map;
  while (text.starts_with('-')) {
    std::string_view rest = text;
    std::string option = lower_case(take_word(rest));
    if (option == "-o") {
      map.offset = take_pair(rest, map.offset);
    } else if (option == "-s") {
      map.scale = take_pair(rest, map.scale);
    } else if (option == "-t") {
      take_pair(rest, {});  // turbulence
    } else if (option == "-clamp") {
      map.clamp = lower_case(take_word(rest)) == "on";
    } else if (auto ignored = kIgnored.find(option); ignored != kIgnored.end()) {
      for (int i = 0; i < ignored->second; ++i) take_word(rest);
    } else {
      break;  // a file name
    }
    text = rest;
  }
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  map.file = text;
  return map;
}

class MtlReader {
 public:
  void read_line(std::string_view keyword, std::string_view arguments) {
    if (keyword == "newmtl") {
      materials_.emplace_back().name = arguments;
      has_opacity_ = false;
    }
    if (materials_.empty()) return;
    MtlMaterial& material = materials_.back();
    if (keyword == "kd") {
      read_color(arguments);
    } else if (keyword == "d") {
      if (arguments.starts_with("-halo")) take_word(arguments);
      read_opacity(arguments);
    } else if (keyword == "tr") {
      read_transparency(arguments);
    } else if (keyword == "map_kd") {
      material.color_map = parse_map(arguments);
    } else if (keyword == "map_d") {
      material.opacity_map = parse_map(arguments);
    }
  }

  std::vector<MtlMaterial> materials() && { return std::move(materials_); }

 private:
  // Ignores `Kd spectral …` and `Kd xyz …`, which do not start with a number.
  void read_color(std::string_view arguments) {
    std::vector<double> rgb = take_numbers(arguments, 3);
    if (rgb.empty()) return;
    rgb.resize(3, rgb[0]);
    for (double& value : rgb) value = std::clamp(value, 0.0, 1.0);
    materials_.back().color = {rgb[0], rgb[1], rgb[2]};
  }

  void read_opacity(std::string_view arguments) {
    std::vector<double> d = take_numbers(arguments, 1);
    if (d.empty()) return;
    materials_.back().opacity = std::clamp(d[0], 0.0, 1.0);
    has_opacity_ = true;
  }

  // If both are given, `d` wins. MeshLab writes Tr 1 for opaque, and nobody intends an invisible mesh.
  void read_transparency(std::string_view arguments) {
    std::vector<double> tr = take_numbers(arguments, 1);
    if (tr.empty() || has_opacity_) return;
    materials_.back().opacity = tr[0] > 0 && tr[0] < 1 ? 1 - tr[0] : 1;
  }

  std::vector<MtlMaterial> materials_;
  bool has_opacity_ = false;  // true if the last material has an opacity
};

}  // namespace

std::vector<MtlMaterial> parse_mtl(std::string_view text, const std::filesystem::path& path) {
  MtlReader reader;
  for_each_line(text, [&](const char* p) {
    const char* end = word_end(p);
    try {
      reader.read_line(lower_case({p, end}), rest_of_line(end));
    } catch (BadMtl& error) {
      error.at(fmt::format("{}:{}", path.string(), line_number(text, p)));
      throw;
    }
    return p;
  });
  return std::move(reader).materials();
}

}  // namespace vox
