// Finds a common starting depth for the rays of neighboring pixels ("beam optimization", Laine and Karras
// 2010, §5.3).
//
// A beam is the pyramid of all rays through a tile of pixels. It is followed through the DAG down to cells
// about half as wide as itself; no ray hits anything before the first of these cells. All bounds err on the
// safe side, and are floats that are rounded the same way on every device, so that beams do not change
// pictures.
#pragma once

#include "libvox/base/morton.h"
#include "libvox/render/camera.h"
#include "libvox/render/ray_dag.h"

namespace vox::render {

inline constexpr uint32_t kLog2BeamSide = 3;  // in pixels

// The squares of pixels through which beams go.
struct BeamTiles {
  uint32_t width, height;  // the image's size

  VOX_HD uint32_t across() const { return (width + (1u << kLog2BeamSide) - 1) >> kLog2BeamSide; }
  VOX_HD uint32_t down() const { return (height + (1u << kLog2BeamSide) - 1) >> kLog2BeamSide; }
  VOX_HD uint64_t count() const { return uint64_t{across()} * down(); }
  VOX_HD uint64_t around(Vec2<uint32_t> pixel) const {
    return uint64_t{pixel.y >> kLog2BeamSide} * across() + (pixel.x >> kLog2BeamSide);
  }
};

// Depths are distances straight ahead of the camera, in voxels.
inline constexpr float kHitsNothing = 0x1p120f;

namespace detail {

// The mirrored extent of a beam along one axis. At a depth d it is between eye + d / far and eye + d / near.
struct BeamAxis {
  float eye;
  float least, most;  // bounds of its directions' component along this axis
  float near, far;    // depth per voxel, for bounds of when rays enter and leave a cell

  VOX_HD float enters(float plane, float margin) const { return (plane - eye - margin) * near; }
  VOX_HD float leaves(float plane, float margin) const { return (plane - eye + margin) * far; }
};

}  // namespace detail

template <class Dag>
class Beam {
 public:
  VOX_HD Beam(const Dag& dag, const PixelRays& rays, Vec2<uint32_t> tile)
      : dag_(dag), log2_side_(dag.log2_side) {
    const uint32_t side = 1u << (kLog2BeamSide + kSubpixelBits);
    const uint32_t left = tile.x * side, top = tile.y * side;
    const FineDirection corners[4] = {rays.direction(left, top), rays.direction(left + side, top),
                                      rays.direction(left, top + side),
                                      rays.direction(left + side, top + side)};
    const float scale = 1 / rays.depth_one;
    x_ = axis(rays.eye.x, {corners[0].x, corners[1].x, corners[2].x, corners[3].x}, scale, 0);
    y_ = axis(rays.eye.y, {corners[0].y, corners[1].y, corners[2].y, corners[3].y}, scale, 1);
    z_ = axis(rays.eye.z, {corners[0].z, corners[1].z, corners[2].z, corners[3].z}, scale, 2);
    bound(rays.spread);
  }

  // Returns a depth before which none of the beam's rays hits anything, kHitsNothing if none of them hits
  // anything at all, or 0 if no such depth is known. It is unknown if rays may begin in matter, have no
  // motion along an axis, or differ in the sign of their direction along an axis.
  VOX_HD float start() const {
    if (!dag_.filled) return kHitsNothing;
    if (!known_ || log2_side_ == dag::kLeafLog2 || dag::is_homogeneous(dag_.header(dag_.root_node())))
      return 0;
    return first_cell();
  }

 private:
  struct Four {
    int64_t a, b, c, d;
  };

  VOX_HD detail::BeamAxis axis(int64_t eye, Four parts, float scale, uint32_t number) {
    const bool down = parts.a < 0;
    if ((parts.b < 0) != down || (parts.c < 0) != down || (parts.d < 0) != down) known_ = false;
    const auto size = [=](int64_t part) { return static_cast<float>(down ? -part : part) * scale; };
    const float a = size(parts.a), b = size(parts.b), c = size(parts.c), d = size(parts.d);
    detail::BeamAxis axis = {};
    axis.least = smaller(smaller(a, b), smaller(c, d));
    axis.most = larger(larger(a, b), larger(c, d));
    if (down) mirrored_ |= 1u << number;
    const int64_t side = int64_t{1} << (kFineBits + log2_side_);
    axis.eye = static_cast<float>(down ? side - eye : eye) * 0x1p-32f;
    return axis;
  }

  // Sets the bounds that hold for all rays. Rays' ticks are rounded, so each plane may be one tick too early,
  // and the floats here are good for less than 24 bits.
  VOX_HD void bound(float spread) {
    const float least = larger(x_.least, larger(y_.least, z_.least)),
                most = larger(x_.most, larger(y_.most, z_.most));
    const float tick = power_of_two(-static_cast<int32_t>(log2_ticks(log2_side_)));
    const float slowest = static_cast<float>(slowest_step(log2_side_)) * tick;
    if (!(smaller(x_.least, smaller(y_.least, z_.least)) * slowest > 2 * most)) known_ = false;
    if (!known_) return;
    const float error = 0x1p-20f + 4 * tick;
    const float around = larger(size(x_.eye), larger(size(y_.eye), size(z_.eye)));
    margin_ = (around + power_of_two(static_cast<int32_t>(log2_side_))) * 0x1p-21f + 8 * tick * most / least;
    const auto set = [=](detail::BeamAxis& axis) {
      axis.near = (1 - error) / axis.most;
      axis.far = (1 + error) / axis.least;
      return axis.most - axis.least;
    };
    const float widest = larger(set(x_), larger(set(y_), set(z_)));
    // Cells are at least as wide as this times the depth at which the beam leaves them. That is about the
    // beam's width, and never so narrow that rays would stop there because of the width of a pixel.
    const float pixel = spread * square_root(x_.most * x_.most + y_.most * y_.most + z_.most * z_.most);
    narrowest_ = larger(widest * kCellsPerBeam, pixel * 1.001f);
  }

  // Goes through the nodes that the beam meets, from the nearest to the farthest. Returns the depth of the
  // first cell.
  VOX_HD float first_cell() const {
    typename Dag::Node nodes[kMaxLog2Side + 1];
    uint32_t left[kMaxLog2Side + 1];  // the node's children, mirrored, that have not been visited yet
    Vec3<uint32_t> at = {0, 0, 0};    // the lowest corner of the cell that was visited last
    uint32_t log2 = log2_side_;
    float best = kHitsNothing;
    nodes[log2] = dag_.root_node();
    left[log2] = mirrored_mask(dag_.header(nodes[log2]));
    for (;;) {
      if (left[log2] == 0) {
        if (++log2 > log2_side_) return best;
        continue;
      }
      const auto octant = static_cast<uint32_t>(lowest_bit(left[log2]));
      left[log2] &= left[log2] - 1;
      const uint32_t side = 1u << (log2 - 1);
      at = {corner(at.x, log2, octant & 1), corner(at.y, log2, octant >> 1 & 1),
            corner(at.z, log2, octant >> 2)};
      const Vec3<float> low = {static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z)};
      const auto wide = static_cast<float>(side);
      const float enters = larger(larger(x_.enters(low.x, margin_), y_.enters(low.y, margin_)),
                                  larger(z_.enters(low.z, margin_), 0));
      const float leaves =
          smaller(smaller(x_.leaves(low.x + wide, margin_), y_.leaves(low.y + wide, margin_)),
                  z_.leaves(low.z + wide, margin_));
      if (enters > leaves || enters >= best) continue;
      if (log2 - 1 == dag::kLeafLog2 || leaves * narrowest_ >= wide) {
        best = enters;
        continue;
      }
      const auto node = nodes[log2];
      const auto child = dag_.child_in(log2 - 1, node, dag_.header(node), octant ^ mirrored_);
      const uint32_t header = dag_.header(child);
      if (dag::is_homogeneous(header)) {
        best = enters;
        continue;
      }
      --log2;
      nodes[log2] = child;
      left[log2] = mirrored_mask(header);
    }
  }

  // Returns the lowest coordinate of a half of the cell of side 2^log2 that contains the coordinate.
  VOX_HD static uint32_t corner(uint32_t at, uint32_t log2, uint32_t half) {
    return at >> log2 << log2 | half << (log2 - 1);
  }
  // Returns the child mask with its bits in the order of mirrored octants.
  VOX_HD uint32_t mirrored_mask(uint32_t header) const {
    uint32_t mask = dag::child_mask(header);
    if ((mirrored_ & 1) != 0) mask = (mask & 0x55) << 1 | (mask >> 1 & 0x55);
    if ((mirrored_ & 2) != 0) mask = (mask & 0x33) << 2 | (mask >> 2 & 0x33);
    if ((mirrored_ & 4) != 0) mask = (mask & 0x0f) << 4 | mask >> 4;
    return mask;
  }
  VOX_HD static float smaller(float a, float b) { return a < b ? a : b; }
  VOX_HD static float larger(float a, float b) { return a > b ? a : b; }
  VOX_HD static float size(float a) { return a < 0 ? -a : a; }

  static constexpr float kCellsPerBeam = 0.5f;

  const Dag& dag_;
  uint32_t log2_side_;
  detail::BeamAxis x_ = {}, y_ = {}, z_ = {};
  uint32_t mirrored_ = 0;
  bool known_ = true;
  float margin_ = 0;     // in voxels, around each cell
  float narrowest_ = 0;  // the least width of cells, per unit of depth
};

// Returns the ray with its start moved to that of its beam, if that is later. The depth is converted to
// ticks along the ray's longest axis and slightly reduced, so that rounding starts no ray too late.
VOX_HD inline Ray begun_in_beam(const Ray& ray, const Course& course, const PixelRays& rays, float depth) {
  const float ticks = depth * (course.longest / rays.depth_one) *
                      power_of_two(static_cast<int32_t>(log2_ticks(course.log2_side)));
  return ticks < 0x1p60f ? begun_later(ray, static_cast<int64_t>(ticks * (1 - 0x1p-20f)) - 4) : ray;
}

}  // namespace vox::render
