// Takes pictures of an isosurface of a volume. A ray stops where the interpolated value first reaches that
// of the surface.
//
// The place is searched for first at the positions where every picture of a volume samples values
// (volume_cast.h), and then by halving the last step. The light follows from the gradient of the values
// there. If the value is reached where the ray enters the volume, the volume is cut there, and the light is
// that of the volume's side.
#pragma once

#include "libvox/bricks/volume_cast.h"

namespace vox::bricks {

template <class Access, class T>
struct CastIso {
  static constexpr int kHalvings = 6;  // leaves a 128th of a voxel

  Access access;
  CastView view;
  uint64_t first = 0;  // the first pixel of this part of the loop

  VOX_HD void operator()(uint64_t i) const {
    VolumeWalk<Access>::cast_pixel(view, first + i, [this](const CastRay& ray) { return seen(ray); });
  }

 private:
  VOX_HD CastPixel seen(const CastRay& ray) const {
    const Interpolator<Access, T> values = {access, view.meaning};
    const VolumeWalk<Access> walk = {access, view};
    ValuesOfRay<Access, T> samples(access, view.meaning);
    uint32_t reached = ray.count;
    walk.each_sample(ray, [&](uint32_t n) {
      if (!(samples.cell(ray.at(n)).value() >= view.iso)) return true;  // NaN is not on the surface either
      reached = n;
      return false;
    });
    if (reached == ray.count) return walk.pixel(view.background);
    const Vec3<float> growth = reached > 0
                                   ? values.cell(ray.between(crossing(values, ray, reached))).gradient()
                                   : into_side(ray.at(0), values);
    // The last color of the table is that of the surface in full light.
    const float light = walk.light_of(growth) / (view.ambient + view.sun);
    return walk.pixel(view.colors[kCastColors - 1].color * light);
  }

  // Returns the direction into the volume from a side that is less than a voxel away, or the gradient if
  // there is no such side.
  VOX_HD Vec3<float> into_side(Vec3<float> at, const Interpolator<Access, T>& values) const {
    const Int3 size = view.meaning.size;
    Vec3<float> into = values.cell(at).gradient();
    float nearest = 1;
    const auto look = [&](float distance, Vec3<float> inwards) {
      if (distance >= nearest) return;
      nearest = distance;
      into = inwards;
    };
    look(at.x, {1, 0, 0});
    look(static_cast<float>(size.x) - at.x, {-1, 0, 0});
    look(at.y, {0, 1, 0});
    look(static_cast<float>(size.y) - at.y, {0, -1, 0});
    look(at.z, {0, 0, 1});
    look(static_cast<float>(size.z) - at.z, {0, 0, -1});
    return into;
  }

  // Returns where the ray crosses the surface, which lies between sample n and the previous one.
  VOX_HD float crossing(const Interpolator<Access, T>& values, const CastRay& ray, uint32_t n) const {
    float before = static_cast<float>(n - 1), behind = static_cast<float>(n);
    for (int i = 0; i < kHalvings; ++i) {
      const float middle = (before + behind) * 0.5f;
      const bool reached = values(ray.between(middle)) >= view.iso;
      before = reached ? before : middle;
      behind = reached ? middle : behind;
    }
    return behind;
  }
};

}  // namespace vox::bricks
