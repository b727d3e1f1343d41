// Memory against speed (Labschütz, §5.1.2): which bricks to hold as dense ones although that takes more
// memory.
//
// How long a loop takes for each brick is measured twice: with the bricks that take least memory, and with
// dense ones. Bricks are then replaced one after the other, in the order of a strategy.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"

namespace vox::bricks {

// Of each brick, in the order of the root grid: 0 and 0 of what need not be replaced, as it is empty or
// dense.
struct BrickGains {
  std::vector<double> ticks;         // that the brick takes
  std::vector<double> ticks_saved;   // by a dense one; may be negative
  std::vector<uint64_t> more_bytes;  // of a dense one
  std::vector<uint64_t> bytes;
};

// Which brick is replaced first.
enum class Replacement : uint32_t {
  Slowest,  // that which takes longest
  Gain,     // that where most time is saved
  Memory,   // that which takes least more memory
  Slope,    // that which takes least more memory for the time that is saved
  Random,
};
inline constexpr std::array<const char*, 5> kReplacementNames = {"slowest", "gain", "memory", "slope",
                                                                 "random"};

// `dense` are bricks of the same volume and size, empty or dense. `filter` is the radius of the mean filter
// that is timed. Throws Error where there are 2^32 bricks or more.
BrickGains measure_gains(const FrozenBricks& bricks, BricksReader& reader, const FrozenBricks& dense,
                         BricksReader& dense_reader, int32_t filter);

// The bricks that can be replaced, the first first.
std::vector<uint32_t> replacement_order(const BrickGains& gains, Replacement replacement);

// Those of which a byte more saves enough time: `slope` times the bytes for a tick that replacing all takes.
// At 0 none are, at 1 those that gain more than the mean.
std::vector<uint32_t> worth_replacing(const BrickGains& gains, double slope);

// `bricks`, those of this list taken from `dense`.
FrozenBricks replaced(const FrozenBricks& bricks, const FrozenBricks& dense, std::vector<uint32_t> list);

}  // namespace vox::bricks
