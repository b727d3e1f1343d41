// Decides in integers which voxels belong to a shape. A voxel belongs to it if its center lies in it or
// on its border.
//
// Lengths are in 1/256 voxel. Two places are at most 2^30 apart, so squares and dot products fit in 64
// bits, and products of two such numbers in 128 bits.
#pragma once

#include "libvox/base/bits.h"
#include "libvox/edit/content.h"
#include "libvox/edit/edit.h"

namespace vox::edit {

// Noise in integers: random values at the corners of a lattice, and linear interpolation between them. It
// is the same on every machine.

inline constexpr int kNoiseBits = 15;  // values are in [−2^15, 2^15]

VOX_HD inline int64_t noise_corner(uint32_t seed, int64_t x, int64_t y, int64_t z) {
  uint64_t hash = mix64(seed ^ static_cast<uint64_t>(x) * 0x9e3779b97f4a7c15ull);
  hash = mix64(hash ^ static_cast<uint64_t>(y));
  hash = mix64(hash ^ static_cast<uint64_t>(z));
  return static_cast<int64_t>(hash >> 48) - (1 << kNoiseBits);
}

// Returns the noise at a place. Places are in 1/256 voxel; the lattice's corners are `grain` voxels apart.
VOX_HD inline int64_t noise_at(const EditPlace& p, uint32_t seed, uint32_t grain) {
  const int64_t cell = grain * kEditUnits;
  const EditPlace shifted = {p.x + (kMaxEditPlace << 9), p.y + (kMaxEditPlace << 9),
                             p.z + (kMaxEditPlace << 9)};
  const EditPlace corner = {shifted.x / cell, shifted.y / cell, shifted.z / cell};
  const EditPlace inside = shifted - corner * cell;
  const auto between = [&](int64_t a, int64_t b, int64_t at) { return a + (b - a) * at / cell; };
  const auto along_x = [&](int64_t y, int64_t z) {
    return between(noise_corner(seed, corner.x, y, z), noise_corner(seed, corner.x + 1, y, z), inside.x);
  };
  const auto along_y = [&](int64_t z) {
    return between(along_x(corner.y, z), along_x(corner.y + 1, z), inside.y);
  };
  return between(along_y(corner.z), along_y(corner.z + 1), inside.z);
}

enum class Where : uint8_t { Outside, Border, Inside };

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

VOX_HD inline int64_t squared(int64_t v) {
  return v * v;
}
VOX_HD inline int64_t length2(const EditPlace& v) {
  return dot(v, v);
}
VOX_HD inline int64_t magnitude(int64_t v) {
  return v < 0 ? -v : v;
}

VOX_HD inline EditPlace center_of(const Int3& voxel) {
  constexpr int64_t kHalf = kEditUnits / 2;
  return {voxel.x * kEditUnits + kHalf, voxel.y * kEditUnits + kHalf, voxel.z * kEditUnits + kHalf};
}

// The box around the centers of a region's voxels.
struct CenterBox {
  EditPlace lo, hi;

  VOX_HD explicit CenterBox(const Region& region)
      : lo(center_of(region.min)), hi(center_of(region.end() - Int3{1, 1, 1})) {}

  VOX_HD EditPlace corner(uint32_t i) const {
    return {i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z};
  }
  // These return the distances from a place to the nearest and to the farthest point of the box, axis by
  // axis, without sign.
  VOX_HD EditPlace nearest(const EditPlace& p) const {
    return {gap(p.x, lo.x, hi.x), gap(p.y, lo.y, hi.y), gap(p.z, lo.z, hi.z)};
  }
  VOX_HD EditPlace farthest(const EditPlace& p) const {
    return {reach(p.x, lo.x, hi.x), reach(p.y, lo.y, hi.y), reach(p.z, lo.z, hi.z)};
  }

 private:
  VOX_HD static int64_t gap(int64_t p, int64_t lo, int64_t hi) {
    return p < lo ? lo - p : p > hi ? p - hi : 0;
  }
  VOX_HD static int64_t reach(int64_t p, int64_t lo, int64_t hi) {
    const int64_t a = magnitude(p - lo), b = magnitude(p - hi);
    return a > b ? a : b;
  }
};

VOX_HD inline bool in_sphere(const EditPlace& offset, int64_t radius) {
  return radius >= 0 && length2(offset) <= squared(radius);
}

VOX_HD inline bool in_box(const Shape& box, const EditPlace& p, int64_t grown) {
  return p.x >= box.a.x - grown && p.y >= box.a.y - grown && p.z >= box.a.z - grown &&
         p.x <= box.b.x + grown && p.y <= box.b.y + grown && p.z <= box.b.z + grown;
}

// True if a place p lies within `radius` of the line through a and b. The squared distance times |b − a|² is
// |p − a|² |b − a|² − ((p − a) · (b − a))².
VOX_HD inline bool near_line(const EditPlace& from_a, int64_t along, int64_t length2_ab, int64_t radius) {
  return Int128{length2(from_a)} * length2_ab - Int128{along} * along <= Int128{squared(radius)} * length2_ab;
}

VOX_HD inline bool in_capsule(const Shape& shape, const EditPlace& p, int64_t radius) {
  const EditPlace axis = shape.b - shape.a, from_a = p - shape.a;
  const int64_t along = dot(from_a, axis), all = length2(axis);
  if (along <= 0) return in_sphere(from_a, radius);
  if (along >= all) return in_sphere(p - shape.b, radius);
  return near_line(from_a, along, all, radius);
}

VOX_HD inline bool in_cylinder(const Shape& shape, const EditPlace& p) {
  const EditPlace axis = shape.b - shape.a, from_a = p - shape.a;
  const int64_t along = dot(from_a, axis), all = length2(axis);
  return along >= 0 && along <= all && near_line(from_a, along, all, shape.radius);
}

// A number of 192 bits, for the products of an ellipsoid's squares.
struct Wide {
  uint64_t high;
  UInt128 low;

  // Returns a · b · c, for factors below 2^60.
  VOX_HD static Wide product(uint64_t a, uint64_t b, uint64_t c) {
    const UInt128 ab = UInt128{a} * b;
    const UInt128 low = static_cast<uint64_t>(ab) * UInt128{c};
    const UInt128 high = static_cast<uint64_t>(ab >> 64) * UInt128{c} + (low >> 64);
    return {static_cast<uint64_t>(high >> 64), high << 64 | static_cast<uint64_t>(low)};
  }
  VOX_HD friend Wide operator+(const Wide& a, const Wide& b) {
    const UInt128 low = a.low + b.low;
    return {a.high + b.high + (low < a.low ? 1 : 0), low};
  }
  VOX_HD friend bool operator<=(const Wide& a, const Wide& b) {
    return a.high != b.high ? a.high < b.high : a.low <= b.low;
  }
};

// True if (x / rx)² + (y / ry)² + (z / rz)² ≤ 1, computed without a division. If a radius is 0, the
// ellipsoid is flat and lies in the plane through its center.
VOX_HD inline bool in_ellipsoid(const EditPlace& offset, const EditPlace& radii) {
  uint64_t d[3], r[3];
  for (uint32_t i = 0; i < 3; ++i) {
    if (magnitude(offset[i]) > radii[i]) return false;
    d[i] = static_cast<uint64_t>(squared(offset[i]));
    r[i] = radii[i] == 0 ? 1 : static_cast<uint64_t>(squared(radii[i]));
  }
  return Wide::product(d[0], r[1], r[2]) + Wide::product(d[1], r[0], r[2]) +
             Wide::product(d[2], r[0], r[1]) <=
         Wide::product(r[0], r[1], r[2]);
}

VOX_HD inline bool contains(const Shape& shape, const EditPlace& p) {
  int64_t grown = 0;
  if (shape.roughness > 0) grown = (noise_at(p, shape.seed, shape.grain) * shape.roughness) >> kNoiseBits;
  switch (shape.kind) {
    case ShapeKind::Everything:
      return true;
    case ShapeKind::Sphere:
      return in_sphere(p - shape.a, shape.radius + grown);
    case ShapeKind::Box:
      return in_box(shape, p, grown);
    case ShapeKind::Capsule:
      return in_capsule(shape, p, shape.radius);
    case ShapeKind::Cylinder:
      return in_cylinder(shape, p);
    case ShapeKind::Ellipsoid:
      return in_ellipsoid(p - shape.a, shape.b);
  }
  return false;
}
VOX_HD inline bool contains(const Shape& shape, const Int3& voxel) {
  return contains(shape, center_of(voxel));
}

// Does the same as leaf_in() for a sphere. The squares along each axis are the same for all voxels of a
// plane.
VOX_HD inline uint64_t leaf_in_sphere(const Shape& sphere, const Int3& corner) {
  const EditPlace first = center_of(corner) - sphere.a;
  int64_t x2[4], y2[4], z2[4];
  for (uint32_t i = 0; i < 4; ++i) {
    x2[i] = squared(first.x + i * kEditUnits);
    y2[i] = squared(first.y + i * kEditUnits);
    z2[i] = squared(first.z + i * kEditUnits);
  }
  const int64_t reach = squared(sphere.radius);
  uint64_t mask = 0;
  for (uint32_t z = 0; z < 4; ++z)
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 4; ++x)
        if (x2[x] + y2[y] + z2[z] <= reach) mask |= uint64_t{1} << cube_bit(x, y, z);
  return mask;
}

// Returns the voxels of the leaf at `corner` that belong to the shape, as a leaf's mask.
VOX_HD inline uint64_t leaf_in(const Shape& shape, const Int3& corner) {
  if (shape.kind == ShapeKind::Everything) return UINT64_MAX;
  if (shape.kind == ShapeKind::Sphere && shape.roughness == 0) return leaf_in_sphere(shape, corner);
  uint64_t mask = 0;
  for (uint32_t bit = 0; bit < 64; ++bit)
    if (contains(shape, corner + cube_place(bit))) mask |= uint64_t{1} << bit;
  return mask;
}

// Classifies a box by its corners, for a convex shape without roughness: Inside if all corners are
// inside, otherwise Border.
VOX_HD inline Where by_corners(const Shape& shape, const CenterBox& box) {
  for (uint32_t i = 0; i < 8; ++i)
    if (!contains(shape, box.corner(i))) return Where::Border;
  return Where::Inside;
}

// True if the ball around the box does not reach the shape's axis, or if the box lies beyond one end of the
// cylinder.
VOX_HD inline bool misses_axis(const Shape& shape, const CenterBox& box) {
  const EditPlace size = box.hi - box.lo;
  const EditPlace center = {box.lo.x + size.x / 2, box.lo.y + size.y / 2, box.lo.z + size.z / 2};
  if (!in_capsule(shape, center, shape.radius + size.x + 1))
    return true;  // half a diagonal is √3/2 of a side
  if (shape.kind != ShapeKind::Cylinder) return false;
  const EditPlace axis = shape.b - shape.a;
  bool before = true, behind = true;
  for (uint32_t i = 0; i < 8; ++i) {
    const int64_t along = dot(box.corner(i) - shape.a, axis);
    before = before && along < 0;
    behind = behind && along > length2(axis);
  }
  return before || behind;
}

// Returns where a region lies. Border means that its voxels may differ.
VOX_HD inline Where where_is(const Shape& shape, const Region& region) {
  const CenterBox box(region);
  switch (shape.kind) {
    case ShapeKind::Everything:
      return Where::Inside;
    case ShapeKind::Sphere:
      if (!in_sphere(box.nearest(shape.a), shape.radius + shape.roughness)) return Where::Outside;
      return in_sphere(box.farthest(shape.a), shape.radius - shape.roughness) ? Where::Inside : Where::Border;
    case ShapeKind::Box: {
      const int64_t grown = shape.roughness;
      const bool apart = box.hi.x < shape.a.x - grown || box.hi.y < shape.a.y - grown ||
                         box.hi.z < shape.a.z - grown || box.lo.x > shape.b.x + grown ||
                         box.lo.y > shape.b.y + grown || box.lo.z > shape.b.z + grown;
      if (apart) return Where::Outside;
      return in_box(shape, box.lo, -grown) && in_box(shape, box.hi, -grown) ? Where::Inside : Where::Border;
    }
    case ShapeKind::Capsule:
    case ShapeKind::Cylinder:
      return misses_axis(shape, box) ? Where::Outside : by_corners(shape, box);
    case ShapeKind::Ellipsoid:
      if (!in_ellipsoid(box.nearest(shape.a), shape.b)) return Where::Outside;
      return in_ellipsoid(box.farthest(shape.a), shape.b) ? Where::Inside : Where::Border;
  }
  return Where::Border;
}

}  // namespace vox::edit
