// Bodies of the loops that make bricks. Each call works on one block or one brick.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libvox/base/morton.h"
#include "libvox/bricks/brick.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/device/pool.h"
#include "libvox/volume/volume.h"

namespace vox::bricks {

// Arranges the voxels of a piece as bricks, one after the other and each in Morton order. Voxels outside the
// piece are empty. One call arranges one block of 4³ voxels.
template <class T>
struct ArrangeBlock {
  const T* values;  // x fastest
  Int3 size;        // the piece's size
  Int3 grid;        // in bricks
  BrickShape shape;
  volume::ValueRule rule;
  T* words;
  uint64_t* masks;

  VOX_HD void operator()(uint64_t i) const {
    const Int3 at = cell_place(grid, i / shape.blocks());
    const Int3 corner =
        at * static_cast<int32_t>(shape.side()) + brick_voxel(static_cast<uint32_t>(i % shape.blocks()) << 6);
    const bool whole = corner.x + 4 <= size.x && corner.y + 4 <= size.y && corner.z + 4 <= size.z;
    masks[i] = whole ? arrange(corner, {4, 4, 4}, words + (i << 6))
                     : arrange(corner, size - corner, words + (i << 6));
  }

  // Arranges the block at `corner`. The first `left` voxels along each axis lie inside the piece. Returns a
  // mask of the voxels that are not empty.
  VOX_HD uint64_t arrange(Int3 corner, Int3 left, T* to) const {
    // This is a copy, because the compiler must assume that the bytes that are written might be part of this
    // body.
    const volume::ValueRule own_rule = rule;
    const T* from = values;
    uint64_t mask = 0;
    for (int32_t z = 0; z < 4; ++z)
      for (int32_t y = 0; y < 4; ++y) {
        const int64_t row = row_begin(corner, y, z);
        for (int32_t x = 0; x < 4; ++x) {
          const bool inside = x < left.x && y < left.y && z < left.z;
          const T word = inside ? static_cast<T>(own_rule.word(from[row + x])) : T{0};
          const uint32_t code = cube_bit({x, y, z});
          to[code] = word;
          mask |= uint64_t{word != 0} << code;
        }
      }
    return mask;
  }

  VOX_HD int64_t row_begin(Int3 corner, int32_t y, int32_t z) const {
    return (int64_t{corner.z + z} * size.y + corner.y + y) * size.x + corner.x;
  }
};

// Counts the voxels of a piece's bricks that lie inside the volume. The piece was arranged as bricks of
// shape `around`; smaller bricks, of shape `shape`, lie in Morton order inside each of these. If the
// sides of a volume are not multiples of a brick's side, the last bricks extend beyond it, and some of
// the smaller bricks lie completely outside.
struct PieceBricks {
  Int3 size;  // the piece's size, in voxels of the volume
  Int3 grid;  // in bricks of `around`
  BrickShape around, shape;

  // Returns the number of voxels of brick i that lie inside the volume.
  VOX_HD uint32_t voxels(uint64_t i) const {
    const uint32_t inside_bits = around.code_bits() - shape.code_bits();
    const Int3 at = cell_place(grid, i >> inside_bits);
    const auto code = static_cast<uint32_t>(i & ((uint64_t{1} << inside_bits) - 1)) << shape.code_bits();
    const Int3 corner = at * static_cast<int32_t>(around.side()) + brick_voxel(code);
    return along(size.x - corner.x) * along(size.y - corner.y) * along(size.z - corner.z);
  }

 private:
  VOX_HD uint32_t along(int32_t left) const {
    const auto side = static_cast<int32_t>(shape.side());
    return static_cast<uint32_t>(left < 0 ? 0 : left < side ? left : side);
  }
};

inline constexpr uint8_t kOutside = 0xff;  // the type of a brick outside of the volume

// Returns the voxels of brick i.
template <class T>
VOX_HD BrickVoxels<T> brick_voxels(const T* words, const uint64_t* masks, BrickShape shape, uint64_t i) {
  return {words + (i << shape.code_bits()), masks + (i << shape.code_bits() >> 6)};
}

template <class T>
struct CountBrick {
  const T* words;
  const uint64_t* masks;
  BrickShape shape;
  BrickCounts* counts;

  VOX_HD void operator()(uint64_t i) const {
    const BrickVoxels<T> brick = brick_voxels(words, masks, shape, i);
    BrickCounts result;
    uint32_t before = kNever;
    for (uint32_t block = 0; block < shape.blocks(); ++block) {
      const uint64_t mask = brick.masks[block];
      if (mask == 0) continue;
      ++result.blocks;
      result.voxels += static_cast<uint32_t>(popcount(mask));
      result.pairs += nonzero_bytes(mask);
      // A node begins where the code above it differs from that of the previous block.
      for (uint32_t shift = 0; shift <= shape.code_bits() - 6; shift += 3)
        result.inner += before == kNever || before >> shift != block >> shift ? 1 : 0;
      before = block;
    }
    result.values = result.voxels == 0 ? 1 : count_values(brick);
    counts[i] = result;
  }

  VOX_HD static uint32_t nonzero_bytes(uint64_t mask) {
    mask |= mask >> 4;
    mask |= mask >> 2;
    mask |= mask >> 1;
    return static_cast<uint32_t>(popcount(mask & 0x0101010101010101u));
  }

  VOX_HD uint32_t count_values(const BrickVoxels<T>& brick) const {
    ValueSet<T> set;
    bool is_full = true;
    for (uint32_t block = 0; block < shape.blocks(); ++block) {
      is_full = is_full && brick.masks[block] == UINT64_MAX;
      for (uint64_t mask = brick.masks[block]; mask != 0; mask &= mask - 1)
        if (!set.add(brick.words[block << 6 | static_cast<uint32_t>(lowest_bit(mask))]))
          return kMaxPalette + 1;
    }
    return is_full || set.add(0) ? set.size() : kMaxPalette + 1;
  }
};

// Chooses for each brick the allowed type that takes the least memory.
template <class T>
struct ChooseType {
  const BrickCounts* counts;
  PieceBricks places;
  BrickShape shape;
  uint32_t allowed;
  uint8_t* types;
  uint32_t* bytes;

  VOX_HD void operator()(uint64_t i) const {
    if (places.voxels(i) == 0) {
      types[i] = kOutside;
      bytes[i] = 0;
      return;
    }
    uint32_t best = kNever, chosen = 0;
    BrickTypes::each([&]<class Type>(uint32_t type) {
      if ((allowed >> type & 1) == 0) return;
      const uint32_t size = Type::template bytes<T>(counts[i], shape);
      if (size >= best) return;
      best = size;
      chosen = type;
    });
    types[i] = static_cast<uint8_t>(chosen);
    bytes[i] = best;
  }
};

struct IsType {
  const uint8_t* types;
  uint32_t type;
  VOX_HD bool operator()(uint64_t i) const { return types[i] == type; }
};

struct BytesOfType {
  const uint8_t* types;
  const uint32_t* bytes;
  uint32_t type;
  VOX_HD uint64_t operator()(uint64_t i) const { return types[i] == type ? bytes[i] : 0; }
};

struct VoxelsOfType {
  const uint8_t* types;
  PieceBricks places;
  uint32_t type;
  VOX_HD uint64_t operator()(uint64_t i) const { return types[i] == type ? places.voxels(i) : 0; }
};

struct FilledVoxels {
  const BrickCounts* counts;
  VOX_HD uint64_t operator()(uint64_t i) const { return counts[i].voxels; }
};

// The bytes of a brick in the layout of Labschütz, Table 5.1, with the list's offset of four bytes.
struct ThesisBytes {
  const BrickCounts* counts;
  BrickShape shape;
  uint32_t value_bytes;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const BrickCounts& count = counts[i];
    if (count.voxels == 0) return 0;
    const uint64_t dense = uint64_t{value_bytes} * shape.voxels();
    const uint64_t octree = 32ull * count.inner + 8ull * value_bytes * count.pairs;
    const uint64_t list = (6ull + value_bytes) * count.voxels + 4;
    const uint64_t sparse = octree < list ? octree : list;
    return dense < sparse ? dense : sparse;
  }
};

// The number of words of a brick, rounded up to whole units of 2^place_log2 words.
struct WordsOfChosen {
  const uint32_t* chosen;
  const uint32_t* bytes;
  uint32_t place_log2;
  VOX_HD uint64_t operator()(uint64_t i) const {
    const uint32_t words = bytes[chosen[i]] / sizeof(uint32_t), unit = 1u << place_log2;
    return (words + unit - 1) & ~(unit - 1);
  }
};

// Builds the chosen bricks, all of one type, and their entries of the root grid.
template <class T, class Type>
struct BuildBricks {
  const T* words;
  const uint64_t* masks;
  const BrickCounts* counts;
  BrickShape shape;
  const uint32_t* chosen;
  const uint64_t* places;  // the places of the chosen bricks, in words of `data`
  uint32_t type;
  uint64_t base;  // the number of words of this type that come before `data`
  uint32_t place_log2;
  uint32_t* data;
  uint64_t* entries;  // the entries of all bricks

  VOX_HD void operator()(uint64_t i) const {
    const uint32_t brick = chosen[i];
    Type::template build<T>(brick_voxels(words, masks, shape, brick), counts[brick], shape, data + places[i]);
    entries[brick] = (base + places[i]) >> place_log2 << kRootTypeBits | type;
  }
};

// Chooses a type for each of many bricks whose voxels lie in a device's memory, and writes the bricks of each type.

// The types and sizes of bricks.
struct BrickChoice {
  uint64_t count = 0;
  device::Buffer<BrickCounts> counts;
  device::Buffer<uint8_t> types;  // kOutside for bricks that are not to be written
  device::Buffer<uint32_t> bytes;
};

template <class Device, class T>
class BrickPacker {
 public:
  // Bricks begin at multiples of 2^place_log2 words. This is the unit of places in entries.
  BrickPacker(Device& device, uint32_t types, uint32_t place_log2 = 0)
      : device_(device), allowed_(types), place_log2_(place_log2) {}

  // Makes room for this many voxels: their words, brick by brick and in Morton order inside each, and a mask of filled
  // voxels for each block of 4³. The caller writes both before it calls choose().
  void make_room(uint64_t voxels) {
    if (words_.size() >= voxels) return;
    release();
    words_ = device_.template make<T>(voxels);
    masks_ = device_.template make<uint64_t>(voxels >> 6);
  }
  T* words() { return words_.data(); }
  uint64_t* masks() { return masks_.data(); }
  void release() {
    words_.reset();
    masks_.reset();
  }

  // Chooses for each brick the allowed type that takes the least memory.
  BrickChoice choose(uint64_t count, const PieceBricks& places) {
    const BrickShape shape = places.shape;
    BrickChoice choice = {count, device_.template make<BrickCounts>(count),
                          device_.template make<uint8_t>(count), device_.template make<uint32_t>(count)};
    device_.for_each({"bricks: count", static_cast<double>(shape.voxels() * sizeof(T))}, count,
                     CountBrick<T>{words_.data(), masks_.data(), shape, choice.counts.data()});
    device_.for_each({"bricks: choose types", 25}, count,
                     ChooseType<T>{choice.counts.data(), places, shape, allowed_, choice.types.data(),
                                   choice.bytes.data()});
    return choice;
  }

  // Builds the bricks and appends them to others in host memory, and their entries to `entries`.
  void append(const BrickChoice& choice, BrickShape shape, FrozenBricks& to, std::vector<uint64_t>& entries) {
    auto roots = device_.template make<uint64_t>(choice.count);
    device_.fill(roots.data(), choice.count, uint64_t{BrickTypes::kNumber<EmptyBrick>});
    write(choice, shape, roots.data(),
          [&](uint32_t type, uint64_t bricks, uint64_t words, const auto& write_to) {
            auto data = device_.template make<uint32_t>(words);
            device_.fill(data.data(), words, 0u);
            Words& all = to.data[type];
            write_to(data.data(), all.size());
            all.resize(all.size() + words);
            device_.download(all.data() + all.size() - words, data.data(), words);
            to.counts[type] += bricks;
          });
    entries.resize(entries.size() + choice.count);
    device_.download(entries.data() + entries.size() - choice.count, roots.data(), choice.count);
  }

  // Writes the bricks, type by type, and the entry of each to `entries`. For each type that occurs it calls place(type,
  // bricks, words, write). That function makes room for this many words, sets them to zero, and calls write(to, before)
  // with their place in the device's memory and the number of words of this type before them.
  template <class Place>
  void write(const BrickChoice& choice, BrickShape shape, uint64_t* entries, const Place& place) {
    auto chosen = device_.template make<uint32_t>(choice.count);
    auto places = device_.template make<uint64_t>(choice.count + 1);
    BrickTypes::each([&]<class Type>(uint32_t type) {
      const uint64_t count =
          device_.select("bricks: of a type", choice.count, IsType{choice.types.data(), type}, chosen.data());
      if (count == 0) return;
      const uint64_t words = device_.exclusive_scan(
          "bricks: places", count, WordsOfChosen{chosen.data(), choice.bytes.data(), place_log2_},
          places.data());
      static const std::string name = std::string("bricks: build ") + Type::kName;
      place(type, count, words, [&](uint32_t* to, uint64_t before) {
        device_.for_each(
            name.c_str(), count,
            BuildBricks<T, Type>{words_.data(), masks_.data(), choice.counts.data(), shape, chosen.data(),
                                 places.data(), type, before, place_log2_, to, entries});
      });
    });
  }

 private:
  Device& device_;
  uint32_t allowed_, place_log2_;
  device::Buffer<T> words_;
  device::Buffer<uint64_t> masks_;
};

}  // namespace vox::bricks
