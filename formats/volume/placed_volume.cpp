#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "formats/volume/places.h"
#include "formats/volume/volume_formats.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/volume/volume.h"

namespace vox {
namespace {

constexpr uint64_t kTurnedVoxels = 1 << 18;  // voxels reordered at a time
constexpr uint64_t kSlabBytes = 32 << 20;
constexpr double kLeastTurn = 0.05;  // degrees; smaller angles are not worth a warning

// For each axis of the world, the file's axis that becomes it, and whether its voxels are counted from the
// end.
struct AxisOrder {
  std::array<uint32_t, 3> from = {0, 1, 2};
  std::array<bool, 3> backwards = {};
};

// Returns the order in which the file's axes are, in sum, nearest to those of the world.
std::array<uint32_t, 3> nearest_axes(const std::array<Vec3d, 3>& steps) {
  std::array<uint32_t, 3> order = {0, 1, 2}, best = order;
  double most = -1;
  do {
    double sum = 0;
    for (uint32_t world = 0; world < 3; ++world)
      sum += std::abs(steps[order[world]][world]) / length(steps[order[world]]);
    if (sum > most + 1e-9) most = sum, best = order;
  } while (std::ranges::next_permutation(order).found);
  return best;
}

bool is_along(const Vec3d& step, uint32_t axis) {
  return step[(axis + 1) % 3] == 0 && step[(axis + 2) % 3] == 0;
}

double spacing_along(const Vec3d& step, uint32_t axis) {
  return is_along(step, axis) ? step[axis] : std::copysign(length(step), step[axis]);
}

double degrees_off(const Vec3d& step, uint32_t axis) {
  return std::acos(std::min(std::abs(step[axis]) / length(step), 1.0)) * 180 / std::numbers::pi;
}

// A volume that reads another one, its file, with exchanged axes.
class TurnedVolume {
 public:
  TurnedVolume(const StoredVolume& file, const StoredInfo& info, const AxisOrder& order)
      : read_file_(file.read),
        size_(info.size),
        order_(order),
        each_(stored_bytes(info.type)),
        slab_layers_(static_cast<int32_t>(std::clamp<uint64_t>(
            kSlabBytes / (each_ * uint64_t(size_.x) * uint64_t(size_.y)), 1, uint64_t(size_.z)))) {}

  // True if rows of the file become columns along z. Then a layer is spread over the whole file, of which a read of few
  // layers uses few bytes of each row. So whole layers are read together with those around them, and the last of these
  // slabs is kept.
  static bool has_slabs(const AxisOrder& order) { return order.from[2] == 0; }

  void read(const VoxelBox& box, std::byte* to) {
    const bool whole_layers = box.size().x == size_.x && box.size().y == size_.y;
    if (!has_slabs(order_) || !whole_layers || box.size().z >= slab_layers_) return read_box(box, to);
    const uint64_t layer_bytes = box.voxels() / uint64_t(box.size().z) * each_;
    for (int32_t z = box.min.z; z < box.max.z;) {
      const int32_t first = z / slab_layers_ * slab_layers_, end = std::min(first + slab_layers_, box.max.z);
      const std::lock_guard lock(mutex_);
      if (slab_first_ != first) {
        slab_first_ = -1;
        const VoxelBox slab = {{0, 0, first}, {size_.x, size_.y, std::min(first + slab_layers_, size_.z)}};
        slab_.resize(slab.voxels() * each_);
        read_box(slab, slab_.data());
        slab_first_ = first;
      }
      const uint64_t bytes = uint64_t(end - z) * layer_bytes;
      std::memcpy(to, slab_.data() + uint64_t(z - first) * layer_bytes, bytes);
      to += bytes;
      z = end;
    }
  }

 private:
  // Reads pieces of the box in the order of the file.
  void read_box(const VoxelBox& box, std::byte* to) const {
    const volume::Pieces pieces(in_file(box), kTurnedVoxels);
    std::vector<std::byte> values;
    for (uint64_t i = 0; i < pieces.count(); ++i) {
      values.resize(pieces[i].voxels() * each_);
      read_file_(pieces[i], values.data());
      switch (each_) {
        case 1:
          copy<1>(values.data(), pieces[i], box, to);
          break;
        case 2:
          copy<2>(values.data(), pieces[i], box, to);
          break;
        case 4:
          copy<4>(values.data(), pieces[i], box, to);
          break;
        default:
          copy<8>(values.data(), pieces[i], box, to);
      }
    }
  }

  VoxelBox in_file(const VoxelBox& box) const {
    VoxelBox there;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const bool backwards = order_.backwards[axis];
      there.min[order_.from[axis]] = backwards ? size_[axis] - box.max[axis] : box.min[axis];
      there.max[order_.from[axis]] = backwards ? size_[axis] - box.min[axis] : box.max[axis];
    }
    return there;
  }

  // Copies the values of a box of the file, x fastest, to their places in a box of the world.
  template <size_t kBytes>
  void copy(const std::byte* from, const VoxelBox& piece, const VoxelBox& box, std::byte* to) const {
    const Int3 size = piece.size();
    const std::array<int64_t, 3> file_strides = {1, size.x, int64_t{size.x} * size.y};
    std::array<int64_t, 3> strides;
    int64_t first = 0;
    VoxelBox here;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const uint32_t file_axis = order_.from[axis];
      const bool backwards = order_.backwards[axis];
      here.min[axis] = backwards ? size_[axis] - piece.max[file_axis] : piece.min[file_axis];
      here.max[axis] = here.min[axis] + size[file_axis];
      strides[axis] = file_strides[file_axis];
      if (!backwards) continue;
      first += strides[axis] * (size[file_axis] - 1);
      strides[axis] = -strides[axis];
    }
    const Int3 end = here.size();
    for (int32_t z = 0; z < end.z; ++z)
      for (int32_t y = 0; y < end.y; ++y) {
        const int64_t row = first + z * strides[2] + y * strides[1];
        std::byte* out = to + index_in(box.size(), here.min + Int3{0, y, z} - box.min) * kBytes;
        for (int32_t x = 0; x < end.x; ++x, out += kBytes)
          std::memcpy(out, from + static_cast<uint64_t>(row + x * strides[0]) * kBytes, kBytes);
      }
  }

  std::function<void(const VoxelBox&, std::byte*)> read_file_;
  Int3 size_;
  AxisOrder order_;
  uint32_t each_;  // bytes of a value
  int32_t slab_layers_;
  std::mutex mutex_;
  int32_t slab_first_ = -1;  // the first layer of the slab that is kept
  std::vector<std::byte> slab_;
};

// Returns a volume that reads `file` with its axes exchanged. `info` describes the result.
StoredVolume turned(const StoredVolume& file, StoredInfo info, const AxisOrder& order) {
  auto volume = std::make_shared<TurnedVolume>(file, info, order);
  return {std::move(info), [volume](const VoxelBox& box, std::byte* to) { volume->read(box, to); },
          TurnedVolume::has_slabs(order) || file.is_read_in_turn};
}

}  // namespace

StoredVolume placed(StoredVolume volume, const GridPlacement& placement) {
  const std::array<Vec3d, 3>& steps = placement.steps;
  for (const Vec3d& step : steps)
    if (!(length(step) > 0) || !std::isfinite(length(step)))
      throw Error(fmt::format("a step from voxel to voxel is ({}, {}, {})", step.x, step.y, step.z));
  const AxisOrder order = {.from = nearest_axes(steps)};
  StoredInfo info = volume.info;
  Vec3d center = placement.first_center.value_or(Vec3d{0, 0, 0});
  bool all_along = true;
  double degrees = 0;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const Vec3d& step = steps[order.from[axis]];
    info.size[axis] = volume.info.size[order.from[axis]];
    info.spacing[axis] = spacing_along(step, axis);
    all_along = all_along && is_along(step, axis);
    degrees = std::max(degrees, degrees_off(step, axis));
    center = center + step * (0.5 * (info.size[axis] - 1));
  }
  if (degrees > kLeastTurn)
    log_warning("{}: its axes are rotated by {:.3g}° against those of the world and replaced by them",
                info.source, degrees);
  if (placement.first_center)
    for (uint32_t axis = 0; axis < 3; ++axis)
      info.origin[axis] = all_along ? (*placement.first_center)[axis] - info.spacing[axis] * 0.5
                                    : center[axis] - info.spacing[axis] * (0.5 * info.size[axis]);
  const Vec3d& origin = info.origin;
  if (!std::isfinite(origin.x) || !std::isfinite(origin.y) || !std::isfinite(origin.z))
    throw Error(fmt::format("it begins at ({}, {}, {})", origin.x, origin.y, origin.z));
  if (order.from != AxisOrder().from) return turned(volume, std::move(info), order);
  volume.info = std::move(info);
  return volume;
}

StoredVolume forwards(StoredVolume volume) {
  StoredInfo info = volume.info;
  AxisOrder order;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    if (info.spacing[axis] > 0) continue;
    order.backwards[axis] = true;
    info.origin[axis] += info.spacing[axis] * info.size[axis];
    info.spacing[axis] = -info.spacing[axis];
  }
  if (order.backwards == AxisOrder().backwards) return volume;
  return turned(volume, std::move(info), order);
}

}  // namespace vox
