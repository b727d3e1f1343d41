// An option of a tool. Its statement is the only place of its knowledge: its name, what it takes, the runs that it goes with, and one sentence
// of help. The command line is read and checked by these statements; --help, manual pages, completions and the options
// that errors of the library refer to are made of them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vox {

// The numbers that an option takes.
struct OptionRange {
  enum class Ends : uint8_t { Included, LeastExcluded, MostExcluded };

  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  Ends ends = Ends::Included;

  bool holds(double value) const;
  std::string text() const;  // "1 to 4096", "0 or more", "above 0 and at most 1"
};

// A rule: an option has an effect in the runs that have one of these traits. An option with several rules needs a trait
// of each.
struct OptionRule {
  uint32_t traits;             // bits of the tool's own
  std::string_view otherwise;  // the message for all other runs: what the option is for, or what to use
};

enum class Repeats : uint8_t { No, Yes };

struct Option {
  std::string name;                     // "output" of --output
  std::string letter = "";              // "o" of -o
  std::string argument = "";            // what --help calls the value, "FILE"; empty for a flag and for words
  std::vector<std::string> words = {};  // the values that it takes, if these are a few words
  std::string preset = "";              // the value if the option is not given
  std::string usual = "";               // what --help calls the default, if that is not `preset`
  std::optional<OptionRange> range = {};  // of a number, or of each number of a list
  std::string unit = "";                  // of the range and the default: "seconds"
  std::string setting = "";               // the name in the library's structs, if it is another one
  std::vector<OptionRule> rules = {};     // an option without rules goes with every run
  Repeats repeats = Repeats::No;
  std::string help = "";  // a plain sentence

  bool is_flag() const { return argument.empty() && words.empty(); }
  std::string spelled() const;  // "--res", but "-o" for the output: the name in messages
};

// Options that belong together; --help TOPIC shows them.
struct OptionTopic {
  std::string name;       // one word: "meshes"
  std::string title;      // "meshes", as in "Options for meshes"
  std::string text = "";  // paragraphs that stand before the options
  std::vector<Option> options = {};
};

// All that a tool says about itself.
struct ToolDescription {
  std::string program;  // "vox-bench hash"
  std::string usage;    // "[FILE] [options]"
  std::string about;    // a few sentences
  std::vector<std::string>
      examples;  // the first three are in the short help; two blanks stand before an explanation
  std::vector<std::string> basics;  // the names of the options that most people need
  std::string more = "";            // paragraphs that only --help all shows
  std::vector<OptionTopic> topics = {};
  std::vector<Option> operands = {};  // arguments that are named by their places

  // The option of this name, or of this setting of the library; nullptr if there is none.
  const Option* option(std::string_view name) const;
  const Option* option_for(std::string_view setting) const;
  std::vector<const Option*> all_options() const;  // without operands
};

// The traits of a run of a tool, and its name in messages.
struct RunTraits {
  uint32_t bits = 0;
  std::string what;  // "a scene file", "a cut"
};

// Returns the words of an option that may also be all of them: "all", and these names.
std::vector<std::string> with_all(std::vector<std::string> names);

// Throws UsageError for the first of the given options that has no effect in this run: "--solid has no effect on a
// volume: it is for meshes".
void check_effects(std::span<const Option> given, const RunTraits& run);

}  // namespace vox
