// Values between voxels, by trilinear interpolation, through any accessor (jit/loops.h).
//
// Positions are in voxels. A value belongs to the centre of its voxel; a position outside of the volume has
// the value of the nearest voxel. Everything is computed in single floats with one rounding per operation.
// The result is the same on every device and with all bricks. Between values from `low` to `high`, none
// larger than m, it is off by at most
//   3.001 · 2^-24 · (2 (high - low) + m).
// A position below 2^23 voxels is exact.
#pragma once

#include "libvox/base/vec.h"
#include "libvox/volume/value_bits.h"

namespace vox::bricks {

// The eight values around a position.
struct ValueCell {
  float values[8];       // x fastest
  Vec3<float> from_low;  // the position relative to the first value, in voxels: 0 to 1

  VOX_HD float value() const { return along_z(along_y(0), along_y(1)); }

  // Returns the value of the voxel that contains the position.
  VOX_HD float nearest() const {
    const uint32_t x = from_low.x < 0.5f ? 0 : 1, y = from_low.y < 0.5f ? 0 : 2,
                   z = from_low.z < 0.5f ? 0 : 4;
    return values[x + y + z];
  }

  // Returns how much the value grows from voxel to voxel along each axis, or 0 where the volume ends.
  VOX_HD Vec3<float> gradient() const {
    const float dx = along_z(mix(step_x(0), step_x(1), from_low.y), mix(step_x(2), step_x(3), from_low.y));
    const float dy = along_z(along_x(1) - along_x(0), along_x(3) - along_x(2));
    return {dx, dy, along_y(1) - along_y(0)};
  }

 private:
  VOX_HD static float mix(float a, float b, float share) { return a + (b - a) * share; }
  VOX_HD float step_x(uint32_t row) const { return values[2 * row + 1] - values[2 * row]; }
  VOX_HD float along_x(uint32_t row) const { return mix(values[2 * row], values[2 * row + 1], from_low.x); }
  VOX_HD float along_y(uint32_t layer) const {
    return mix(along_x(2 * layer), along_x(2 * layer + 1), from_low.y);
  }
  VOX_HD float along_z(float low, float high) const { return mix(low, high, from_low.z); }
};

// The meaning of the words of a volume.
struct ValueMeaning {
  Int3 size;               // 12 B, the volume's size
  volume::ValueType type;  // 4 B
  uint32_t background;     // 4 B, the bits of a voxel whose word is 0
};
static_assert(sizeof(ValueMeaning) == 20);

// The voxels between which a position lies along one axis.
struct VoxelPair {
  int32_t low, high;
  float from_low;

  VOX_HD VoxelPair(float at, int32_t size) {
    const float middle = at - 0.5f, last = static_cast<float>(size - 1);
    const float inside = !(middle > 0) ? 0 : middle < last ? middle : last;
    low = static_cast<int32_t>(inside);
    high = middle > 0 && low + 1 < size ? low + 1 : low;  // at both ends the same voxel twice: no growth
    from_low = inside - static_cast<float>(low);
  }
};

template <class Access, class T>
struct Interpolator {
  const Access& access;
  ValueMeaning meaning;

  VOX_HD float operator()(Vec3<float> at) const { return cell(at).value(); }

  VOX_HD ValueCell cell(Vec3<float> at) const {
    const VoxelPair x(at.x, meaning.size.x), y(at.y, meaning.size.y), z(at.z, meaning.size.z);
    return {{value({x.low, y.low, z.low}), value({x.high, y.low, z.low}), value({x.low, y.high, z.low}),
             value({x.high, y.high, z.low}), value({x.low, y.low, z.high}), value({x.high, y.low, z.high}),
             value({x.low, y.high, z.high}), value({x.high, y.high, z.high})},
            {x.from_low, y.from_low, z.from_low}};
  }

 private:
  VOX_HD float value(Int3 voxel) const {
    // The compiler knows the type from T, except for words of two bytes.
    const volume::ValueType type = sizeof(T) == 1   ? volume::ValueType::U8
                                   : sizeof(T) == 4 ? volume::ValueType::F32
                                                    : meaning.type;
    return volume::value_float(type, access.template get<T>(voxel) ^ meaning.background);
  }
};

}  // namespace vox::bricks
