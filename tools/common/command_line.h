// The command line of a tool: the options that are given and their values, read and checked as the tool's description
// states them.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/overwrite.h"
#include "libvox/voxelize/grid.h"
#include "tools/common/option.h"

namespace vox {

// All functions that read a value throw UsageError, which names the option, if it is not as stated. A value that is not
// given is the option's preset; functions that begin with given_ return nothing then.
class CommandLine {
 public:
  // Throws UsageError for options that the tool does not have.
  CommandLine(const ToolDescription& tool, int argc, char** argv);

  bool has(std::string_view option) const;
  std::string text(std::string_view option) const;
  std::optional<std::string> given(std::string_view option) const;
  // Every value of an option that may be repeated, as it was given.
  std::vector<std::filesystem::path> paths(std::string_view option) const;

  uint64_t count(std::string_view option) const;  // 4096, 4K or 2^12
  uint32_t whole(std::string_view option) const;  // the same with at most 32 bits
  double number(std::string_view option) const;
  uint64_t bytes(std::string_view option) const;  // 800M or 1.5G
  double scale(std::string_view option) const;    // 1/64 or 0.5: a number above 0
  std::optional<uint64_t> given_count(std::string_view option) const;
  std::optional<uint32_t> given_whole(std::string_view option) const;
  std::optional<double> given_number(std::string_view option) const;

  // The value's place among the option's words, and the value, which is one of them.
  size_t word(std::string_view option) const;
  std::string text_of_word(std::string_view option) const;
  // The value that belongs to the word; `values` are in the order of the option's words.
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
  // The values of an Enum that counts from 0 in the order of the option's words; none twice.
  template <class Enum>
  std::vector<Enum> choices(std::string_view option) const {
    std::vector<Enum> chosen;
    for (const size_t place : places(option)) chosen.push_back(static_cast<Enum>(place));
    return chosen;
  }
  std::vector<size_t> places(std::string_view option) const;

  // The options on the command line, for check_effects(). Presets are not among them.
  std::vector<Option> given_options() const;
  std::string command() const { return command_; }  // the command line; arguments with blanks are quoted
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

// The parts between commas: at least one, which may be empty.
std::vector<std::string_view> comma_separated(std::string_view text);

}  // namespace vox
