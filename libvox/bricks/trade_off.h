// Memory against speed (Labschütz, §5.1.2): which bricks are made dense although that takes more memory.
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

// What replacing each brick would bring, in the order of the root grid. All but `bytes` are 0 where a brick
// is empty or dense already.
struct BrickGains {
  std::vector<double> ticks;         // that the loop takes for the brick
  std::vector<double> ticks_saved;   // by a dense brick; may be negative
  std::vector<uint64_t> more_bytes;  // that a dense brick takes more
  std::vector<uint64_t> bytes;
};

// Which brick is replaced first.
enum class Replacement : uint32_t {
  Slowest,  // the brick that takes longest
  Gain,     // the brick where most time is saved
  Memory,   // the brick that takes least more memory
  Slope,    // the brick that takes least more memory for the time that is saved
  Random,
};
inline constexpr std::array<const char*, 5> kReplacementNames = {"slowest", "gain", "memory", "slope",
                                                                 "random"};

// Times a mean filter of radius `filter` on both. `dense` are bricks of the same volume and size, each empty
// or dense. Throws Error where there are 2^32 bricks or more.
BrickGains measure_gains(const FrozenBricks& bricks, BricksReader& reader, const FrozenBricks& dense,
                         BricksReader& dense_reader, int32_t filter);

// The bricks that can be replaced, in the order in which they are.
std::vector<uint32_t> replacement_order(const BrickGains& gains, Replacement replacement);

// The bricks where a byte more saves enough time: a tick may cost `slope` times the bytes that it costs when
// all are replaced. At 0 no brick is worth it, at 1 those that gain more than the mean.
std::vector<uint32_t> worth_replacing(const BrickGains& gains, double slope);

// A copy of `bricks` in which those of this list are taken from `dense`.
FrozenBricks replaced(const FrozenBricks& bricks, const FrozenBricks& dense, std::vector<uint32_t> list);

}  // namespace vox::bricks
