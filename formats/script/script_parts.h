// The parts of readers of scripts: text and words, values, named arguments, and the builder of a script.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/script.h"

namespace vox {

// Reads a whole script. Throws Error if the file does not exist, is empty, is not text, or is larger than 1
// GiB.
std::string read_script_text(const std::filesystem::path& path);

// Throws Error that names the line of the first byte that text cannot contain.
void check_is_text(std::string_view text, const std::filesystem::path& path);

struct Word {
  const char* at = nullptr;  // in the script
  std::string_view text;     // without the quotes around it
};

// Reads the words of one line of a zero-terminated text. Words are separated by blanks or enclosed in double
// quotes; '#' begins a comment. Errors name the file, the line and the column.
class LineReader {
 public:
  LineReader(const std::filesystem::path& path, const char* line, uint32_t number)
      : path_(&path), line_(line), p_(line), number_(number) {}

  std::optional<Word> next();
  std::optional<Word> peek() const { return LineReader(*this).next(); }
  std::optional<Word> rest();                       // all words up to the end, with comments and quotes
  Word need(std::string_view expected);             // the next word; throws Error if there is none
  Word need_with_marks(std::string_view expected);  // the same, but '#' may be part of it, as in a color
  void need_end();                                  // throws Error if there is another word

  uint32_t number() const { return number_; }
  const char* position() const { return p_; }  // the position after the last word that was read

  // Throws Error with the file, the line and the column of the word.
  [[noreturn]] void fail(const Word& word, const std::string& problem, const std::string& hint = "") const;
  [[noreturn]] void fail_at_end(const std::string& problem, const std::string& hint = "") const;

 private:
  Word quoted_word(const char* at);
  [[noreturn]] void fail(const char* at, const std::string& problem, const std::string& hint) const;

  const std::filesystem::path* path_;
  const char* line_;
  const char* p_;
  uint32_t number_;
};

// Calls read_line() for each line of a text, which may begin with a byte order mark.
void for_each_line(const std::string& text, const std::filesystem::path& path,
                   const std::function<void(LineReader&)>& read_line);

// Returns the cells of a line that are separated by commas, without the blanks around them.
std::vector<Word> cells_of(const Word& line);

// The hint for commands that cannot edit a scene with 24-bit colors.
inline constexpr const char* kPaletteHint =
    "a scene of materials takes every command: vox-convert makes one with 'palette' as its option materials";

// Returns the text in single quotes, shortened if it is long, for messages.
std::string in_quotes(std::string_view text);

// Edit scripts state places, lengths and numbers exactly to 1/256 voxel.

enum class EditsOf : uint8_t { Scene, Volume };

// The place of a scene's or a volume's voxels in the world. `materials` is true if the scene has any.
struct SceneFrame {
  Vec3d origin = {0, 0, 0};  // the corner of voxel (0, 0, 0)
  VoxelSize voxel_size = 1;  // world units
  bool materials = true;
  EditsOf edits = EditsOf::Scene;
  bool colors = false;  // the scene has 24-bit colors, and edits name colors where others name materials
};

enum class ScriptUnits : uint8_t { Voxels, Scene };

enum class NumberKind : uint8_t { Number, NoNumber, NotFinite, TooLarge };

// A decimal number rounded to 1/256, halves away from zero, with a magnitude below 2^31. Digits after the ninth
// decimal do not influence the rounding, because the midpoint of two multiples of 1/256 has nine decimals.
struct Fixed {
  NumberKind kind = NumberKind::NoNumber;
  int64_t units = 0;
  bool whole = false;  // true if it is written as a whole number
};
Fixed parse_fixed(std::string_view text);

// Reads a whole number from 0 to 2^64 - 1, such as 1000000 or 1e6.
std::optional<uint64_t> parse_whole(std::string_view text);

// Returns the nearest double, which may be infinite, and nothing if the text is not a decimal number.
std::optional<double> parse_decimal(std::string_view text);

// Returns the parts of a text between commas, and nothing if their number differs.
template <size_t kParts>
std::optional<std::array<std::string_view, kParts>> split_at_commas(std::string_view text) {
  std::array<std::string_view, kParts> parts;
  for (size_t i = 0; i < kParts; ++i) {
    const size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == kParts)) return std::nullopt;
    parts[i] = text.substr(0, comma);
    if (i + 1 < kParts) text.remove_prefix(comma + 1);
  }
  return parts;
}

// Reads a color, #rrggbb.
std::optional<scene::Rgb8> parse_hex_color(std::string_view text);

// Reads the values of one line. Every function throws Error with the column if the word is not such a value.
class ValueReader {
 public:
  ValueReader(const LineReader& line, ScriptUnits units, const SceneFrame& frame)
      : line_(line), units_(units), frame_(frame) {}

  edit::EditPlace place(const Word& word) const;   // x,y,z
  Int3 voxel(const Word& word) const;              // x,y,z as whole numbers; rounded in scene units
  edit::EditPlace offset(const Word& word) const;  // x,y,z, without the scene's origin
  edit::EditPlace radii(const Word& word) const;   // x,y,z, not negative
  edit::EditPlace reach(const Word& word) const;   // x,y,z or one number for all axes, not negative
  int64_t length(const Word& word) const;          // not negative
  uint32_t grain(const Word& word) const;          // a length in whole voxels, at least 1

  [[noreturn]] void fail_no_place(const Word& word) const;

  // Throws Error at `word`, the larger corner, if it is below the smaller one on an axis, and names that
  // axis.
  void check_order(const Word& word, edit::EditPlace min, edit::EditPlace max) const;

  uint8_t material(const Word& word) const;
  scene::Rgb8 color(const Word& word) const;  // #rrggbb
  bool takes_colors() const { return frame_.colors; }
  uint8_t axis(const Word& word) const;
  uint64_t whole(const Word& word, uint64_t least, uint64_t most) const;
  double number(const Word& word) const;        // any finite number
  double share(const Word& word) const;         // "20%" or 0.2
  double milliseconds(const Word& word) const;  // "2ms", "500us", "0.1s"

 private:
  std::array<Word, 3> components(const Word& word) const;
  void check(const Word& word, NumberKind kind) const;
  Fixed fixed_number(const Word& word, double origin) const;
  int64_t coordinate(const Word& word, double origin) const;
  int32_t whole_coordinate(const Word& word, double origin) const;

  const LineReader& line_;
  ScriptUnits units_;
  const SceneFrame& frame_;
};

// A command of an edit script has named arguments, in any order.

// clang-format off
enum class Arg : uint8_t {
  // arguments of shapes
  Center, Radius, Radii, Min, Max, From, To, Noise, Grain, NoiseSeed,
  // arguments of commands
  Material, With, At, FillSeed, Limit, Steps, In, Rotate, Mirror, SkipEmpty, KeepFilled, Reach, Mask,
  Step, Jitter, JitterSeed, Every, Threshold, Never, Budget,
  Count,
};
// clang-format on

// A set of arguments, such as those that a command or a shape allows.
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

// Reads the arguments of a line. If the shape after `in` and the command both have an argument of the same
// name, the first one in the line belongs to the shape and the second to the command. `seed` is an exception:
// with commas it is always the place where a fill begins, without commas the seed of the shape's noise.
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

inline constexpr std::string_view kShapeNames[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
// Returns the kind of shape that a word names, and nothing for other words.
std::optional<edit::ShapeKind> shape_kind(std::string_view name);

// ScriptBuilder walks through the lines of a script and collects their commands in a Script, within
// the limits on scripts.

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
  // Returns the material that stands for a color (edit::Script::colors).
  uint8_t color_number(const LineReader& line, const Word& word, scene::Rgb8 color);

 private:
  // An open repetition: the offsets by which it and the repetitions around it move a command, and the
  // number of runs of each command.
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
  template <class AnyEdit>
  void check_places(const LineReader& line, const Word& word, const AnyEdit& edit) const;

  const edit::OnScriptError& on_error_;
  edit::Script script_;
  std::vector<Open> open_;
  std::unordered_map<std::string, uint32_t> scene_numbers_;
};

}  // namespace vox
