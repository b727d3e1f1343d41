#include "libvox/volume/volume.h"

#include <fmt/format.h>

#include "libvox/base/error.h"

namespace vox::volume {

Int3 checked_volume_size(int64_t x, int64_t y, int64_t z) {
  for (const int64_t side : {x, y, z})
    if (side < 1 || side > kMaxVolumeSide)
      throw Error(
          fmt::format("the size is {} x {} x {} voxels, expected 1 to {} a side", x, y, z, kMaxVolumeSide));
  return {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)};
}

}  // namespace vox::volume
