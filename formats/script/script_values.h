// Reads the words of an edit script as places, lengths and numbers, exact to 1/256 voxel.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/script/script_text.h"
#include "libvox/base/vec.h"
#include "libvox/edit/edit.h"

namespace vox {

// The place of a scene's voxels in the world. `materials` is true if the scene has any.
struct SceneFrame {
  Vec3d origin = {0, 0, 0};  // the corner of voxel (0, 0, 0)
  double voxel_size = 1;     // world units
  bool materials = true;
};

enum class ScriptUnits : uint8_t { Voxels, Scene };

enum class NumberKind : uint8_t { Number, NoNumber, NotFinite, TooLarge };

// A decimal number rounded to 1/256, halves away from zero, with a magnitude below 2^31. Digits after the
// ninth decimal never decide the rounding, because the midpoint of two multiples of 1/256 has nine decimals.
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

// Reads the values of one line. Every function throws Error with the column if the word is not such a value.
class ValueReader {
 public:
  ValueReader(const LineReader& line, ScriptUnits units, const SceneFrame& frame)
      : line_(line), units_(units), frame_(frame) {}

  edit::EditPlace place(const Word& word) const;   // x,y,z
  Int3 voxel(const Word& word) const;              // x,y,z, whole; rounded in scene units
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
  uint8_t axis(const Word& word) const;
  uint64_t whole(const Word& word, uint64_t least, uint64_t most) const;
  double share(const Word& word) const;         // "20%" or 0.2
  double milliseconds(const Word& word) const;  // "2ms", "500us", "0.1s"

 private:
  struct Components {
    Word parts[3];
  };
  Components components(const Word& word) const;
  void check(const Word& word, NumberKind kind) const;
  Fixed number(const Word& word, double origin) const;
  int64_t coordinate(const Word& word, double origin) const;
  int32_t whole_coordinate(const Word& word, double origin) const;

  const LineReader& line_;
  ScriptUnits units_;
  const SceneFrame& frame_;
};

}  // namespace vox
