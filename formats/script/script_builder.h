// Walks through the lines of a script and assembles their commands into a Script, within the limits on
// scripts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/script/script_text.h"
#include "libvox/edit/script.h"
#include "libvox/edit/script_errors.h"

namespace vox {

inline constexpr uint64_t kMaxScriptCommands = 10'000'000;  // with all repetitions
inline constexpr uint32_t kMaxWrittenCommands = 4'000'000;  // commands and repetitions in the text
inline constexpr uint32_t kMaxScriptNesting = 16;           // depth of nested repetitions

class ScriptBuilder {
 public:
  // The object that `on_error` refers to must outlive the builder.
  ScriptBuilder(std::string text, std::filesystem::path path, const edit::OnScriptError& on_error);

  const edit::Script& script() const { return script_; }  // the script so far; its text stays in place

  // Calls `read_line`, which adds commands, for each line. Throws Error if the script is not text.
  void read_lines(const std::function<void(LineReader&)>& read_line);
  edit::Script finish();  // an open repetition is an error

  // Adds the command that begins with `word` in this line. The whole line must have been read.
  void add(const LineReader& line, const Word& word, edit::Action action, uint32_t frame = 0);

  void begin_repeat(const LineReader& line, const Word& word, const edit::Repeat& repeat);
  void end_repeat(const LineReader& line, const Word& word);
  bool is_repeating() const { return !open_.empty(); }
  bool may_repeat() const;  // true if the limits allow another repetition

  // Returns the path of a file that the script names relative to its own folder.
  std::filesystem::path resolved(const Word& file) const;
  uint32_t scene_number(const Word& file);

 private:
  // An open repetition: how far it and the repetitions around it move a command, and how often each command
  // runs.
  struct Open {
    LineReader line;
    Word word;
    uint32_t index;  // in Script::repeats
    uint64_t runs;
    edit::EditPlace least, most;  // offsets of commands
  };

  // Calls `step` and passes an error that it throws to on_error_ if there is one.
  template <class Step>
  void report_errors_of(const Step& step) const;

  void close_repeat();
  bool is_full() const;
  void check_written(const LineReader& line, const Word& word) const;
  void check_places(const LineReader& line, const Word& word, const edit::Edit& edit) const;

  const edit::OnScriptError& on_error_;
  edit::Script script_;
  std::vector<Open> open_;
  std::unordered_map<std::string, uint32_t> scene_numbers_;
};

}  // namespace vox
