#include <fmt/format.h>

#include <array>

#include "formats/io/scan.h"
#include "formats/io/values.h"
#include "formats/script/script_parts.h"
#include "formats/script/scripts.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr size_t kMostRules = 100'000;

uint8_t number_in(const LineReader& line, const Word& cell) {
  const auto number = parsed_number<uint32_t>(cell.text);
  if (!number || *number < 1 || *number >= scene::kPaletteSize)
    line.fail(
        cell,
        fmt::format("the number is {}, expected 1 to {}", in_quotes(cell.text), scene::kPaletteSize - 1),
        "0 is for the names that no rule matches");
  return static_cast<uint8_t>(*number);
}

}  // namespace

std::vector<scene::AssignRule> read_assign_rules(const std::filesystem::path& path) {
  const std::string text = read_script_text(path);
  std::vector<scene::AssignRule> rules;
  std::array<uint32_t, scene::kPaletteSize> line_of_name = {};
  std::array<std::string, scene::kPaletteSize> names;
  for_each_line(text, path, [&](LineReader& line) {
    const std::optional<Word> rest = line.rest();
    if (!rest || rest->text.starts_with('#')) return;
    const std::vector<Word> cells = cells_of(*rest);
    if (cells.size() < 2 || cells.size() > 3)
      line.fail(*rest,
                fmt::format("{}, expected 2 or 3: a pattern, a number and a name",
                            cells.size() == 1 ? "1 cell" : fmt::format("{} cells", cells.size())),
                "? in a pattern stands for any character, such as a comma");
    if (cells[0].text.empty()) line.fail(cells[0], "the pattern is empty", "* stands for any text");
    if (rules.size() == kMostRules) line.fail(*rest, fmt::format("more than {} rules", kMostRules));
    scene::AssignRule rule = {std::string(cells[0].text), number_in(line, cells[1]), {}};
    if (cells.size() > 2) rule.name = cells[2].text;
    if (!rule.name.empty()) {
      std::string& known = names[rule.number];
      if (!known.empty() && known != rule.name)
        line.fail(cells[2], fmt::format("number {} is called {} here and {} in line {}", rule.number,
                                        in_quotes(rule.name), in_quotes(known), line_of_name[rule.number]));
      known = rule.name;
      line_of_name[rule.number] = line.number();
    }
    rules.push_back(std::move(rule));
  });
  if (rules.empty()) throw Error("has no rule").at(path.string());
  for (scene::AssignRule& rule : rules) rule.name = names[rule.number];
  return rules;
}

}  // namespace vox
