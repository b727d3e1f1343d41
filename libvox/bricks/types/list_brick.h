// A list brick: the voxels that are not empty, in Morton order, found by binary search (Labschütz, §3.1.3):
//
//   4 B            number of voxels
//   1, 2 or 3 B    each: its Morton code in the brick, in bricks of 4³, up to 32³, and 64³; low byte first
//   one value      each voxel
//
// In the thesis, codes have six bytes, because they are Morton codes in the volume.
#pragma once

#include "libvox/bricks/brick.h"

namespace vox::bricks {

struct ListBrick {
  static constexpr const char* kName = "list";
  static constexpr bool kHoldsAll = true;

  template <class T>
  VOX_HD static uint32_t bytes(const BrickCounts& counts, BrickShape shape) {
    return round_up(values_at<T>(counts.voxels, shape) + counts.voxels * static_cast<uint32_t>(sizeof(T)),
                    sizeof(uint32_t));
  }

  template <class T>
  VOX_HD static void build(const BrickVoxels<T>& from, const BrickCounts& counts, BrickShape shape,
                           uint32_t* to) {
    to[0] = counts.voxels;
    uint8_t* codes = array_at<uint8_t>(to, sizeof(uint32_t));
    T* values = array_at<T>(to, values_at<T>(counts.voxels, shape));
    const uint32_t each = code_bytes(shape);
    from.each(shape, [&](uint32_t code, T word) {
      for (uint32_t byte = 0; byte < each; ++byte) *codes++ = static_cast<uint8_t>(code >> 8 * byte);
      *values++ = word;
    });
  }

  template <class T>
  VOX_HD static T get(const uint32_t* brick, BrickShape shape, Int3 v) {
    const uint32_t code = brick_code(v), count = brick[0];
    const uint32_t place = first_not_less(count, code, [&](uint32_t i) { return code_at(brick, shape, i); });
    if (place == count || code_at(brick, shape, place) != code) return 0;
    return array_at<T>(brick, values_at<T>(count, shape))[place];
  }

  template <class T>
  VOX_HD static void neighbours(const uint32_t* brick, BrickShape shape, Int3 at, uint32_t count, T* row) {
    neighbours_one_by_one<ListBrick>(brick, shape, at, count, row);
  }

  template <class T>
  static bool fits(const uint32_t* brick, uint64_t words, BrickShape shape) {
    return words >= 1 && brick[0] <= shape.voxels() &&
           words * sizeof(uint32_t) >= bytes<T>({.voxels = brick[0]}, shape);
  }

 private:
  VOX_HD static uint32_t code_bytes(BrickShape shape) { return (shape.code_bits() + 7) / 8; }

  template <class T>
  VOX_HD static uint32_t values_at(uint32_t count, BrickShape shape) {
    return round_up(static_cast<uint32_t>(sizeof(uint32_t)) + count * code_bytes(shape), sizeof(T));
  }

  VOX_HD static uint32_t code_at(const uint32_t* brick, BrickShape shape, uint32_t i) {
    const uint32_t each = code_bytes(shape);
    const uint8_t* bytes = array_at<uint8_t>(brick, sizeof(uint32_t)) + i * each;
    if (each == 1) return bytes[0];
    if (each == 2) return *reinterpret_cast<const uint16_t*>(bytes);
    return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16;
  }
};

}  // namespace vox::bricks
