// Trades memory against speed (Labschütz, §5.1.2): chooses bricks that are made dense although that takes
// more memory.
//
// The time of a loop for each brick is measured twice: with the bricks that take the least memory, and with
// dense ones. Bricks are then replaced one after the other, in the order of a strategy.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"

namespace vox::bricks {

// The effects of replacing each brick, in the order of the root grid. For bricks that are empty or dense
// already, everything except `bytes` is 0.
struct BrickGains {
  std::vector<double> ticks;         // the loop's time for the brick
  std::vector<double> ticks_saved;   // the time that a dense brick saves; may be negative
  std::vector<uint64_t> more_bytes;  // the additional bytes of a dense brick
  std::vector<uint64_t> bytes;
};

// The order in which bricks are replaced.
enum class Replacement : uint32_t {
  Slowest,  // the brick that takes longest comes first
  Gain,     // the brick with the largest saving of time comes first
  Memory,   // the brick that needs the least additional memory comes first
  Slope,    // the brick that needs the least additional memory for the time that it saves comes first
  Random,
};
inline constexpr std::array<const char*, 5> kReplacementNames = {"slowest", "gain", "memory", "slope",
                                                                 "random"};

// Times a mean filter of radius `filter` on both. `dense` must have bricks of the same volume and size, each
// of them empty or dense. Throws Error if there are 2^32 bricks or more.
BrickGains measure_gains(const FrozenBricks& bricks, BricksReader& reader, const FrozenBricks& dense,
                         BricksReader& dense_reader, int32_t filter);

// Returns the bricks that can be replaced, in the order of their replacement.
std::vector<uint32_t> replacement_order(const BrickGains& gains, Replacement replacement);

// Returns the bricks for which the additional bytes save enough time: a saved tick may cost up to `slope`
// times as many bytes as it costs on average if all bricks are replaced. At 0 no brick is worth it, at 1
// those that gain more than the mean.
std::vector<uint32_t> worth_replacing(const BrickGains& gains, double slope);

// Returns a copy of `bricks` in which the bricks of this list are taken from `dense`.
FrozenBricks replaced(const FrozenBricks& bricks, const FrozenBricks& dense, std::vector<uint32_t> list);

}  // namespace vox::bricks
