#include "tools/common/completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vox {
namespace {

enum class ValueKind { None, Words, File, Folder, FolderOrWord, Other };

constexpr std::string_view kFolderOr = "DIR|";  // and words

ValueKind kind_of(const HelpOption& option) {
  const std::string& value = option.value;
  if (value.empty()) return ValueKind::None;
  if (value.starts_with(kFolderOr)) return ValueKind::FolderOrWord;
  if (value.find('|') != std::string::npos) return ValueKind::Words;
  if (value.starts_with("FILE") || value.ends_with(".h5")) return ValueKind::File;
  return value == "DIR" ? ValueKind::Folder : ValueKind::Other;
}

// The words that an option takes: "on off" for on|off, "host" for DIR|host.
std::string words_of(const HelpOption& option) {
  std::string words = option.value.substr(option.value.starts_with(kFolderOr) ? kFolderOr.size() : 0);
  std::ranges::replace(words, '|', ' ');
  return words;
}

// The program's name in one word: vox-bench-hash for vox-bench hash.
std::string joined(std::string program, char separator) {
  std::ranges::replace(program, ' ', separator);
  return program;
}

std::vector<HelpOption> all_options(const HelpParts& parts) {
  std::vector<HelpOption> all;
  for (const HelpGroup& group : parts.groups)
    all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

bool has_commands(const HelpParts& parts) {
  return !parts.arguments.empty() && parts.arguments.front().name == "command";
}

bool is_command(const HelpParts& parts) {
  return parts.program.find(' ') != std::string::npos;
}

// The completions of bash.

// The shell command that offers the value of an option, or an argument; none where nothing is known of it.
std::string bash_offer(const HelpOption& option) {
  const ValueKind kind = kind_of(option);
  if (kind == ValueKind::None || kind == ValueKind::Other) return "";
  const std::string source = kind == ValueKind::Words          ? fmt::format("-W '{}'", words_of(option))
                             : kind == ValueKind::FolderOrWord ? fmt::format("-d -W '{}'", words_of(option))
                             : kind == ValueKind::Folder       ? "-d"
                                                               : "-f";
  return fmt::format("mapfile -t COMPREPLY < <(compgen {} -- \"$word\")", source);
}

// The ways to write the option: with its name and with its letter.
std::vector<std::string> spellings(const HelpOption& option) {
  std::vector<std::string> list = {"--" + option.name};
  if (!option.letter.empty()) list.push_back("-" + option.letter);
  return list;
}

constexpr const char* kBash = R"(# What bash offers behind {0}; written by `{0} --help=bash`.
_{1}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD-1]}}
  if [[ $word == = ]]; then  # bash takes --option=value for three words
    word=
  elif [[ $option == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  COMPREPLY=()
{2}  case $option in
{3}  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{4}' -- "$word")
  else
    {5}
  fi
}}
)";

constexpr const char* kBashCommands = R"(  case ${{COMP_WORDS[1]}} in
    {0})
      if ((COMP_CWORD > 1)); then
        source "${{BASH_SOURCE[0]}}-${{COMP_WORDS[1]}}"
        "_{1}_${{COMP_WORDS[1]}}"
        return
      fi ;;
  esac
)";

}  // namespace

std::string bash_completions(const HelpParts& parts) {
  std::string function = joined(parts.program, '_');
  std::ranges::replace(function, '-', '_');
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> with_value;  // spellings, by the command that offers values
  for (const HelpOption& option : all_options(parts))
    for (const std::string& spelling : spellings(option)) {
      names.push_back(spelling);
      if (kind_of(option) != ValueKind::None) with_value[bash_offer(option)].push_back(spelling);
    }
  std::string values;
  for (const auto& [offer, options] : with_value)
    values +=
        fmt::format("    {}) {}{}return ;;\n", fmt::join(options, "|"), offer, offer.empty() ? "" : "; ");
  const HelpOption none;
  const HelpOption& argument = parts.arguments.empty() ? none : parts.arguments.front();
  const std::string offered = bash_offer(argument);
  const std::string commands =
      has_commands(parts) ? fmt::format(kBashCommands, argument.value, function) : "";
  std::string text = fmt::format(kBash, parts.program, function, commands, values, fmt::join(names, " "),
                                 bash_offer(argument));
  if (!is_command(parts)) text += fmt::format("complete -o filenames -F _{} {}\n", function, parts.program);
  return text;
}

// The completions of zsh.

namespace {

// Escapes a text for the single quotes and brackets of a description.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\'";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

// ":FILE:_files": what a value is called, and where it comes from.
std::string zsh_value(const HelpOption& option) {
  switch (kind_of(option)) {
    case ValueKind::None:
      return "";
    case ValueKind::Words:
      return fmt::format(":{}:({})", option.name, words_of(option));
    case ValueKind::File:
      return fmt::format(":{}:_files", option.value);
    case ValueKind::Folder:
      return fmt::format(":{}:_files -/", option.value);
    case ValueKind::FolderOrWord:
      return fmt::format(":{}:{{compadd {}; _files -/}}", option.name, words_of(option));
    case ValueKind::Other:
      return fmt::format(":{}: ", zsh_text(option.value));
  }
  return "";
}

// The line of an option, whose value may follow an equals sign, or stand directly behind its letter.
std::string zsh_option(const HelpOption& option) {
  const bool has_value = kind_of(option) != ValueKind::None;
  const std::string rest = fmt::format("'[{}]{}'", zsh_text(option.text), zsh_value(option));
  const std::string name = fmt::format("--{}{}", option.name, has_value ? "=" : "");
  if (option.letter.empty()) return name + rest;
  return fmt::format("'(-{0} --{1})'{{-{0}{2},{3}}}{4}", option.letter, option.name, has_value ? "+" : "",
                     name, rest);
}

constexpr const char* kZshCommands = R"(
if [[ $state == command ]] && [[ $line[1] == ({0}) ]]; then
  autoload -Uz "_{1}-$line[1]" && "_{1}-$line[1]"
fi
)";

}  // namespace

std::string zsh_completions(const HelpParts& parts) {
  std::string text = is_command(parts) ? "#autoload\n" : fmt::format("#compdef {}\n", parts.program);
  text += fmt::format("# What zsh offers behind {0}; written by `{0} --help=zsh`.\n", parts.program);
  if (has_commands(parts)) text += "local curcontext=$curcontext state line\n";
  text += fmt::format("_arguments -s -S{}", has_commands(parts) ? " -C" : "");
  for (const HelpOption& option : all_options(parts)) text += " \\\n  " + zsh_option(option);
  for (const HelpOption& argument : parts.arguments)
    text +=
        fmt::format(" \\\n  '{}{}'", kind_of(argument) == ValueKind::Words ? "1" : "*", zsh_value(argument));
  if (!has_commands(parts)) return text + '\n';
  return text + " \\\n  '*::argument:->command'\n" +
         fmt::format(kZshCommands, parts.arguments.front().value, parts.program).substr(1);
}

}  // namespace vox
