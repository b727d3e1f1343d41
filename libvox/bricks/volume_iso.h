// Pictures of an isosurface of a volume: a ray stops where the interpolated value first reaches that of the surface.
//
// It is looked for at the positions at which all pictures of a volume take values (volume_cast.h), and from the one
// before on by halves. The light is that of the values' gradient there, or of the volume's side, where values
// have been reached by then: there the volume is cut.
#pragma once

#include "libvox/bricks/volume_cast.h"

namespace vox::bricks {

template <class Access, class T>
struct CastIso {
  static constexpr int kHalvings = 6;  // a 128th of a voxel

  Access access;
  CastView view;
  uint64_t first = 0;  // of the pixels that this part of the loop goes over

  VOX_HD void operator()(uint64_t i) const {
    VolumeWalk<Access>::cast_pixel(view, first + i, [this](const CastRay& ray) { return seen(ray); });
  }

 private:
  VOX_HD CastPixel seen(const CastRay& ray) const {
    const Interpolator<Access, T> values = {access, view.meaning};
    const VolumeWalk<Access> walk = {access, view};
    uint32_t reached = ray.count;
    walk.each_sample(ray, [&](uint32_t n) {
      if (!(values(ray.at(n)) >= view.iso)) return true;  // nor is one that is no number on it
      reached = n;
      return false;
    });
    if (reached == ray.count) return walk.pixel(view.background);
    const Vec3<float> growth = reached > 0
                                   ? values.cell(ray.between(crossing(values, ray, reached))).gradient()
                                   : into_side(ray.at(0), values);
    // The last colour of the table is that of the surface in full light.
    const float light = walk.light_of(growth) / (view.ambient + view.sun);
    return walk.pixel(view.colors[kCastColors - 1].color * light);
  }

  // The way into the volume by the side that is less than a voxel from here; the gradient where none is.
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

  // Where the ray is on the surface, which lies between sample n and the one before.
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
