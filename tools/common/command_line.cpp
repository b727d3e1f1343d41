#include "tools/common/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cxxopts.hpp>
#include <stdexcept>

#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

cxxopts::Options declared(const ToolDescription& tool) {
  cxxopts::Options options(tool.program);
  const auto add = [&](const Option& option, const std::shared_ptr<cxxopts::Value>& value) {
    options.add_options()(option.letter.empty() ? option.name : option.letter + "," + option.name, "", value);
  };
  for (const Option* option : tool.all_options()) {
    if (option->is_flag())
      add(*option, cxxopts::value<bool>());
    else
      add(*option, cxxopts::value<std::string>());
  }
  std::vector<std::string> places;
  for (const Option& operand : tool.operands) {
    places.push_back(operand.name);
    if (operand.repeats == Repeats::Yes)
      add(operand, cxxopts::value<std::vector<std::string>>());
    else
      add(operand, cxxopts::value<std::string>());
  }
  options.parse_positional(places);
  return options;
}

// The option that a misspelt one was meant to be: the longest one that it begins with, or the shortest one that begins
// with it, else the one that the fewest changes lead to. "" if none is near.
std::string meant(std::string_view word, const std::vector<std::string_view>& names) {
  constexpr size_t kFewestLetters = 3;
  std::string_view shorter, longer;
  for (const std::string_view name : names) {
    if (std::min(name.size(), word.size()) < kFewestLetters) continue;
    if (word.starts_with(name) && name.size() > shorter.size()) shorter = name;
    if (name.starts_with(word) && (longer.empty() || name.size() < longer.size())) longer = name;
  }
  if (!shorter.empty()) return std::string(shorter);
  return std::string(longer.empty() ? nearest_word(word, names) : longer);
}

[[noreturn]] void throw_unknown(const ToolDescription& tool, const std::string& word) {
  std::vector<std::string_view> names;
  for (const Option* option : tool.all_options()) names.push_back(option->name);
  UsageError error(fmt::format("there is no option {}{}", word.size() == 1 ? "-" : "--", word));
  const std::string name = word.size() == 1 ? "" : meant(word, names);
  if (!name.empty()) error.hint(fmt::format("did you mean '--{}'?", name));
  throw error;
}

// The words between the typographic quotation marks of cxxopts' messages.
std::string quoted_word(const std::string& message) {
  constexpr std::string_view kOpen = "‘", kClose = "’";
  const size_t open = message.find(kOpen), close = message.rfind(kClose);
  if (open == std::string::npos || close == std::string::npos) return message;
  return message.substr(open + kOpen.size(), close - open - kOpen.size());
}

cxxopts::ParseResult parsed(const ToolDescription& tool, cxxopts::Options& options, int argc, char** argv) {
  try {
    return options.parse(argc, argv);
  } catch (const cxxopts::exceptions::no_such_option& error) {
    throw_unknown(tool, quoted_word(error.what()));
  } catch (const cxxopts::exceptions::missing_argument& error) {
    const std::string word = quoted_word(error.what());
    throw UsageError(fmt::format("{}{} needs a value", word.size() == 1 ? "-" : "--", word));
  } catch (const cxxopts::exceptions::exception& error) {
    throw UsageError(error.what());
  }
}

// Returns the argument in quotes; a quote in it is written as '\'' between two quoted parts.
std::string quoted_for_shell(const std::string& argument) {
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

std::string command_text(int argc, char** argv) {
  std::string text = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool plain =
        !argument.empty() && argument.find_first_of(" \t\r\n'\"#$&()*;<>?[]\\`{|}~!") == std::string::npos;
    text += " " + (plain ? argument : quoted_for_shell(argument));
  }
  return text;
}

uint32_t checked_whole(const Option& option, uint64_t value, std::string_view text) {
  if (value > UINT32_MAX)
    throw UsageError(fmt::format("{} is {}, which is too much", option.spelled(), text));
  return static_cast<uint32_t>(value);
}

std::string range_text(const Option& option) {
  return option.range->text() + (option.unit.empty() ? "" : " " + option.unit);
}

// `verb` is "is" for a value, and "has" for one of a list.
void check_range(const Option& option, double value, std::string_view text, const char* verb) {
  if (option.range && !option.range->holds(value))
    throw UsageError(fmt::format("{} {} {}, expected {}", option.spelled(), verb, text, range_text(option)));
}

// The whole text as a number above 0, else 0.
double positive(std::string_view text) {
  try {
    return std::max(parse_number(text, ""), 0.0);
  } catch (const UsageError&) {
    return 0;
  }
}

std::string digits(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

}  // namespace

CommandLine::CommandLine(const ToolDescription& tool, int argc, char** argv)
    : tool_(std::make_shared<const ToolDescription>(tool)), command_(command_text(argc, argv)) {
  const auto words =
      static_cast<int>(std::ranges::count(tool.program, ' '));  // commands, as in "vox-bench hash"
  cxxopts::Options options = declared(tool);
  const cxxopts::ParseResult result = parsed(tool, options, argc - words, argv + words);
  if (!result.unmatched().empty())
    throw UsageError(fmt::format("unexpected argument '{}'", result.unmatched().front()));
  for (const cxxopts::KeyValue& argument : result.arguments()) {
    const Option& option = stated(argument.key());
    const std::string &value = argument.value(), before = given(option.name).value_or(value);
    // --force=false would have the effect of --force, and the first of two files would be forgotten.
    if (option.is_flag() && value != "true")
      throw UsageError(fmt::format("{} takes no value, but is given '{}'", option.spelled(), value));
    if (option.argument.starts_with("FILE") && option.repeats == Repeats::No && before != value)
      throw UsageError(fmt::format("{} is given twice: '{}', '{}'", option.spelled(), before, value));
    given_.emplace_back(option.name, value);
  }
}

std::vector<std::string> CommandLine::arguments_without(std::span<const std::string_view> left_out) const {
  std::vector<std::string> arguments, operands;
  for (const auto& [name, value] : given_) {
    if (std::ranges::find(left_out, name) != left_out.end()) continue;
    if (std::ranges::find(tool_->operands, name, &Option::name) != tool_->operands.end())
      operands.push_back(value);
    else
      arguments.push_back(stated(name).is_flag() ? "--" + name : fmt::format("--{}={}", name, value));
  }
  if (!operands.empty()) arguments.emplace_back("--");
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  return arguments;
}

const Option& CommandLine::stated(std::string_view option) const {
  const Option* found = tool_->option(option);
  if (found == nullptr) throw std::logic_error(fmt::format("{} does not state --{}", tool_->program, option));
  return *found;
}

bool CommandLine::has(std::string_view option) const {
  stated(option);
  return std::ranges::any_of(given_, [&](const auto& each) { return each.first == option; });
}

std::optional<std::string> CommandLine::given(std::string_view option) const {
  stated(option);
  std::optional<std::string> value;
  for (const auto& [name, text] : given_)
    if (name == option) value = text;
  return value;
}

std::string CommandLine::text(std::string_view option) const {
  return given(option).value_or(stated(option).preset);
}

std::vector<std::filesystem::path> CommandLine::paths(std::string_view option) const {
  std::vector<std::filesystem::path> paths;
  for (const auto& [name, text] : given_)
    if (name == option) paths.emplace_back(text);
  return paths;
}

uint64_t CommandLine::checked_count(const Option& option, std::string_view text) const {
  const uint64_t value = parse_count(text, option.spelled());
  check_range(option, static_cast<double>(value), text, "is");
  return value;
}

uint64_t CommandLine::count(std::string_view option) const {
  return checked_count(stated(option), text(option));
}

uint32_t CommandLine::whole(std::string_view option) const {
  return checked_whole(stated(option), count(option), text(option));
}

std::optional<uint64_t> CommandLine::given_count(std::string_view option) const {
  return has(option) ? std::optional(count(option)) : std::nullopt;
}

std::optional<uint32_t> CommandLine::given_whole(std::string_view option) const {
  return has(option) ? std::optional(whole(option)) : std::nullopt;
}

double CommandLine::number(std::string_view option) const {
  const double value = parse_number(text(option), stated(option).spelled());
  check_range(stated(option), value, text(option), "is");
  return value;
}

std::optional<double> CommandLine::given_number(std::string_view option) const {
  return has(option) ? std::optional(number(option)) : std::nullopt;
}

uint64_t CommandLine::bytes(std::string_view option) const {
  const uint64_t value = parse_bytes(text(option), stated(option).spelled());
  check_range(stated(option), static_cast<double>(value), text(option), "is");
  return value;
}

double CommandLine::scale(std::string_view option) const {
  const std::string value = text(option);
  const size_t slash = value.find('/');
  const double above = positive(std::string_view(value).substr(0, slash));
  const double below = slash == std::string::npos ? 1 : positive(std::string_view(value).substr(slash + 1));
  if (above == 0 || below == 0)
    throw UsageError(fmt::format("{} is '{}', expected a number greater than 0 such as 1/64 or 0.5",
                                 stated(option).spelled(), value));
  return above / below;
}

size_t CommandLine::word(std::string_view option) const {
  const Option& known = stated(option);
  const std::string value = text(option);
  const auto found = std::ranges::find(known.words, value);
  if (found != known.words.end()) return static_cast<size_t>(found - known.words.begin());
  const std::vector<std::string_view> words(known.words.begin(), known.words.end());
  throw UsageError(
      fmt::format("{} is '{}', expected one of: {}", known.spelled(), value, fmt::join(known.words, ", ")))
      .hint(did_you_mean(value, words));
}

std::string CommandLine::text_of_word(std::string_view option) const {
  return stated(option).words[word(option)];
}

size_t CommandLine::word_of(std::string_view option, size_t count) const {
  if (stated(option).words.size() != count)
    throw std::logic_error(
        fmt::format("--{} has {} words, expected {}", option, stated(option).words.size(), count));
  return word(option);
}

std::vector<double> CommandLine::numbers(std::string_view option, size_t count, const char* expected) const {
  const std::string name = stated(option).spelled(), value = text(option);
  const std::vector<std::string_view> parts = comma_separated(value);
  if (parts.size() != count) throw UsageError(fmt::format("{} is '{}', expected {}", name, value, expected));
  std::vector<double> numbers;
  for (const std::string_view part : parts)
    numbers.push_back(parse_number(part, fmt::format("{} is '{}', in which one number", name, value)));
  return numbers;
}

voxelize::Box CommandLine::box(std::string_view option) const {
  const std::vector<double> n = numbers(option, 6, "six numbers x0,y0,z0,x1,y1,z1");
  const voxelize::Box box = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
  if (!(box.min.x < box.max.x && box.min.y < box.max.y && box.min.z < box.max.z))
    throw UsageError(fmt::format("{} is '{}', expected x0 < x1, y0 < y1 and z0 < z1",
                                 stated(option).spelled(), text(option)));
  return box;
}

std::vector<std::string> CommandLine::names(std::string_view option) const {
  const Option& known = stated(option);
  std::vector<std::string> values;
  for (const auto& [name, text] : given_)
    if (name == option) {
      if (known.repeats == Repeats::No) values.clear();
      values.push_back(text);
    }
  if (values.empty()) values.push_back(known.preset);
  std::vector<std::string> names;
  for (const std::string& value : values)
    for (const std::string_view name : comma_separated(value)) {
      if (name.empty()) throw UsageError(fmt::format("{} has nothing between two commas", known.spelled()));
      if (!known.words.empty() && std::ranges::find(known.words, name) == known.words.end())
        throw UsageError(fmt::format("{} has '{}', expected some of: {}", known.spelled(), name,
                                     fmt::join(known.words, ", ")))
            .hint(did_you_mean(name, std::vector<std::string_view>(known.words.begin(), known.words.end())));
      names.emplace_back(name);
    }
  return names;
}

std::vector<size_t> CommandLine::places(std::string_view option) const {
  const Option& known = stated(option);
  std::vector<size_t> chosen;
  for (const std::string& name : names(option)) {
    const auto place = static_cast<size_t>(std::ranges::find(known.words, name) - known.words.begin());
    if (std::ranges::find(chosen, place) == chosen.end()) chosen.push_back(place);
  }
  return chosen;
}

std::vector<uint32_t> CommandLine::axis(std::string_view option) const {
  constexpr uint32_t kMostValues = 1000;
  const Option& known = stated(option);
  const auto value_of = [&](std::string_view text) {
    const uint64_t value = parse_count(text, known.spelled());
    check_range(known, static_cast<double>(value), text, "has");
    return checked_whole(known, value, text);
  };
  std::vector<uint32_t> values;
  for (const std::string& part : names(option)) {
    const size_t dash = part.find('-');
    const uint32_t first = value_of(part.substr(0, dash));
    const uint32_t last = dash == std::string::npos ? first : value_of(part.substr(dash + 1));
    if (last < first || last - first >= kMostValues)
      throw UsageError(fmt::format("{} has '{}', expected a range such as 2-10", known.spelled(), part));
    for (uint32_t i = 0; i <= last - first; ++i) values.push_back(first + i);
  }
  return values;
}

std::vector<double> CommandLine::fractions(std::string_view option) const {
  std::vector<double> values;
  for (const std::string& part : names(option)) {
    values.push_back(parse_number(part, stated(option).spelled()));
    check_range(stated(option), values.back(), part, "has");
  }
  return values;
}

std::vector<uint64_t> CommandLine::counts(std::string_view option) const {
  std::vector<uint64_t> values;
  for (const std::string& part : names(option)) {
    values.push_back(parse_count(part, stated(option).spelled()));
    check_range(stated(option), static_cast<double>(values.back()), part, "has");
  }
  return values;
}

std::vector<Option> CommandLine::given_options() const {
  std::vector<Option> options;
  for (const auto& [name, value] : given_) options.push_back(stated(name));
  return options;
}

std::vector<std::string> arguments_of(std::string_view command) {
  std::vector<std::string> arguments;
  bool quoted = false, in_argument = false;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == ' ' && !quoted) {
      in_argument = false;
      continue;
    }
    if (!in_argument) arguments.emplace_back();
    in_argument = true;
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == '\\' && !quoted && i + 1 < command.size() && command[i + 1] == '\'') {
      arguments.back() += command[++i];
    } else {
      arguments.back() += c;
    }
  }
  return arguments;
}

std::vector<std::string_view> comma_separated(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

bool OptionRange::holds(double value) const {
  const bool above = ends == Ends::LeastExcluded ? value > least : value >= least;
  return above && (ends == Ends::MostExcluded ? value < most : value <= most);
}

std::string OptionRange::text() const {
  const std::string low = digits(least);
  if (std::isinf(most)) return ends == Ends::LeastExcluded ? "a number above " + low : low + " or more";
  if (ends == Ends::LeastExcluded) return fmt::format("above {} and at most {}", low, digits(most));
  if (ends == Ends::MostExcluded) return fmt::format("{} or more and less than {}", low, digits(most));
  return fmt::format("{} to {}", low, digits(most));
}

std::string Option::spelled() const {
  return name == "output" ? "-o" : "--" + name;
}

std::vector<const Option*> ToolDescription::all_options() const {
  std::vector<const Option*> all;
  for (const OptionTopic& topic : topics)
    for (const Option& option : topic.options) all.push_back(&option);
  return all;
}

const Option* ToolDescription::option(std::string_view name) const {
  const auto has_name = [&](const Option* option) { return option->name == name; };
  const std::vector<const Option*> all = all_options();
  const auto found = std::ranges::find_if(all, has_name);
  if (found != all.end()) return *found;
  const auto operand = std::ranges::find(operands, name, &Option::name);
  return operand != operands.end() ? &*operand : nullptr;
}

const Option* ToolDescription::option_for(std::string_view setting) const {
  for (const Option* option : all_options()) {
    std::string name = option->setting.empty() ? option->name : option->setting;
    std::ranges::replace(name, '-', '_');
    if (name == setting) return option;
  }
  return nullptr;
}

std::vector<std::string> with_all(std::vector<std::string> names) {
  names.insert(names.begin(), "all");
  return names;
}

void check_effects(std::span<const Option> given, const RunTraits& run) {
  for (const Option& option : given)
    for (const OptionRule& rule : option.rules)
      if ((rule.traits & run.bits) == 0)
        throw UsageError(
            fmt::format("{} has no effect on {}: {}", option.spelled(), run.what, rule.otherwise));
}

}  // namespace vox
