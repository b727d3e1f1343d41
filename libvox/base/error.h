// Error is the one exception type of the toolkit. It says what was wrong, where, and what to do about it:
//
//   throw Error("'f' names vertex 7, but only 6 are defined")
//       .at(fmt::format("{}:{}", path, line))
//       .hint("is the file truncated?");
//
// prints as   vox-convert: error: scene.obj:12: 'f' names vertex 7, but only 6 are defined (is the file
// truncated?)
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vox {

class Error : public std::exception {
 public:
  explicit Error(std::string problem);

  Error& at(std::string where);   // file, line of a script, dataset
  Error& hint(std::string hint);  // the remedy
  // Names the setting that caused the error, as the library's structs call it ("memory_limit"). A program can then tell
  // its users their own name for it.
  Error& about(std::string setting);

  const char* what() const noexcept override { return text_.c_str(); }
  bool has_place() const { return !where_.empty(); }
  // The parts of what(), and the setting, which is not part of it.
  const std::string& problem() const { return problem_; }
  const std::string& place() const { return where_; }
  const std::string& advice() const { return hint_; }
  const std::string& setting() const { return setting_; }

 private:
  void compose();
  std::string problem_, where_, hint_, setting_, text_;
};

// A command line that cannot be understood. Tools exit with 2 instead of 1.
class UsageError : public Error {
 public:
  using Error::Error;

  // The same as above, but they return a UsageError, for `throw UsageError("…").about("device")`.
  UsageError& at(std::string where);
  UsageError& hint(std::string hint);
  UsageError& about(std::string setting);
};

// A device's pool throws this error when it is full. Callers may try again with less.
class OutOfMemory : public Error {
 public:
  OutOfMemory(uint64_t asked, uint64_t available);
};

// throw_if_cancelled() throws this error after SIGINT or SIGTERM. Tools exit with 130.
class Cancelled : public Error {
 public:
  Cancelled();
};

// Returns the candidate that a misspelled word probably stands for: the one that takes the fewest changes (a letter
// added, removed or replaced, or two neighbors swapped), or the first of several. Returns "" if each takes more
// changes than a third of the word's letters.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

// Returns text for Error::hint(): "did you mean 'sphere'?", or "" if no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace vox
