#include "formats/volume/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/volume/pieces.h"

namespace vox {
namespace {

constexpr uint64_t kTurnedVoxels = 1 << 18;  // voxels reordered at a time
constexpr double kLeastTurn = 0.05;          // degrees; smaller angles are not worth a warning

// For each axis of the world, the file's axis that becomes it, and whether its voxels are counted from the
// end.
struct AxisOrder {
  std::array<uint32_t, 3> from = {0, 1, 2};
  std::array<bool, 3> backwards = {};
};

double length(const Vec3d& v) {
  return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

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

// Copies the values of a box of the file, x fastest, to the box of the world that it becomes.
void copy_turned(const std::byte* from, Int3 file_size, const AxisOrder& order, Int3 size, uint32_t each,
                 std::byte* to) {
  const std::array<int64_t, 3> file_strides = {1, file_size.x, int64_t{file_size.x} * file_size.y};
  std::array<int64_t, 3> strides;
  int64_t first = 0;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    strides[axis] = file_strides[order.from[axis]];
    if (!order.backwards[axis]) continue;
    first += strides[axis] * (size[axis] - 1);
    strides[axis] = -strides[axis];
  }
  for (int32_t z = 0; z < size.z; ++z)
    for (int32_t y = 0; y < size.y; ++y) {
      const int64_t row = first + z * strides[2] + y * strides[1];
      for (int32_t x = 0; x < size.x; ++x, to += each)
        std::memcpy(to, from + static_cast<uint64_t>(row + x * strides[0]) * each, each);
    }
}

// Returns a volume that reads `file` with its axes exchanged. `info` describes the result.
StoredVolume turned(StoredVolume file, StoredInfo info, const AxisOrder& order) {
  auto read = [read = std::move(file.read), order, size = info.size, each = stored_bytes(info.type)](
                  const VoxelBox& box, std::byte* to) {
    const volume::Pieces pieces(box, kTurnedVoxels);
    std::vector<std::byte> values;
    for (uint64_t i = 0; i < pieces.count(); ++i) {
      const VoxelBox piece = pieces[i];
      VoxelBox there;
      for (uint32_t axis = 0; axis < 3; ++axis) {
        const bool backwards = order.backwards[axis];
        there.min[order.from[axis]] = backwards ? size[axis] - piece.max[axis] : piece.min[axis];
        there.max[order.from[axis]] = backwards ? size[axis] - piece.min[axis] : piece.max[axis];
      }
      values.resize(piece.voxels() * each);
      read(there, values.data());
      copy_turned(values.data(), there.size(), order, piece.size(), each, to);
      to += piece.voxels() * each;
    }
  };
  return {std::move(info), std::move(read)};
}

}  // namespace

StoredVolume placed(StoredVolume volume, const Placement& placement) {
  const std::array<Vec3d, 3>& steps = placement.steps;
  for (const Vec3d& step : steps)
    if (!(length(step) > 0) || !std::isfinite(length(step)))
      throw Error(fmt::format("a step from voxel to voxel is ({}, {}, {})", step.x, step.y, step.z));
  const AxisOrder order = {.from = nearest_axes(steps)};
  StoredInfo info = volume.info;
  Vec3d centre = placement.first_centre.value_or(Vec3d{0, 0, 0});
  bool all_along = true;
  double degrees = 0;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const Vec3d& step = steps[order.from[axis]];
    info.size[axis] = volume.info.size[order.from[axis]];
    info.spacing[axis] = spacing_along(step, axis);
    all_along = all_along && is_along(step, axis);
    degrees = std::max(degrees, degrees_off(step, axis));
    centre = centre + step * (0.5 * (info.size[axis] - 1));
  }
  if (degrees > kLeastTurn)
    log_warning("{}: its axes are rotated by {:.3g}° against those of the world and replaced by them",
                info.source, degrees);
  if (placement.first_centre)
    for (uint32_t axis = 0; axis < 3; ++axis)
      info.origin[axis] = all_along ? (*placement.first_centre)[axis] - info.spacing[axis] * 0.5
                                    : centre[axis] - info.spacing[axis] * (0.5 * info.size[axis]);
  if (order.from == AxisOrder().from) return {std::move(info), std::move(volume.read)};
  return turned(std::move(volume), std::move(info), order);
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
  return turned(std::move(volume), std::move(info), order);
}

}  // namespace vox
