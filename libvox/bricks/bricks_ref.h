// Access to bricks, wherever they lie.
#pragma once

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/types.h"

namespace vox {

struct BricksRef {
  Int3 size, grid;
  BrickShape shape;
  uint32_t entry_words;
  const uint32_t* root;
  const uint32_t* data[kBrickTypeCount];

  struct Entry {
    uint32_t type;
    uint64_t place;
  };

  VOX_HD Entry entry(uint64_t brick) const {
    uint64_t bits = root[brick * entry_words];
    if (entry_words == 2) bits |= uint64_t{root[2 * brick + 1]} << 32;
    return {static_cast<uint32_t>(bits & ((1u << kRootTypeBits) - 1)), bits >> kRootTypeBits};
  }

  VOX_HD uint64_t brick_of(Int3 voxel) const {
    const uint32_t shift = shape.log2_side;
    return (static_cast<uint64_t>(voxel.z >> shift) * static_cast<uint64_t>(grid.y) +
            static_cast<uint64_t>(voxel.y >> shift)) *
               static_cast<uint64_t>(grid.x) +
           static_cast<uint64_t>(voxel.x >> shift);
  }

  VOX_HD Int3 inside(Int3 voxel) const {
    const int32_t mask = static_cast<int32_t>(shape.side()) - 1;
    return {voxel.x & mask, voxel.y & mask, voxel.z & mask};
  }

  // The word of a voxel of the volume.
  template <class T>
  VOX_HD T get(Int3 voxel) const {
    const Entry at = entry(brick_of(voxel));
    T word = 0;
    BrickTypes::with(at.type, [&]<class Type>() {
      word = Type::template get<T>(data[at.type] + at.place, shape, inside(voxel));
    });
    return word;
  }

  // The words of `count` voxels of the same brick, from this one on along x.
  template <class T>
  VOX_HD void neighbours(Int3 voxel, uint32_t count, T* row) const {
    const Entry at = entry(brick_of(voxel));
    BrickTypes::with(at.type, [&]<class Type>() {
      Type::template neighbours<T>(data[at.type] + at.place, shape, inside(voxel), count, row);
    });
  }
};

inline BricksRef ref(const FrozenBricks& bricks) {
  BricksRef result = {.size = bricks.info.size,
                      .grid = bricks.grid(),
                      .shape = bricks.shape(),
                      .entry_words = bricks.entry_words,
                      .root = bricks.root.data(),
                      .data = {}};
  for (uint32_t type = 0; type < kBrickTypeCount; ++type) result.data[type] = bricks.data[type].data();
  return result;
}

// f.template operator()<T>() with the type that holds the words of these values.
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

}  // namespace vox
