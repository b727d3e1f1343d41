// Sets of keys to measure tables of voxel keys with. They are made on the device; what is stored of them, and
// with which value, is known without a table.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/hash/keyed/cell.h"
#include "libvox/hash/keyed/key_layout.h"
#include "libvox/measure/key_shapes.h"

namespace vox::measure {

// One to one on numbers of so many bits, 2 or more: different numbers give different keys, which look random.
VOX_HD inline uint64_t mixed_number(uint64_t number, uint32_t bits) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint32_t shift = bits / 2;
  number &= mask;
  number = (number ^ number >> shift) * 0xff51afd7ed558ccd & mask;
  number = (number ^ number >> shift) * 0xc4ceb9fe1a85ec53 & mask;
  return number ^ number >> shift;
}

template <hash::CellWord Cell>
struct KeySet {
  uint64_t keys = 0;
  device::Buffer<Cell> cells, ordered_cells;  // of the same keys: in random order, and in that of the walk
  device::Buffer<Cell> absent;                // keys that are not stored
  // All keys where the set's shape is, stored or not, in an order in which neighbours follow each other; a
  // set without a shape has none.
  device::Buffer<Cell> walk;
  device::Buffer<uint32_t> walk_values;  // kNoValue where a key is not stored
};

namespace keys {

VOX_HD inline uint64_t low_bits(uint64_t word, uint32_t bits) {
  return word & ((uint64_t{1} << bits) - 1);
}

// --- bodies of loops ---

// Keys of successive numbers.
template <hash::CellWord Cell>
struct WriteRandomCells {
  hash::CellFormat<Cell> format;
  uint32_t key_bits;
  uint64_t first;
  Cell* cells;
  VOX_HD void operator()(uint64_t i) const {
    const uint64_t key = mixed_number(first + i, key_bits);
    cells[i] = format.cell(static_cast<Cell>(key),
                           static_cast<uint32_t>(low_bits(mix64(key + 7), format.value_bits)));
  }
};

template <hash::CellWord Cell>
struct TakeKeys {
  hash::CellFormat<Cell> format;
  Cell* cells;
  VOX_HD void operator()(uint64_t i) const { cells[i] = format.key(cells[i]); }
};

struct WriteShuffle {
  uint32_t* order;
  VOX_HD void operator()(uint64_t i) const { order[i] = static_cast<uint32_t>(mix64(i + 1) >> 32); }
};

// The numbers of places in the order of the walk.
template <class Shape>
struct WritePlaces {
  Shape shape;
  hash::KeyGrid walk;
  uint64_t* places;
  VOX_HD void operator()(uint64_t i) const { places[i] = walk.key(shape.place(i)); }
};

template <class Shape, hash::CellWord Cell>
struct WriteWalk {
  Shape shape;
  hash::KeyGrid walk, grid;
  uint32_t value_bits;
  const uint64_t* places;
  Cell* keys;
  uint32_t* values;
  VOX_HD void operator()(uint64_t i) const {
    const Int3 place = walk.place(places[i]);
    keys[i] = static_cast<Cell>(grid.key(place));
    values[i] = shape.is_filled(place) ? static_cast<uint32_t>(low_bits(shape.value(place), value_bits))
                                       : hash::kNoValue;
  }
};

struct IsStoredKey {
  const uint32_t* values;
  VOX_HD bool operator()(uint64_t i) const { return values[i] != hash::kNoValue; }
};
struct IsAbsentKey {
  const uint32_t* values;
  VOX_HD bool operator()(uint64_t i) const { return values[i] == hash::kNoValue; }
};

template <hash::CellWord Cell>
struct TakeWalkCells {
  hash::CellFormat<Cell> format;
  const Cell* walk;
  const uint32_t* values;
  const uint32_t* chosen;
  Cell* cells;
  VOX_HD void operator()(uint64_t i) const { cells[i] = format.cell(walk[chosen[i]], values[chosen[i]]); }
};

// --- parts of a set ---

template <class Device, hash::CellWord Cell>
device::Buffer<Cell> copied(Device& device, const device::Buffer<Cell>& from) {
  auto to = device.template make<Cell>(from.size());
  device.copy(to.data(), from.data(), from.size());
  return to;
}

// The same cells in random order.
template <class Device, hash::CellWord Cell>
device::Buffer<Cell> shuffled(Device& device, const device::Buffer<Cell>& cells) {
  auto to = copied(device, cells);
  auto order = device.template make<uint32_t>(cells.size());
  device.for_each("shuffle keys", cells.size(), WriteShuffle{order.data()});
  device.sort_pairs("shuffle keys", order, to, cells.size(), 32);
  return to;
}

inline void check_bits(uint32_t needed, uint32_t key_bits) {
  if (needed > key_bits)
    throw Error("the keys of the set have " + std::to_string(needed) + " bits, more than " +
                std::to_string(key_bits));
}

}  // namespace keys

// A set of `count` random keys of so many bits, and of as many that are not stored as `absent` says.
template <hash::CellWord Cell, class Device>
KeySet<Cell> make_random_keys(Device& device, hash::CellFormat<Cell> format, uint32_t key_bits,
                              uint64_t count, uint64_t absent) {
  if (key_bits < 64 && count + absent > uint64_t{1} << key_bits)
    throw Error(format_count(count) + " keys that are stored and " + format_count(absent) +
                " that are not do not fit " + std::to_string(key_bits) + " bits");
  KeySet<Cell> set;
  set.keys = count;
  set.cells = device.template make<Cell>(count);
  device.for_each("write keys", count, keys::WriteRandomCells<Cell>{format, key_bits, 0, set.cells.data()});
  set.ordered_cells = keys::copied(device, set.cells);
  device.sort_keys("sort keys", set.ordered_cells, count, format.kBits);
  set.absent = device.template make<Cell>(absent);
  device.for_each("write keys", absent,
                  keys::WriteRandomCells<Cell>{format, key_bits, count, set.absent.data()});
  device.for_each("take keys", absent, keys::TakeKeys<Cell>{format, set.absent.data()});
  return set;
}

// The set of a shape. The walk goes along the rows of a row-major layout, else along the Morton curve: where
// keys are of reversed bits, so that neighbours' keys are far apart.
template <hash::CellWord Cell, class Device, class Shape>
KeySet<Cell> make_shape_keys(Device& device, hash::CellFormat<Cell> format, uint32_t key_bits,
                             const Shape& shape, hash::KeyLayout layout) {
  using hash::KeyLayout;
  const uint64_t n = shape.candidates();
  // Places are selected by numbers of 32 bits.
  if (n > UINT32_MAX) throw Error("a set of keys has fewer than 2^32 places, not " + format_count(n));
  const hash::KeyGrid grid(layout, shape.size());
  const hash::KeyGrid walk(layout == KeyLayout::RowMajor ? layout : KeyLayout::Morton, shape.size());
  keys::check_bits(grid.key_bits(), key_bits);
  auto places = device.template make<uint64_t>(n);
  device.for_each("write places", n, keys::WritePlaces<Shape>{shape, walk, places.data()});
  device.sort_keys("sort places", places, n, walk.key_bits());
  KeySet<Cell> set;
  set.walk = device.template make<Cell>(n);
  set.walk_values = device.template make<uint32_t>(n);
  device.for_each("write walk", n,
                  keys::WriteWalk<Shape, Cell>{shape, walk, grid, format.value_bits, places.data(),
                                               set.walk.data(), set.walk_values.data()});
  places.reset();
  auto chosen = device.template make<uint32_t>(n);
  set.keys = device.select("select keys", n, keys::IsStoredKey{set.walk_values.data()}, chosen.data());
  set.ordered_cells = device.template make<Cell>(set.keys);
  device.for_each("take cells", set.keys,
                  keys::TakeWalkCells<Cell>{format, set.walk.data(), set.walk_values.data(), chosen.data(),
                                            set.ordered_cells.data()});
  set.absent = device.template make<Cell>(n - set.keys);
  device.select("select keys", n, keys::IsAbsentKey{set.walk_values.data()}, chosen.data());
  device.for_each("take keys", n - set.keys,
                  device::TakeChosen<Cell>{set.walk.data(), chosen.data(), set.absent.data()});
  set.cells = keys::shuffled(device, set.ordered_cells);
  return set;
}

// The sides of shapes that have about so many keys.
inline uint32_t side_of(uint64_t count, double keys_of_side2) {
  return static_cast<uint32_t>(
      std::max(1.0, std::ceil(std::sqrt(static_cast<double>(count) / keys_of_side2))));
}
inline uint32_t picture_side(uint64_t count) {
  return side_of(count, DiscsAndStrokes::kFilledShare);
}
inline uint32_t surface_side(uint64_t count) {
  return side_of(count, BumpySphere::kVoxelsOfSide2);
}

// The set of the voxels of a surface in a grid of side³.
template <hash::CellWord Cell, class Device>
KeySet<Cell> make_surface_keys(Device& device, hash::CellFormat<Cell> format, uint32_t key_bits,
                               uint32_t side, hash::KeyLayout layout) {
  const BumpySphere sphere = {static_cast<int32_t>(side)};
  const uint64_t n = sphere.blocks() * sphere.blocks() * sphere.blocks();
  if (n > UINT32_MAX)
    throw Error("a surface of keys has fewer than 2^32 blocks around it, not " + format_count(n));
  // Before any work: the keys of a grid have as many bits whatever it holds.
  keys::check_bits(hash::KeyGrid(layout, SurfaceShape{sphere, nullptr, 0}.size()).key_bits(), key_bits);
  auto all = device.template make<uint32_t>(n);
  const uint64_t count = device.select("select blocks", n, IsNearSurface{sphere}, all.data());
  return make_shape_keys<Cell>(device, format, key_bits, SurfaceShape{sphere, all.data(), count}, layout);
}

}  // namespace vox::measure
