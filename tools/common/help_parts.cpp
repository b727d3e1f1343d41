#include "tools/common/help_parts.h"

#include <fmt/format.h>

#include <string_view>

namespace vox {
namespace {

HelpOption option_of(const cxxopts::HelpOptionDetails& details) {
  std::string text = details.desc;
  if (details.has_default && !details.is_boolean && !details.default_value.empty())
    text += fmt::format(" (default: {})", details.default_value);
  return {.letter = details.s, .name = details.l.front(), .value = details.arg_help, .text = text};
}

// The options of a group that have dashes, or those that are named by their places alone, which cxxopts does
// not list.
enum class Kind { Dashes, Places };

std::vector<HelpOption> options_of(const cxxopts::Options& options, const std::string& group, Kind kind) {
  const std::string listed = options.help({group});
  std::vector<HelpOption> list;
  for (const cxxopts::HelpOptionDetails& details : options.group_help(group).options) {
    const bool has_dashes = listed.find("--" + details.l.front()) != std::string::npos;
    if (has_dashes == (kind == Kind::Dashes)) list.push_back(option_of(details));
  }
  return list;
}

}  // namespace

HelpParts help_parts(const cxxopts::Options& options, const std::vector<std::string>& groups) {
  constexpr std::string_view kUsage = "\nUsage:\n  ";
  const std::string text = options.help({"no group"});
  const size_t usage = text.rfind(kUsage), begin = usage + kUsage.size();
  HelpParts parts = {.program = options.program(),
                     .about = text.substr(0, usage),
                     .usage = text.substr(begin, text.find('\n', begin) - begin),
                     .groups = {},
                     .arguments = {}};
  for (const std::string& name : groups)
    parts.groups.push_back({.name = name, .options = options_of(options, name, Kind::Dashes)});
  for (const std::string& name : options.groups())
    for (const HelpOption& argument : options_of(options, name, Kind::Places))
      parts.arguments.push_back(argument);
  return parts;
}

}  // namespace vox
