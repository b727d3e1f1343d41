// Reads bricks on a device in the ways that benchmarks compare: as a dense array, by the root grid, by the kd
// tree, and by code compiled for these bricks.
#pragma once

#include <memory>
#include <vector>

#include "libvox/bricks/jit/loops.h"
#include "libvox/bricks/jit/source.h"

namespace vox::bricks {

enum class Access : uint32_t { Dense, Direct, KdTree, Compiled };

struct ReadQuery {
  ReadLoop loop = ReadLoop::Copy;
  int32_t radius = 1;                    // the radius of the mean filter
  uint64_t gathers = uint64_t{1} << 26;  // the number of positions of a gather
  const CastView* view = nullptr;        // the view of a picture; colours and pixels need not be set
  const std::vector<CastColor>* colors = nullptr;
};

struct ReadResult {
  double seconds = 0;     // on the device
  uint64_t lookups = 0;   // for a picture: rays
  uint64_t checksum = 0;  // the sum of mixed_word() over everything that was read
};

// Returns what a word at this place adds to a checksum.
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
  // Copies out what the last read() has read: the words of all voxels, x fastest, the words of all positions
  // of a gather, or the CastPixels of a picture, row by row.
  virtual void last_words(void* words) = 0;
  // Returns how long a mean filter by the root grid takes for the voxels of each brick, in ticks of the
  // device. The bricks are in the order of the root grid.
  virtual std::vector<uint64_t> brick_ticks(int32_t radius) = 0;
  // Makes the tree and the code, once. If no compiler is found, or if it fails, there is one warning, and the
  // tree is interpreted.
  virtual const JitReport& compile() = 0;
};

// Returns how many voxels a mean filter looks up in total.
uint64_t filter_lookups(Int3 size, int32_t radius);

// The device and the bricks must outlive the reader. reader_cpu.cpp and reader_cuda.cu compile this function
// for each device.
template <class Device>
std::unique_ptr<BricksReader> make_bricks_reader(Device& device, const FrozenBricks& bricks,
                                                 const JitOptions& options);

}  // namespace vox::bricks
