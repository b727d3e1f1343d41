#include "libvox/bricks/verify.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <functional>

#include "libvox/base/error.h"
#include "libvox/volume/read_pieces.h"

namespace vox::bricks {

void verify(const FrozenBricks& bricks) {
  check_structure(bricks);
  uint64_t filled = 0;
  volume::read_pieces(bricks_volume(bricks), volume::kReadVoxels,
                      [&](const VoxelBox& box, const std::byte* values) {
                        filled += tbb::parallel_reduce(
                            tbb::blocked_range<uint64_t>(0, box.voxels(), 1 << 16), uint64_t{0},
                            [&](const auto& part, uint64_t sum) {
                              for (uint64_t i = part.begin(); i < part.end(); ++i)
                                sum += volume::bits_at(bricks.info.type, values, i) != bricks.background;
                              return sum;
                            },
                            std::plus<>());
                      });
  if (filled != bricks.filled)
    throw Error(
        fmt::format("the number of filled voxels is {}, but the bricks hold {}", bricks.filled, filled));
}

}  // namespace vox::bricks
