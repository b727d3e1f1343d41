// Makes sets of keys for benchmarks of tables of voxel keys, on the device. The sets know, without a
// table, which keys are stored and with which values.
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/device/pool.h"
#include "libvox/device/runs.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/measure/key_shapes.h"

namespace vox::measure {

// A bijection on numbers of `bits` bits, 2 or more: different numbers give different keys, which look random.
VOX_HD inline uint64_t mixed_number(uint64_t number, uint32_t bits) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint32_t shift = bits / 2;
  number &= mask;
  number = (number ^ number >> shift) * 0xff51afd7ed558ccd & mask;
  number = (number ^ number >> shift) * 0xc4ceb9fe1a85ec53 & mask;
  return number ^ number >> shift;
}

// Keys to search for, stored or not, in an order in which neighboring places follow each other.
template <hash::CellWord Cell>
struct KeyWalk {
  device::Buffer<Cell> keys;
  device::Buffer<uint32_t> values;  // kNoValue if a key is not stored
  uint64_t size() const { return keys.size(); }
};

template <hash::CellWord Cell>
struct KeySet {
  uint64_t keys = 0;
  device::Buffer<Cell> cells, ordered_cells;  // the same keys in random order, and in the walk's order
  device::Buffer<Cell> absent;                // keys that are not stored
  device::Buffer<Cell> others;                // cells of keys that are neither, for changes of a table
  KeyWalk<Cell> walk;  // all keys of the shape's grid, or of the part near it; empty if the set has no shape
  KeyWalk<Cell> view;  // the keys of pictures of the set (key_views.h), if asked for
  uint64_t view_frames = 1;  // the number of these pictures
};

namespace keys {

VOX_HD inline uint64_t low_bits(uint64_t word, uint32_t bits) {
  return word & ((uint64_t{1} << bits) - 1);
}

// --- bodies of loops ---

// Writes the keys of consecutive numbers.
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

// Writes the numbers of the shape's places. Sorting by them gives the walk's order.
template <class Shape>
struct WritePlaces {
  Shape shape;
  hash::KeyGrid walk;
  uint64_t* places;
  VOX_HD void operator()(uint64_t i) const { places[i] = walk.key(shape.place(i)); }
};

// These structs return the places of a walk, by their numbers, and the places of a view.
struct WalkPlaces {
  hash::KeyGrid walk;
  const uint64_t* numbers;
  VOX_HD Int3 operator()(uint64_t i) const { return walk.place(numbers[i]); }
};
template <class View>
struct ViewPlaces {
  View view;
  const uint32_t* seen;
  VOX_HD Int3 operator()(uint64_t i) const { return view.place(seen[i]); }
};
template <class View>
struct IsSeen {
  View view;
  VOX_HD bool operator()(uint64_t i) const { return view.is_seen(i); }
};

template <class Places, class Shape, hash::CellWord Cell>
struct WriteWalk {
  Places places;
  Shape shape;
  hash::KeyGrid grid;
  uint32_t value_bits;
  Cell* keys;
  uint32_t* values;
  VOX_HD void operator()(uint64_t i) const {
    const Int3 place = places(i);
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

// Returns the same cells in random order.
template <class Device, hash::CellWord Cell>
device::Buffer<Cell> shuffled(Device& device, const device::Buffer<Cell>& cells) {
  auto to = copied(device, cells);
  auto order = device.template make<uint32_t>(cells.size());
  device.for_each("shuffle keys", cells.size(), WriteShuffle{order.data()});
  device.sort_pairs("shuffle keys", order, to, cells.size(), 32);
  return to;
}

template <hash::CellWord Cell, class Device, class Shape, class Places>
KeyWalk<Cell> make_walk(Device& device, hash::CellFormat<Cell> format, const Shape& shape,
                        const hash::KeyGrid& grid, const Places& places, uint64_t n) {
  KeyWalk<Cell> walk = {device.template make<Cell>(n), device.template make<uint32_t>(n)};
  device.for_each("write walk", n,
                  WriteWalk<Places, Shape, Cell>{places, shape, grid, format.value_bits, walk.keys.data(),
                                                 walk.values.data()});
  return walk;
}

inline void check_bits(uint32_t needed, uint32_t key_bits) {
  if (needed > key_bits)
    throw Error("the keys of the set have " + std::to_string(needed) + " bits, more than " +
                std::to_string(key_bits));
}

// Throws Error if there are too many places: they are selected by 32-bit indices.
inline void check_places(uint64_t n) {
  if (n > UINT32_MAX)
    throw Error("a set of keys must have fewer than 2^32 places, but would have " + format_count(n));
}

}  // namespace keys

inline void check_random_keys(uint64_t count, uint64_t absent, uint32_t key_bits) {
  if (key_bits < 64 && count + absent > uint64_t{1} << key_bits)
    throw Error(format_count(count) + " stored keys and " + format_count(absent) +
                " absent ones do not fit into " + std::to_string(key_bits) + " bits");
}

// Returns a set of `count` random keys of `key_bits` bits, `absent` keys that are not stored, and cells of `others`.
template <hash::CellWord Cell, class Device>
KeySet<Cell> make_random_keys(Device& device, hash::CellFormat<Cell> format, uint32_t key_bits,
                              uint64_t count, uint64_t absent, uint64_t others = 0) {
  check_random_keys(count + others, absent, key_bits);
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
  set.others = device.template make<Cell>(others);
  device.for_each("write keys", others,
                  keys::WriteRandomCells<Cell>{format, key_bits, count + absent, set.others.data()});
  return set;
}

// Returns the set of a shape. The walk follows the rows for a row-major layout, otherwise the Morton curve.
// With the bit-reversed layout, the keys of neighbors on that curve are far apart.
template <hash::CellWord Cell, class Device, class Shape>
KeySet<Cell> make_shape_keys(Device& device, hash::CellFormat<Cell> format, uint32_t key_bits,
                             const Shape& shape, hash::KeyLayout layout) {
  using hash::KeyLayout;
  const uint64_t n = shape.candidates();
  keys::check_places(n);
  const hash::KeyGrid grid(layout, shape.size());
  const hash::KeyGrid walk(layout == KeyLayout::RowMajor ? layout : KeyLayout::Morton, shape.size());
  keys::check_bits(grid.key_bits(), key_bits);
  auto places = device.template make<uint64_t>(n);
  device.for_each("write places", n, keys::WritePlaces<Shape>{shape, walk, places.data()});
  device.sort_keys("sort places", places, n, walk.key_bits());
  KeySet<Cell> set;
  set.walk = keys::make_walk(device, format, shape, grid, keys::WalkPlaces{walk, places.data()}, n);
  places.reset();
  auto chosen = device.template make<uint32_t>(n);
  set.keys = device.select("select keys", n, keys::IsStoredKey{set.walk.values.data()}, chosen.data());
  set.ordered_cells = device.template make<Cell>(set.keys);
  device.for_each("take cells", set.keys,
                  keys::TakeWalkCells<Cell>{format, set.walk.keys.data(), set.walk.values.data(),
                                            chosen.data(), set.ordered_cells.data()});
  set.absent = device.template make<Cell>(n - set.keys);
  device.select("select keys", n, keys::IsAbsentKey{set.walk.values.data()}, chosen.data());
  device.for_each("take keys", n - set.keys,
                  device::TakeChosen<Cell>{set.walk.keys.data(), chosen.data(), set.absent.data()});
  set.cells = keys::shuffled(device, set.ordered_cells);
  return set;
}

// Returns the keys that are searched to draw a view of a shape.
template <hash::CellWord Cell, class Device, class Shape, class View>
KeyWalk<Cell> make_view(Device& device, hash::CellFormat<Cell> format, const Shape& shape,
                        hash::KeyLayout layout, const View& view) {
  const uint64_t n = view.candidates();
  keys::check_places(n);
  auto seen = device.template make<uint32_t>(n);
  const uint64_t count = device.select("select pixels", n, keys::IsSeen<View>{view}, seen.data());
  return keys::make_walk(device, format, shape, hash::KeyGrid(layout, shape.size()),
                         keys::ViewPlaces<View>{view, seen.data()}, count);
}

// The following functions return the side of a shape that has approximately `count` keys.
inline uint32_t side_of(uint64_t count, double keys_of_side2) {
  return static_cast<uint32_t>(
      std::max(1.0, std::ceil(std::sqrt(static_cast<double>(count) / keys_of_side2))));
}
inline uint32_t picture_side(uint64_t count) {
  return side_of(count, DiscsAndStrokes::kFilledShare);
}
inline uint32_t atlas_side(uint64_t count) {
  return side_of(count, PaintedShape::kFilledShare);
}
inline uint32_t surface_side(uint64_t count) {
  return side_of(count, BumpySphere::kVoxelsOfSide2);
}

// Returns the set of the voxels of a surface in a grid of side³.
template <hash::CellWord Cell, class Device>
KeySet<Cell> make_surface_keys(Device& device, hash::CellFormat<Cell> format, uint32_t key_bits,
                               uint32_t side, hash::KeyLayout layout) {
  const BumpySphere sphere = {static_cast<int32_t>(side)};
  const uint64_t n = sphere.blocks() * sphere.blocks() * sphere.blocks();
  if (n > UINT32_MAX)
    throw Error("a surface of keys must have fewer than 2^32 blocks around it, but would have " +
                format_count(n));
  // This is checked before any work, since the number of bits of a grid's keys does not depend on its contents.
  keys::check_bits(hash::KeyGrid(layout, SurfaceShape{sphere, nullptr, 0}.size()).key_bits(), key_bits);
  auto all = device.template make<uint32_t>(n);
  const uint64_t count = device.select("select blocks", n, IsNearSurface{sphere}, all.data());
  return make_shape_keys<Cell>(device, format, key_bits, SurfaceShape{sphere, all.data(), count}, layout);
}

}  // namespace vox::measure
