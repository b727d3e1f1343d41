#include "libvox/render/slice.h"

#include <algorithm>
#include <string>

#include "libvox/base/error.h"

namespace vox::render {
namespace {

int32_t along_axis(Int3 v, uint32_t axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The extent of the picture along one of its directions, in whole cells.
struct CellSpan {
  int32_t low, high;  // in voxels, at whole cells; `high` is excluded

  CellSpan(const VoxelBox& box, uint32_t axis, uint32_t log2_cell) {
    const int32_t last = (1 << log2_cell) - 1;
    low = along_axis(box.min, axis) & ~last;
    high = (along_axis(box.max, axis) + last) & ~last;
  }
  uint32_t cells(uint32_t log2_cell) const { return static_cast<uint32_t>(high - low) >> log2_cell; }
};

}  // namespace

SliceFrame slice_frame(const SliceOptions& options, const VoxelBox& filled, const VoxelBox& grid) {
  const auto planes = static_cast<uint32_t>(along_axis(grid.max, options.axis));
  if (options.at >= planes)
    throw Error("there is no plane " + std::string(1, "xyz"[options.axis]) + "=" + std::to_string(options.at))
        .hint("they go from 0 to " + std::to_string(planes - 1));
  if (options.most.width == 0 || options.most.height == 0) throw Error("the picture has no pixels");
  const VoxelBox box = filled.empty() ? grid : filled;

  SliceFrame frame = {};
  frame.axis = options.axis;
  frame.at = options.at;
  frame.across = options.axis == 0 ? 2 : 0;
  frame.along = options.axis == 1 ? 2 : 1;
  for (;; ++frame.log2_cell) {
    const CellSpan across(box, frame.across, frame.log2_cell), along(box, frame.along, frame.log2_cell);
    frame.width = across.cells(frame.log2_cell);
    frame.height = along.cells(frame.log2_cell);
    const int32_t side = 1 << frame.log2_cell;
    const bool leftwards = options.axis == 0, upwards = options.axis != 1;
    frame.first[0] = leftwards ? across.high - side : across.low;
    frame.first[1] = upwards ? along.high - side : along.low;
    frame.step[0] = leftwards ? -1 : 1;
    frame.step[1] = upwards ? -1 : 1;
    if (frame.width <= options.most.width && frame.height <= options.most.height) break;
  }
  frame.pixels_per_cell = std::min(options.most.width / frame.width, options.most.height / frame.height);
  return frame;
}

}  // namespace vox::render
