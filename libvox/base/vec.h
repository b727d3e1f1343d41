// Small vectors of fixed size, the only ones in the toolkit.
#pragma once

#include <cstdint>

#include "libvox/base/hd.h"

namespace vox {

template <class T>
struct Vec2 {
  T x, y;
  VOX_HD friend bool operator==(const Vec2&, const Vec2&) = default;
};

template <class T>
struct Vec3 {
  T x, y, z;

  // The coordinate on an axis: 0, 1 or 2. It is not read from an array, so that a GPU keeps the vector in
  // registers.
  VOX_HD constexpr const T& operator[](uint32_t axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  VOX_HD constexpr T& operator[](uint32_t axis) { return axis == 0 ? x : axis == 1 ? y : z; }

  VOX_HD friend Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  VOX_HD friend Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  VOX_HD friend Vec3 operator*(Vec3 a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  VOX_HD friend bool operator==(const Vec3&, const Vec3&) = default;
};

// Products and quotients axis by axis.
template <class T>
VOX_HD Vec3<T> product(Vec3<T> a, Vec3<T> b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class T>
VOX_HD Vec3<T> quotient(Vec3<T> a, Vec3<T> b) {
  return {a.x / b.x, a.y / b.y, a.z / b.z};
}

template <class T>
VOX_HD T dot(Vec3<T> a, Vec3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
VOX_HD Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

using Vec2f = Vec2<float>;
using Vec3d = Vec3<double>;
using Int3 = Vec3<int32_t>;

}  // namespace vox
