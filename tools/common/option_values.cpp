#include "tools/common/option_values.h"

#include "libvox/base/units.h"

namespace vox {

std::vector<std::string_view> comma_separated(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::vector<double> parse_numbers(const std::string& text, const std::string& option, size_t count,
                                  const char* expected) {
  const std::vector<std::string_view> parts = comma_separated(text);
  if (parts.size() != count)
    throw UsageError(fmt::format("--{} is '{}', expected {}", option, text, expected));
  std::vector<double> numbers;
  for (const std::string_view part : parts)
    numbers.push_back(parse_number(part, fmt::format("--{} is '{}', in which one number", option, text)));
  return numbers;
}

voxelize::Box parse_box(const std::string& text, const std::string& option) {
  const std::vector<double> n = parse_numbers(text, option, 6, "six numbers x0,y0,z0,x1,y1,z1");
  const voxelize::Box box = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
  if (!(box.min.x < box.max.x && box.min.y < box.max.y && box.min.z < box.max.z))
    throw UsageError(fmt::format("--{} is '{}', expected x0 < x1, y0 < y1 and z0 < z1", option, text));
  return box;
}

std::string parse_name(const cxxopts::ParseResult& parsed, const std::string& option,
                       const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& name : names) choices.emplace_back(name, name);
  return parse_choice(parsed, option, choices);
}

}  // namespace vox
