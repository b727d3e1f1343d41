#include "libvox/bricks/coarser.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "libvox/base/progress.h"

namespace vox::bricks {
namespace {

Int3 half_size(Int3 size) {
  return {(size.x + 1) / 2, (size.y + 1) / 2, (size.z + 1) / 2};
}

// The sum of a few values, in any type.
class Mean {
 public:
  explicit Mean(volume::ValueType type) : type_(type) {}

  void add(uint32_t bits) {
    sum_ += volume::value_number(type_, bits);
    ++count_;
  }
  // Returns the bits of the mean.
  uint32_t bits() const {
    const double mean = sum_ / count_;
    if (type_ == volume::ValueType::F32) return std::bit_cast<uint32_t>(static_cast<float>(mean));
    // Sums of eight whole numbers are exact, and so is what is left of them by a count of 1, 2, 4 or 8.
    const auto twice = static_cast<int64_t>(2 * sum_) + count_, divisor = int64_t{2} * count_;
    const int64_t rounded = twice >= 0 ? twice / divisor : -((divisor - 1 - twice) / divisor);
    return static_cast<uint32_t>(rounded);
  }

 private:
  volume::ValueType type_;
  double sum_ = 0;
  int32_t count_ = 0;
};

template <class T>
void read_means(const volume::Volume& fine, const VoxelBox& box, T* out) {
  const VoxelBox around = intersection({box.min * 2, box.max * 2}, fine.info.box());
  std::vector<T> values(around.voxels());
  fine.read(around, reinterpret_cast<std::byte*>(values.data()));
  const Int3 from = around.size(), to = box.size();
  tbb::parallel_for(0, to.z, [&](int32_t z) {
    T* next = out + int64_t{z} * to.y * to.x;
    for (int32_t y = 0; y < to.y; ++y)
      for (int32_t x = 0; x < to.x; ++x) {
        Mean mean(fine.info.type);
        for (int32_t c = 2 * z; c < std::min(2 * z + 2, from.z); ++c)
          for (int32_t b = 2 * y; b < std::min(2 * y + 2, from.y); ++b)
            for (int32_t a = 2 * x; a < std::min(2 * x + 2, from.x); ++a)
              mean.add(values[static_cast<size_t>((int64_t{c} * from.y + b) * from.x + a)]);
        *next++ = static_cast<T>(mean.bits());
      }
  });
}

}  // namespace

uint32_t levels_to_the_coarsest(Int3 size) {
  constexpr int32_t kCoarsest = 64;
  uint32_t levels = 0;
  for (; levels < kMostLevels && std::max({size.x, size.y, size.z}) > kCoarsest; ++levels)
    size = half_size(size);
  return levels;
}

volume::Volume coarser_volume(const FrozenBricks& bricks) {
  volume::VolumeInfo info = bricks.info;
  info.size = half_size(info.size);
  info.spacing = info.spacing * 2.0;
  const volume::Volume fine = bricks_volume(bricks);
  volume::Volume coarse = {info, [fine](const VoxelBox& box, std::byte* values) {
                             volume::with_word_type(fine.info.type, [&]<class T>() {
                               read_means(fine, box, reinterpret_cast<T*>(values));
                             });
                           }};
  if (fine.is_zero)
    coarse.is_zero = [fine](const VoxelBox& box) {
      return fine.is_zero(intersection({box.min * 2, box.max * 2}, fine.info.box()));
    };
  return coarse;
}

std::vector<FrozenBricks> coarser_levels(device::DeviceHandle device, const FrozenBricks& bricks,
                                         uint32_t count) {
  std::vector<FrozenBricks> levels;
  levels.reserve(count);  // a level is made of the one before
  for (uint32_t level = 0; level < count; ++level) {
    throw_if_cancelled();
    const volume::Volume coarse = coarser_volume(levels.empty() ? bricks : levels.back());
    levels.push_back(
        build_bricks(device, coarse,
                     {.log2_side = bricks.log2_side, .types = bricks.allowed_types, .threshold = {}})
            .bricks);
  }
  return levels;
}

}  // namespace vox::bricks
