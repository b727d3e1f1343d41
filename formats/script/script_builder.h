// Puts commands together to a Script, within its limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/script/script_text.h"
#include "libvox/edit/script.h"
#include "libvox/edit/script_errors.h"

namespace vox {

inline constexpr uint64_t kMaxScriptCommands = 10'000'000;  // with all repetitions
inline constexpr uint32_t kMaxWrittenCommands = 4'000'000;  // and repetitions, as written
inline constexpr uint32_t kMaxScriptNesting = 16;           // repetitions in repetitions

class ScriptBuilder {
 public:
  ScriptBuilder(std::string text, std::filesystem::path path);

  const edit::Script& script() const { return script_; }     // so far; its text stays where it is
  edit::Script finish(const edit::OnScriptError& on_error);  // a repetition that is open is an error

  // The command that begins with `word` in this line, of which all has been read.
  void add(const LineReader& line, const Word& word, edit::Action action, uint32_t frame = 0);

  void begin_repeat(const LineReader& line, const Word& word, const edit::Repeat& repeat);
  void end_repeat(const LineReader& line, const Word& word);
  bool is_repeating() const { return !open_.empty(); }
  bool may_repeat() const;  // within the limits

  // Taken from the script's folder.
  std::filesystem::path resolved(const Word& file) const;
  uint32_t scene_number(const Word& file);

 private:
  // Where commands within all open repetitions may be moved to, and how often each runs.
  struct Open {
    LineReader line;
    Word word;
    uint32_t index;  // in Script::repeats
    uint64_t runs;
    edit::EditPlace least, most;  // offsets
  };

  void close_repeat();
  bool is_full() const;
  void check_written(const LineReader& line, const Word& word) const;
  void check_places(const LineReader& line, const Word& word, const edit::Edit& edit) const;

  edit::Script script_;
  std::vector<Open> open_;
  std::unordered_map<std::string, uint32_t> scene_numbers_;
};

}  // namespace vox
