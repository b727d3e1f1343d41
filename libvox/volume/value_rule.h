// Decides which values of a volume are empty, and turns values into words of which 0 is empty.
//
// The background is the value of an empty voxel: 0 or, if there are negative values, the lowest value (such
// as that of air in computed tomography, -1024). Values below the threshold become background. A word holds
// the value's bits xor those of the background, so that words and values convert into one another exactly, in
// every type.
#pragma once

#include <limits>
#include <optional>

#include "libvox/volume/value_type.h"
#include "libvox/volume/volume.h"

namespace vox::volume {

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

// Reads the whole volume. Throws Error that names the first voxel that is not finite.
ValueRange value_range(const Volume& volume);

// Reads the whole volume if the rule depends on its values, or if they may not be finite.
ValueRule value_rule(const Volume& volume, const ThresholdOptions& options);

// Returns the volume with the background in the voxels that the rule makes empty. Bricks of the volume read
// back the same values.
Volume with_rule(Volume volume, const ValueRule& rule);

}  // namespace vox::volume
