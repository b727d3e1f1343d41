// The bodies of the loops that change the values of bricks. Each call works on one block of 4³ voxels.
#pragma once

#include "libvox/bricks/bricks_ref.h"
#include "libvox/bricks/jit/loops.h"
#include "libvox/device/atomics.h"
#include "libvox/edit/edit.h"
#include "libvox/edit/shape.h"
#include "libvox/edit/tool.h"
#include "libvox/volume/value_bits.h"
#include "libvox/volume/volume.h"

namespace vox::edit {

// Converts a number to the bits of a value.
VOX_HD inline uint32_t bits_of_number(volume::ValueType type, double number) {
  using volume::ValueType;
  if (type == ValueType::F32) {
    constexpr double kMost = 3.4028234663852886e38;  // the largest float
    const double inside = number > kMost ? kMost : number < -kMost ? -kMost : number;
    return bricks::word_of(static_cast<float>(inside));
  }
  const double least = type == ValueType::I16 ? -32768 : 0;
  const double most = type == ValueType::I16 ? 32767 : type == ValueType::U16 ? 65535 : 255;
  if (!(number > least)) number = least;
  if (number > most) number = most;
  const auto whole = static_cast<int32_t>(number < 0 ? number - 0.5 : number + 0.5);
  return static_cast<uint32_t>(whole) & (type == ValueType::U8 ? 0xff : 0xffff);
}

// The mask of an edit in the memory of the device: a byte for each voxel of a box of the volume, 0 where nothing changes.
struct MaskRef {
  const uint8_t* bytes;  // null: there is no mask
  VoxelBox box;

  VOX_HD bool has(Int3 v) const {
    return contains(box, v) && bytes[bricks::cell_index(box.max - box.min, v - box.min)] != 0;
  }
};

// The change of values by an edit.
template <class T>
struct ChangeValues {
  bricks::DenseRootRef old;
  volume::ValueRule rule;
  VolumeEdit edit;
  MaskRef mask;

  // Returns the voxels of the block at `corner` that the edit may change.
  VOX_HD uint64_t voxels(Int3 corner) const {
    uint64_t in = leaf_in(edit.shape, corner);
    if (mask.bytes == nullptr) return in;
    for (uint64_t left = in; left != 0; left &= left - 1) {
      const auto bit = static_cast<uint32_t>(lowest_bit(left));
      if (!mask.has(corner + cube_place(bit))) in &= ~(uint64_t{1} << bit);
    }
    return in;
  }

  VOX_HD T word(uint64_t, Int3 voxel, T word) const {
    const double value = volume::value_number(rule.type, rule.bits(word));
    switch (edit.op) {
      case VolumeOp::Set:
        return word_of(edit.amount);
      case VolumeOp::Add:
        return word_of(value + edit.amount);
      case VolumeOp::Scale:
        return word_of(value * edit.amount);
      case VolumeOp::Smooth:
        return word_of(mean_around(voxel));
      case VolumeOp::Threshold:
        return value < edit.amount ? T{0} : word;
    }
    return word;
  }

 private:
  VOX_HD T word_of(double number) const {
    return static_cast<T>(rule.word(bits_of_number(rule.type, number)));
  }

  VOX_HD double mean_around(Int3 voxel) const {
    const auto reach = static_cast<int32_t>(edit.reach);
    const bricks::FilterCube cube(voxel, reach, old.size);
    const Int3 size = cube.high - cube.low + Int3{1, 1, 1};
    double sum = 0;  // exact for whole numbers; the order of summands is the same everywhere
    bricks::for_each_around<T>(old, voxel, reach, old.size,
                               [&](T word) { sum += volume::value_number(rule.type, rule.bits(word)); });
    return sum / (static_cast<double>(size.x) * size.y * size.z);
  }
};

// Takes the values of another volume, which have been read brick by brick.
template <class T>
struct TakeValues {
  const T* values;  // whole bricks, x fastest in each
  bricks::BrickShape shape;
  volume::ValueRule rule;

  VOX_HD uint64_t voxels(Int3) const { return UINT64_MAX; }
  VOX_HD T word(uint64_t brick, Int3 voxel, T) const {
    const int32_t mask = static_cast<int32_t>(shape.side()) - 1;
    const uint32_t place = shape.row_major({voxel.x & mask, voxel.y & mask, voxel.z & mask});
    return static_cast<T>(rule.word(values[(brick << shape.code_bits()) + place]));
  }
};

// Writes the words of bricks after a change, and counts the voxels that differ.
template <class T, class Change>
struct ReviseBlock {
  bricks::DenseRootRef old;
  const uint64_t* chosen;  // the indices of the bricks in the root grid
  Change change;
  T* words;
  uint64_t* masks;
  uint32_t* changed;  // for each brick, the voxels whose word has changed
  uint32_t* filled;   // for each brick, the voxels that were filled before

  VOX_HD void operator()(uint64_t i) const {
    const bricks::BrickShape shape = old.shape;
    const uint64_t n = i / shape.blocks();
    const uint64_t brick = chosen[n];
    const Int3 inside = bricks::brick_voxel(static_cast<uint32_t>(i % shape.blocks()) << 6);
    const Int3 corner = bricks::cell_place(old.grid, brick) * static_cast<int32_t>(shape.side()) + inside;
    T block[64];
    read_old(old.entry(brick), inside, block);
    const uint64_t inside_volume = in_volume(corner);
    const uint64_t may_change = inside_volume == 0 ? 0 : inside_volume & change.voxels(corner);
    uint64_t before = 0, after = 0, different = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const T word = block[bit];
      T next = word;
      if ((may_change >> bit & 1) != 0) next = change.word(n, corner + cube_place(bit), word);
      before |= uint64_t{word != 0} << bit;
      after |= uint64_t{next != 0} << bit;
      different |= uint64_t{next != word} << bit;
      words[(i << 6) + bit] = next;
    }
    masks[i] = after;
    if (different != 0) device::atomic_add(changed + n, static_cast<uint32_t>(popcount(different)));
    if (before != 0) device::atomic_add(filled + n, static_cast<uint32_t>(popcount(before)));
  }

 private:
  // Reads the block at this place in its brick, in Morton order.
  VOX_HD void read_old(bricks::BricksRef::Entry entry, Int3 inside, T* block) const {
    bricks::BrickTypes::with(entry.type, [&]<class Type>() {
      const uint32_t* from = old.data[entry.type] + entry.place;
      for (int32_t z = 0; z < 4; ++z)
        for (int32_t y = 0; y < 4; ++y) {
          T row[4];
          Type::template neighbors<T>(from, old.shape, inside + Int3{0, y, z}, 4, row);
          for (int32_t x = 0; x < 4; ++x) block[cube_bit({x, y, z})] = row[x];
        }
    });
  }

  // Returns the voxels of the block that lie in the volume.
  VOX_HD uint64_t in_volume(Int3 corner) const {
    const Int3 left = old.size - corner;
    if (left.x >= 4 && left.y >= 4 && left.z >= 4) return UINT64_MAX;
    uint64_t mask = 0;
    for (uint32_t bit = 0; bit < 64; ++bit) {
      const Int3 at = cube_place(bit);
      if (at.x < left.x && at.y < left.y && at.z < left.z) mask |= uint64_t{1} << bit;
    }
    return mask;
  }
};

// Removes bricks from a choice if nothing in them has changed.
struct LeaveUnchanged {
  const uint32_t* changed;
  uint8_t* types;

  VOX_HD void operator()(uint64_t i) const {
    if (changed[i] == 0) types[i] = bricks::kOutside;
  }
};

// A box of bricks in the root grid.
struct BrickBox {
  Int3 min, size, grid;

  VOX_HD Int3 place(uint64_t i) const { return min + bricks::cell_place(size, i); }
};

// True for the bricks of a box that meet a shape.
struct MeetsShape {
  Shape shape;
  BrickBox box;
  int32_t side;

  VOX_HD bool operator()(uint64_t i) const {
    return where_is(shape, {box.place(i) * side, 0, side}) != Where::Outside;
  }
};

// Sets the indices in the root grid of bricks that were chosen from a box.
struct SetIndices {
  const uint32_t* chosen;
  BrickBox box;
  uint64_t* indices;

  VOX_HD void operator()(uint64_t i) const {
    indices[i] = bricks::cell_index(box.grid, box.place(chosen[i]));
  }
};

// Sets entries of the root grid, which have two words.
struct SetEntries {
  const uint64_t* indices;
  const uint64_t* entries;
  uint32_t* root;

  VOX_HD void operator()(uint64_t i) const {
    root[2 * indices[i]] = static_cast<uint32_t>(entries[i]);
    root[2 * indices[i] + 1] = static_cast<uint32_t>(entries[i] >> 32);
  }
};

}  // namespace vox::edit
