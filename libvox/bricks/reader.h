// Bricks on a device, read in the ways that are to be compared: as a dense array, by the root grid, by the kd
// tree, and by code made for these bricks.
#pragma once

#include <memory>
#include <vector>

#include "libvox/bricks/jit/loops.h"
#include "libvox/bricks/jit/source.h"

namespace vox::bricks {

enum class Access : uint32_t { Dense, Direct, KdTree, Compiled };

struct ReadQuery {
  ReadLoop loop = ReadLoop::Copy;
  int32_t radius = 1;                    // of the mean filter
  uint64_t gathers = uint64_t{1} << 26;  // positions of a gather
  const CastView* view = nullptr;        // of a picture: all but colours and pixels
  const std::vector<CastColor>* colors = nullptr;
};

struct ReadResult {
  double seconds = 0;     // on the device
  uint64_t lookups = 0;   // of a picture rays
  uint64_t checksum = 0;  // of what was read: the sum of its mixed_word()
};

// What a word at this place adds to a checksum.
VOX_HD inline uint64_t mixed_word(uint64_t i, uint32_t word) {
  return mix64(mix64(i) ^ word);
}

// What it took to make the code.
struct JitReport {
  bool compiled = false;  // else all that is compiled is done by the interpreted tree
  uint32_t leaves = 0, mixed = 0, depth = 0;
  double tree_seconds = 0, compile_seconds = 0,
         load_seconds = 0;  // an image that is kept: no time to compile
  uint64_t source_bytes = 0;
};

class BricksReader {
 public:
  virtual ~BricksReader() = default;

  virtual ReadResult read(Access access, const ReadQuery& query) = 0;
  // What the last one read: the words of all voxels, x fastest, or of all positions, or CastPixels row by
  // row.
  virtual void last_words(void* words) = 0;
  // How long a mean filter takes for the voxels of each brick, by the root grid, in ticks of the device;
  // bricks in the order of the root grid.
  virtual std::vector<uint64_t> brick_ticks(int32_t radius) = 0;
  // Makes the tree and the code unless that was done. Where no compiler is found, or it fails, there is one
  // warning, and the tree is interpreted.
  virtual const JitReport& compile() = 0;
};

// How often a filter looks a voxel up.
uint64_t filter_lookups(Int3 size, int32_t radius);

// The bricks outlive it, and so does the device. Compiled for each device in reader_*.
template <class Device>
std::unique_ptr<BricksReader> make_bricks_reader(Device& device, const FrozenBricks& bricks,
                                                 const JitOptions& options);

}  // namespace vox::bricks
