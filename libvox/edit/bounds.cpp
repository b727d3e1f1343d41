#include "libvox/edit/bounds.h"

#include <algorithm>

namespace vox {
namespace {

int32_t component(const Int3& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}
int32_t& component(Int3& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The voxels whose centres lie in [lo, hi], as [first, end).
std::pair<int32_t, int32_t> voxels_between(int64_t lo, int64_t hi) {
  const int64_t half = kEditUnits / 2;
  return {static_cast<int32_t>((lo - half + kEditUnits - 1) >> 8),
          static_cast<int32_t>(((hi - half) >> 8) + 1)};
}

VoxelBox around(const EditPlace& lo, const EditPlace& hi) {
  const auto [x0, x1] = voxels_between(lo.x, hi.x);
  const auto [y0, y1] = voxels_between(lo.y, hi.y);
  const auto [z0, z1] = voxels_between(lo.z, hi.z);
  return {{x0, y0, z0}, {x1, y1, z1}};
}

VoxelBox grown(const VoxelBox& box, int32_t by) {
  return {box.min - Int3{by, by, by}, box.max + Int3{by, by, by}};
}

// Where the turned source comes to lie.
VoxelBox target(const CopyEdit& copy) {
  if (copy.source.empty()) return {copy.to, copy.to};
  const Int3 size = copy.source.size();
  VoxelBox box = {copy.to, copy.to};
  for (int k = 0; k < 3; ++k)
    component(box.max, k) += component(size, copy.turn.axis[static_cast<size_t>(k)]);
  return box;
}

struct Written {
  const VoxelBox& grid;
  const VoxelBox& other;
  VoxelBox operator()(const PaintEdit& edit) const { return bounds(edit.shape, grid); }
  VoxelBox operator()(const CopyEdit& edit) const {
    return intersection(bounds(edit.within, grid), target(clipped(edit, other)));
  }
  VoxelBox operator()(const CombineEdit& edit) const {
    if (edit.mode == CombineMode::Intersect) return grid;
    return intersection(grid, {other.min + edit.at, other.max + edit.at});
  }
  VoxelBox operator()(const MorphEdit& edit) const { return bounds(edit.shape, grid); }
  VoxelBox operator()(const FillEdit& edit) const { return bounds(edit.shape, grid); }
};

struct Read {
  const VoxelBox& grid;
  VoxelBox operator()(const PaintEdit&) const { return {}; }
  VoxelBox operator()(const CopyEdit& edit) const {
    return edit.scene == kThisScene ? intersection(edit.source, grid) : VoxelBox{};
  }
  VoxelBox operator()(const CombineEdit& edit) const { return edit.scene == kThisScene ? grid : VoxelBox{}; }
  VoxelBox operator()(const MorphEdit& edit) const {
    return intersection(grown(bounds(edit.shape, grid), 1), grid);
  }
  VoxelBox operator()(const FillEdit& edit) const { return bounds(edit.shape, grid); }
};

}  // namespace

VoxelBox grid_box(uint32_t resolution) {
  return cube_at({0, 0, 0}, resolution);
}

VoxelBox bounds(const Shape& shape, const VoxelBox& grid) {
  const int64_t reach = shape.radius + shape.roughness;
  const EditPlace by = {reach, reach, reach};
  const EditPlace lo = {std::min(shape.a.x, shape.b.x), std::min(shape.a.y, shape.b.y),
                        std::min(shape.a.z, shape.b.z)};
  const EditPlace hi = {std::max(shape.a.x, shape.b.x), std::max(shape.a.y, shape.b.y),
                        std::max(shape.a.z, shape.b.z)};
  switch (shape.kind) {
    case ShapeKind::Everything:
      return grid;
    case ShapeKind::Sphere:
      return intersection(grid, around(shape.a - by, shape.a + by));
    case ShapeKind::Box:
      return intersection(grid, around(shape.a - by, shape.b + by));
    case ShapeKind::Capsule:
    case ShapeKind::Cylinder:
      return intersection(grid, around(lo - by, hi + by));
    case ShapeKind::Ellipsoid:
      return intersection(grid, around(shape.a - shape.b, shape.a + shape.b));
  }
  return grid;
}

CopyEdit clipped(const CopyEdit& copy, const VoxelBox& source_grid) {
  CopyEdit result = copy;
  result.source = intersection(copy.source, source_grid);
  if (result.source.empty()) return result;
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<size_t>(k);
    const int axis = copy.turn.axis[i];
    component(result.to, k) += copy.turn.flip[i]
                                   ? component(copy.source.max, axis) - component(result.source.max, axis)
                                   : component(result.source.min, axis) - component(copy.source.min, axis);
  }
  return result;
}

VoxelBox written(const Edit& edit, const VoxelBox& grid, const VoxelBox& other) {
  return std::visit(Written{grid, other}, edit);
}

VoxelBox read(const Edit& edit, const VoxelBox& grid) {
  return std::visit(Read{grid}, edit);
}

}  // namespace vox
