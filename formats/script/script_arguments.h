// The named arguments of one command of an edit script, in any order.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "formats/script/script_text.h"
#include "formats/script/script_values.h"
#include "libvox/edit/edit.h"

namespace vox {

// clang-format off
enum class Arg : uint8_t {
  // arguments of shapes
  Center, Radius, Radii, Min, Max, From, To, Noise, Grain, NoiseSeed,
  // arguments of commands
  Material, With, At, FillSeed, Limit, Steps, In, Rotate, Mirror, SkipEmpty, KeepFilled,
  Step, Jitter, JitterSeed, Every, Threshold, Never, Budget,
  Count,
};
// clang-format on

// The arguments that a command or a shape allows, and the words of those that are given.
class ArgumentSet {
 public:
  ArgumentSet() = default;
  ArgumentSet(std::initializer_list<Arg> allowed);

  bool has(Arg arg) const { return given_[index(arg)].at != nullptr; }
  const Word& word(Arg arg) const { return given_[index(arg)]; }
  bool allows(Arg arg) const { return allowed_[index(arg)]; }
  void set(Arg arg, const Word& word) { given_[index(arg)] = word; }

  std::optional<Arg> find(std::string_view name) const;

 private:
  static size_t index(Arg arg) { return static_cast<size_t>(arg); }
  std::array<bool, static_cast<size_t>(Arg::Count)> allowed_ = {};
  std::array<Word, static_cast<size_t>(Arg::Count)> given_ = {};
};

// Reads the arguments of a line. If the shape behind `in` and the command both have an argument of one name,
// the first one in the line belongs to the shape and the second to the command. `seed` is an exception: with
// commas it is always the place to fill from, without commas the seed of the shape's noise.
class Arguments {
 public:
  // `shape` is a shape whose arguments stand among the command's own. `title` names the command in messages.
  Arguments(LineReader& line, const ValueReader& values, std::string title, ArgumentSet own,
            edit::ShapeKind shape = edit::ShapeKind::Everything);

  bool has(Arg arg) const { return own_.has(arg); }
  const Word& need(Arg arg) const;  // throws Error if the argument is not given

  edit::Shape shape() const;
  const edit::Turn& turn() const { return turn_; }

 private:
  void read();
  Word read_value(const Word& name, Arg arg);
  bool is_of_shape(const Word& name) const;
  void read_shape(const Word& in);
  void read_turn(Arg arg);
  void read_noise(edit::Shape& shape) const;
  const Word& need(const ArgumentSet& set, Arg arg) const;
  [[noreturn]] void fail_unknown(const Word& name) const;

  LineReader& line_;
  const ValueReader& values_;
  std::string title_;
  ArgumentSet own_, of_shape_;
  edit::ShapeKind kind_;
  edit::Turn turn_;
};

// Returns the kind of shape that a word names ("sphere" and so on), and nothing for other words.
std::optional<edit::ShapeKind> shape_kind(std::string_view name);

}  // namespace vox
