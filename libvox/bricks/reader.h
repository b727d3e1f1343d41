// Reads bricks on a device in the ways that benchmarks compare: as a dense array, by the root grid, by the kd
// tree, and by code compiled for these bricks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/jit/loops.h"
#include "libvox/bricks/jit/source.h"
#include "libvox/device/handle.h"

namespace vox::bricks {

enum class Access : uint32_t { Dense, Direct, KdTree, Compiled };

struct ReadQuery {
  ReadLoop loop = ReadLoop::Copy;
  int32_t radius = 1;                    // the radius of the mean filter
  uint64_t gathers = uint64_t{1} << 26;  // the number of positions of a gather
  const CastView* view = nullptr;        // the view of a picture; colors and pixels need not be set
  const std::vector<CastColor>* colors = nullptr;
};

struct ReadResult {
  double seconds = 0;     // on the device
  uint64_t lookups = 0;   // voxels looked up; for a picture: rays
  uint64_t checksum = 0;  // the sum of mixed_word() over everything that was read
};

// Returns the number that a word at this place adds to a checksum.
VOX_HD inline uint64_t mixed_word(uint64_t i, uint32_t word) {
  return mix64(mix64(i) ^ word);
}

// Returns mixed_word() of the i-th word, which has one, two or four bytes, low byte first.
struct MixedWord {
  const uint8_t* bytes;
  uint64_t each;

  VOX_HD uint64_t operator()(uint64_t i) const {
    uint32_t word = 0;
    for (uint64_t byte = 0; byte < each; ++byte) word |= uint32_t{bytes[i * each + byte]} << 8 * byte;
    return mixed_word(i, word);
  }
};

// The result of compile(), and its times.
struct JitReport {
  bool compiled = false;  // if false, Access::Compiled interprets the tree
  uint32_t leaves = 0, mixed = 0, depth = 0;
  double tree_seconds = 0;
  double compile_seconds = 0;  // 0 if the image was in the cache
  double load_seconds = 0;
  uint64_t source_bytes = 0;
};

class BricksReader {
 public:
  virtual ~BricksReader() = default;

  virtual ReadResult read(Access access, const ReadQuery& query) = 0;
  // Copies the result of the last read(): the words of all voxels, x fastest, the words of all positions of
  // a gather, or the CastPixels of a picture, row by row.
  virtual void last_words(void* words) = 0;
  // Returns the time of a mean filter (with Access::Direct) for each brick's voxels, in ticks of the
  // device. The bricks are in the order of the root grid.
  virtual std::vector<uint64_t> brick_ticks(int32_t radius) = 0;
  // Makes the tree and compiles the code, once. If no compiler is found or if it fails, one warning is given,
  // and the tree is interpreted.
  virtual const JitReport& compile() = 0;
};

// Returns the number of voxels that a mean filter looks up.
uint64_t filter_lookups(Int3 size, int32_t radius);

// Copies bricks to the device, to read them in several ways. The device and the bricks must outlive the reader.
// check_structure() must accept the bricks.
template <class Device>
std::unique_ptr<BricksReader> make_bricks_reader(Device& device, const FrozenBricks& bricks,
                                                 const JitOptions& options);
std::unique_ptr<BricksReader> make_bricks_reader(device::DeviceHandle device, const FrozenBricks& bricks,
                                                 const JitOptions& options);

// Trades memory for speed (Labschütz, §5.1.2): chooses bricks that become dense although that takes more
// memory.
//
// The time of a loop for each brick is measured twice: with the bricks that take the least memory, and with
// dense ones. Bricks are then replaced one after the other, in the order of a strategy.

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

// Returns the bricks for which the additional bytes save enough time. A saved tick may cost up to `slope`
// times the bytes that it costs on average if all bricks are replaced. At 0 no brick is worth it; at 1 the bricks
// that gain more than the mean are.
std::vector<uint32_t> worth_replacing(const BrickGains& gains, double slope);

// Returns a copy of `bricks` in which the bricks of this list are taken from `dense`.
FrozenBricks replaced(const FrozenBricks& bricks, const FrozenBricks& dense, std::vector<uint32_t> list);

}  // namespace vox::bricks
