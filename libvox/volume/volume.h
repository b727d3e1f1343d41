// A volume: a dense grid of values, which is read box by box, so that it may be larger than memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "libvox/base/geometry.h"
#include "libvox/base/vec.h"
#include "libvox/volume/value_bits.h"

namespace vox::volume {

// The types of the values in the voxels of a volume.

inline constexpr std::array<std::string_view, 4> kValueTypeNames = {"u8", "u16", "i16", "f32"};

constexpr std::string_view value_type_name(ValueType type) {
  return kValueTypeNames[static_cast<size_t>(type)];
}

// Calls f.template operator()<T>() with the type T of the words for these values.
template <class F>
auto with_word_type(ValueType type, const F& f) {
  switch (value_bytes(type)) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    default:
      return f.template operator()<uint32_t>();
  }
}

// Reads one of the names above; formats/volume/stored_volume.h also knows the names of other programs.
std::optional<ValueType> parse_value_type(std::string_view name);

inline constexpr int64_t kMaxVolumeSide = 1 << 20;

struct VolumeInfo {
  Int3 size = {0, 0, 0};  // in voxels
  ValueType type = ValueType::U8;
  Vec3d spacing = {1, 1, 1};  // world units from voxel to voxel; not 0, negative if an axis runs backwards
  Vec3d origin = {0, 0, 0};   // world position of the corner of voxel (0, 0, 0)
  std::string source;         // the file, for error messages

  VoxelBox box() const { return {{0, 0, 0}, size}; }
  uint64_t bytes() const { return box().voxels() * value_bytes(type); }
};

struct Volume {
  VolumeInfo info;
  // Writes the values inside the box, x fastest, in the machine's byte order. The box must lie inside the
  // volume. Several threads may call it.
  std::function<void(const VoxelBox&, std::byte*)> read;
  // True if all values inside the box are known to be 0, without reading them. Volumes that cannot tell leave it out.
  std::function<bool(const VoxelBox&)> is_zero = {};
};

// Throws an Error unless every side is 1 to kMaxVolumeSide.
Int3 checked_volume_size(int64_t x, int64_t y, int64_t z);

// Decides which values of a volume are empty, and turns values into words of which 0 is empty.
//
// The background is the value of an empty voxel: 0 or, if there are negative values, the lowest value (such
// as that of air in computed tomography, -1024). Values below the threshold become background. A word holds
// the value's bits xor those of the background, so that words and values convert into one another exactly, in
// every type.
struct ValueRule {
  ValueType type = ValueType::U8;
  uint32_t background = 0;                                    // as bits
  float threshold = -std::numeric_limits<float>::infinity();  // a float holds a value of any type

  VOX_HD uint32_t word(uint32_t bits) const {
    if (type == ValueType::F32 && bits == 0x80000000u) bits = 0;  // -0 is 0
    if (value_float(type, bits) < threshold) return 0;
    return bits ^ background;
  }
  VOX_HD uint32_t bits(uint32_t word) const { return word ^ background; }
};

struct ThresholdOptions {
  std::optional<double> share;  // a share of the way from the lowest to the highest value, 0 to 1
  std::optional<double> raw;    // the threshold as a value
};

struct ValueRange {
  double low = 0, high = 0;
};

// Reads the whole volume. Throws an Error that names the first voxel that is not finite.
ValueRange value_range(const Volume& volume);

// Reads the whole volume if the rule depends on its values, or if they may not be finite.
ValueRule value_rule(const Volume& volume, const ThresholdOptions& options);

// Returns the volume with the background in the voxels that the rule makes empty. Bricks of the volume read
// back the same values.
Volume with_rule(Volume volume, const ValueRule& rule);

// Cuts a box into pieces that follow one another in the box's order, x fastest. Each piece consists of
// several layers, of several rows of one layer, or of a part of one row.
class Pieces {
 public:
  // Pieces have at most `most` voxels, and at least 1.
  Pieces(const VoxelBox& region, uint64_t most) : region_(region) {
    const Int3 size = region.size();
    const auto fits = [&](uint64_t unit, int32_t side) {
      return static_cast<int32_t>(std::clamp<uint64_t>(most / unit, 1, uint64_t(side)));
    };
    const auto row = static_cast<uint64_t>(size.x);
    piece_ = {fits(1, size.x), fits(row, size.y), fits(row * uint64_t(size.y), size.z)};
    const auto count = [](int32_t side, int32_t each) { return (side + each - 1) / each; };
    counts_ = {count(size.x, piece_.x), count(size.y, piece_.y), count(size.z, piece_.z)};
  }

  uint64_t count() const { return VoxelBox{{0, 0, 0}, counts_}.voxels(); }

  VoxelBox operator[](uint64_t i) const {
    const auto columns = static_cast<uint64_t>(counts_.x), rows = static_cast<uint64_t>(counts_.y);
    const Int3 at = {static_cast<int32_t>(i % columns), static_cast<int32_t>(i / columns % rows),
                     static_cast<int32_t>(i / columns / rows)};
    const Int3 corner = region_.min + Int3{at.x * piece_.x, at.y * piece_.y, at.z * piece_.z};
    return intersection({corner, corner + piece_}, region_);
  }

 private:
  VoxelBox region_;
  Int3 piece_, counts_;
};

// Returns the volume at half the resolution, with the means of 2³ voxels, or of those that lie in the volume. Means of
// whole numbers are rounded to the nearest, halves up; means of f32 are computed in double precision.
Volume coarser_volume(Volume fine);

inline constexpr uint64_t kReadVoxels = 4
                                        << 20;  // voxels of a piece for read_pieces(), enough for all threads

// Calls f(box, values) for the pieces of a volume in their order. Throws Cancelled if the user
// interrupts the program.
void read_pieces(const Volume& volume, uint64_t most_voxels,
                 const std::function<void(const VoxelBox&, const std::byte*)>& f);

// bits_at() returns the bits and voxel_at() the place of the i-th voxel of a box, x fastest.
inline uint32_t bits_at(ValueType type, const std::byte* values, uint64_t i) {
  const uint32_t bytes = value_bytes(type);
  uint32_t bits = 0;
  std::memcpy(&bits, values + i * bytes, bytes);
  return bits;
}
inline Int3 voxel_at(const VoxelBox& box, uint64_t i) {
  const auto row = static_cast<uint64_t>(box.size().x), rows = static_cast<uint64_t>(box.size().y);
  return box.min + Int3{static_cast<int32_t>(i % row), static_cast<int32_t>(i / row % rows),
                        static_cast<int32_t>(i / row / rows)};
}

// Throws an Error that names the first voxel, x fastest, whose value is not the expected one, or says that size
// or type differ. `name` and `expected_name` are names for the two volumes, such as "the bricks". Reads both
// piece by piece.
void check_same_values(const Volume& volume, std::string_view name, const Volume& expected,
                       std::string_view expected_name, uint64_t piece_voxels = kReadVoxels);

}  // namespace vox::volume
