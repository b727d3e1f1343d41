// The command line of a tool: the options that are given and their values, read and checked by the tool's
// description.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/volume/volume_formats.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/voxelize/grid.h"

namespace vox {

// An option of a tool is stated in one place: its name, its values, the runs in which it has an effect, and one
// sentence of help. These statements serve to read and check the command line, and to make --help, manual pages,
// completions and the names of options in the library's errors.

// The range of numbers that an option accepts.
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
  uint32_t traits;             // bits that each tool defines
  std::string_view otherwise;  // the message for all other runs: the option's purpose, or what to use
};

enum class Repeats : uint8_t { No, Yes };

struct Option {
  std::string name = "";                // "output" of --output
  std::string letter = "";              // "o" of -o
  std::string argument = "";            // the value's name in --help, "FILE"; empty for a flag and for words
  std::vector<std::string> words = {};  // the values that it accepts, if these are a few words
  std::string preset = "";              // the value if the option is not given
  std::string usual = "";               // the default in --help, if that is not `preset`
  std::optional<OptionRange> range = {};  // for a number, or for each number of a list
  std::string unit = "";                  // the unit of the range and the default: "seconds"
  std::string setting = "";               // the name in the library's structs, if it differs
  std::vector<OptionRule> rules = {};     // an option without rules has an effect in every run
  Repeats repeats = Repeats::No;
  std::string help = "";  // one plain sentence

  bool is_flag() const { return argument.empty() && words.empty(); }
  std::string spelled() const;  // "--res", but "-o" for the output: the name in messages
};

// Return an option with a value, and one without; `more` has the facts that few options need.
inline Option option(std::string name, std::string argument, std::vector<OptionRule> rules, std::string help,
                     Option more = {}) {
  more.name = std::move(name);
  more.argument = std::move(argument);
  more.rules = std::move(rules);
  more.help = std::move(help);
  return more;
}
inline Option flag(std::string name, std::vector<OptionRule> rules, std::string help, Option more = {}) {
  return option(std::move(name), "", std::move(rules), std::move(help), std::move(more));
}

// Options that belong together; --help TOPIC shows them.
struct OptionTopic {
  std::string name;       // one word: "meshes"
  std::string title;      // "meshes", as in "Options for meshes"
  std::string text = "";  // paragraphs that stand before the options
  std::vector<Option> options = {};
};

// The description of a tool.
struct ToolDescription {
  std::string program;  // "vox-bench hash"
  std::string usage;    // "[FILE] [options]"
  std::string about;    // a few sentences
  std::vector<std::string>
      examples;                     // the short help shows the first three; two blanks precede an explanation
  std::vector<std::string> basics;  // names of the options that most people need
  std::string more = "";            // paragraphs that only `--help all` shows
  std::vector<OptionTopic> topics = {};
  std::vector<Option> operands = {};  // arguments without option names, by their places

  // Returns the option with this name or with this setting of the library; nullptr if there is none.
  const Option* option(std::string_view name) const;
  const Option* option_for(std::string_view setting) const;
  std::vector<const Option*> all_options() const;  // without operands
};

// The traits of a run of a tool, and its name in messages.
struct RunTraits {
  uint32_t bits = 0;
  std::string what;  // "a scene file", "a cut"
};

// Returns the words of an option that accepts these names or "all".
std::vector<std::string> with_all(std::vector<std::string> names);

// Throws UsageError for the first of the given options that has no effect in this run: "--solid has no effect on a
// volume: it is for meshes".
void check_effects(std::span<const Option> given, const RunTraits& run);

// All functions that read a value throw UsageError, which names the option, if the value is not as stated. If none is
// given, it is the option's preset, but functions whose names begin with given_ return nothing.
class CommandLine {
 public:
  // Throws UsageError for options that the tool does not have.
  CommandLine(const ToolDescription& tool, int argc, char** argv);

  bool has(std::string_view option) const;
  std::string text(std::string_view option) const;
  std::optional<std::string> given(std::string_view option) const;
  // Returns every value of an option that may be repeated, as it was given.
  std::vector<std::filesystem::path> paths(std::string_view option) const;

  uint64_t count(std::string_view option) const;  // 4096, 4K or 2^12
  uint32_t whole(std::string_view option) const;  // the same with at most 32 bits
  double number(std::string_view option) const;
  uint64_t bytes(std::string_view option) const;  // 800M or 1.5G
  double scale(std::string_view option) const;    // 1/64 or 0.5: a number above 0
  std::optional<uint64_t> given_count(std::string_view option) const;
  std::optional<uint32_t> given_whole(std::string_view option) const;
  std::optional<double> given_number(std::string_view option) const;

  // word() returns the value's place among the option's words, and name() the value, which is one of them.
  size_t word(std::string_view option) const;
  std::string text_of_word(std::string_view option) const;
  // Returns the value that belongs to the word. `values` are in the order of the option's words.
  template <class T>
  T choice(std::string_view option, std::initializer_list<T> values) const {
    return values.begin()[word_of(option, values.size())];
  }

  std::vector<double> numbers(std::string_view option, size_t count, const char* expected) const;
  voxelize::Box box(std::string_view option) const;  // six numbers, each side with a length

  // Lists with commas between the values.
  std::vector<std::string> names(std::string_view option) const;  // each is one of the option's words
  std::vector<uint32_t> axis(std::string_view option) const;      // 2,4,6 or 2-10
  std::vector<double> fractions(std::string_view option) const;
  std::vector<uint64_t> counts(std::string_view option) const;
  // Returns the values of an Enum that counts from 0 in the order of the option's words. No value occurs twice.
  template <class Enum>
  std::vector<Enum> choices(std::string_view option) const {
    std::vector<Enum> chosen;
    for (const size_t place : places(option)) chosen.push_back(static_cast<Enum>(place));
    return chosen;
  }
  std::vector<size_t> places(std::string_view option) const;

  // Returns the options on the command line, for check_effects(). Presets are not among them.
  std::vector<Option> given_options() const;
  std::string command() const { return command_; }  // the command line, as a shell reads it
  // Returns the command line's arguments without these options, in a form that can be read again. Operands are last.
  std::vector<std::string> arguments_without(std::span<const std::string_view> left_out) const;
  bool json() const { return has("json"); }
  Overwrite overwrite() const { return has("force") ? Overwrite::AllFiles : Overwrite::OwnFiles; }

 private:
  const Option& stated(std::string_view option) const;
  size_t word_of(std::string_view option, size_t count) const;
  uint64_t checked_count(const Option& option, std::string_view text) const;

  std::shared_ptr<const ToolDescription> tool_;
  std::vector<std::pair<std::string, std::string>> given_;  // names and values
  std::string command_;
};

// Returns the arguments, beginning with the program, of a command line that CommandLine::command() returned.
std::vector<std::string> arguments_of(std::string_view command);

// Returns the parts between commas. There is at least one, and parts may be empty.
std::vector<std::string_view> comma_separated(std::string_view text);

// The options that several programs have, and functions that read them.

// These are the options of every program that runs something on a device.

// Returns the topic "device" with --device, --threads, --memory-limit and --profile. The rules are for --profile.
OptionTopic device_topic(std::vector<OptionRule> profile_rules = {});

// Reads these options. The name of the hash table keeps its default. Throws UsageError.
EngineOptions read_device_options(const CommandLine& arguments);

// Returns --table, the hash table that holds a scene's SVDAG. `help` says when it is used.
Option table_option(std::string help, std::vector<OptionRule> rules = {});

// These are the options of programs that read volumes and make bricks.

// These functions return options with the program's rules.
std::vector<Option> brick_options(const std::vector<OptionRule>& rules);  // --brick-size and --types
std::vector<Option> threshold_options(
    const std::vector<OptionRule>& rules);  // --threshold and --threshold-raw
std::vector<Option> raw_options(
    const std::vector<OptionRule>& rules);  // --dims, --type, --endian and --offset

// These functions read the options. They throw UsageError.
bricks::BricksOptions read_bricks_options(const CommandLine& arguments);
volume::ThresholdOptions read_threshold_options(const CommandLine& arguments);
RawOptions read_raw_options(const CommandLine& arguments);

// Reads the side of a brick and returns its logarithm. Throws UsageError with the message if there is no such side.
uint32_t parse_brick_side(std::string_view text, std::string_view message);

// Collective. Returns the part of its host that this rank takes: a GPU, or a share of the cores and of the memory.
// With `cuda` and `auto`, ranks that see the same GPUs take one each. With `auto`, ranks without a GPU
// take the processor. Throws UsageError for several devices, and Error if --device cuda finds fewer GPUs than
// ranks.
EngineOptions engine_of_rank(EngineOptions options, ranks::Ranks& ranks);

}  // namespace vox
