// Computes a volume's picture in a second, plain way: in doubles, over every value of the dense volume.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/volume_iso.h"
#include "libvox/render/volume_render.h"
#include "libvox/scene/oklab.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/render/traced.h"

namespace vox {

struct DenseCast {
  Int3 size;
  std::vector<double> values;  // x fastest
  double low, high;
  render::VolumeRenderOptions options;

  double at(int32_t x, int32_t y, int32_t z) const {
    const auto clamped = [](int32_t i, int32_t n) { return size_t(std::min(std::max(i, 0), n - 1)); };
    return values[(clamped(z, size.z) * size_t(size.y) + clamped(y, size.y)) * size_t(size.x) +
                  clamped(x, size.x)];
  }

  // The interpolated value and its gradient.
  struct Sample {
    double value;
    Vec3d growth;
  };
  Sample sample(Vec3d p) const {
    // Values are constant within half a voxel of the ends.
    const auto inside = [](double c, int32_t n) { return std::min(std::max(c - 0.5, 0.0), n - 1.0); };
    const Vec3d q = {inside(p.x, size.x), inside(p.y, size.y), inside(p.z, size.z)};
    const auto x = int32_t(q.x), y = int32_t(q.y), z = int32_t(q.z);
    Sample sum = {0, {0, 0, 0}};
    for (int dz = 0; dz < 2; ++dz)
      for (int dy = 0; dy < 2; ++dy)
        for (int dx = 0; dx < 2; ++dx) {
          const double v = at(x + dx, y + dy, z + dz);
          const double wx = dx ? q.x - x : 1 - (q.x - x), wy = dy ? q.y - y : 1 - (q.y - y),
                       wz = dz ? q.z - z : 1 - (q.z - z);
          sum.value += wx * wy * wz * v;
          sum.growth =
              sum.growth + Vec3d{(dx ? v : -v) * wy * wz, wx * (dy ? v : -v) * wz, wx * wy * (dz ? v : -v)};
        }
    const auto grows = [](double c, int32_t n) { return c > 0.5 && c < n - 0.5; };
    sum.growth = {grows(p.x, size.x) ? sum.growth.x : 0, grows(p.y, size.y) ? sum.growth.y : 0,
                  grows(p.z, size.z) ? sum.growth.z : 0};
    return sum;
  }

  double light(Vec3d growth) const {
    const double steep = std::sqrt(dot(growth, growth));
    const double sun = std::sqrt(dot(options.to_sun, options.to_sun));
    const double facing = steep > 0 ? -dot(growth, options.to_sun) / (steep * sun) : 0.5;
    return 0.55 + 0.6 * std::max(facing, 0.0);
  }

  Vec3d direction(double x, double y) const {
    const auto unit = [](Vec3d v) { return v * (1 / std::sqrt(dot(v, v))); };
    const Vec3d forward = unit(options.pose.target - options.pose.eye);
    const Vec3d right = unit(cross(forward, {0, 1, 0})), down = cross(forward, right);
    const auto [width, height] = options.size;
    const double pixel = 2 * std::tan(options.pose.fov / 360 * 3.14159265358979324) / std::min(width, height);
    return unit(forward + right * ((x - width / 2.0) * pixel) + down * ((y - height / 2.0) * pixel));
  }

  // Returns the opacity that the options give to a share of the range.
  double covers(double share) const {
    const render::OpacityCurve& curve = options.curve;
    if (curve.empty()) return options.opacity * share * share;
    for (size_t i = 0; i + 1 < curve.size(); ++i) {
      const double t = (share - curve[i].share) / (curve[i + 1].share - curve[i].share);
      if (t >= 0 && t <= 1) return curve[i].opacity * (1 - t) + curve[i + 1].opacity * t;
    }
    return share < curve[0].share ? curve[0].opacity : curve.back().opacity;
  }

  Vec3d scale_at(double share) const {
    static const render::ValueScale viridis = render::viridis_scale();
    const render::ValueScale& scale = options.scale.empty() ? viridis : options.scale;
    return numbers(scale[size_t(share * double(scale.size() - 1) + 0.5)]);
  }

  static Vec3d numbers(scene::Rgb8 c) { return {double(c.r), double(c.g), double(c.b)}; }

  // Returns the normal of the volume's nearest side if it is less than a voxel away.
  Vec3d into_side(Vec3d p, Vec3d otherwise) const {
    const double apart[] = {p.x, size.x - p.x, p.y, size.y - p.y, p.z, size.z - p.z};
    const Vec3d into[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const auto nearest = std::min_element(apart, apart + 6) - apart;
    return apart[nearest] < 1 ? into[nearest] : otherwise;
  }

  bool holds(Vec3d p) const {
    return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x <= size.x && p.y <= size.y && p.z <= size.z;
  }

  // Returns the color of a pixel of an isosurface, which is searched in steps of a twentieth of a voxel.
  Vec3d iso_pixel(uint32_t x, uint32_t y) const {
    const Vec3d along = direction(x + 0.5, y + 0.5), eye = options.pose.eye;
    bool is_first = true;
    for (int step = 0; step < 4000; ++step) {
      const Vec3d p = eye + along * (0.05 * step);
      if (!holds(p)) continue;
      const auto [value, growth] = sample(p);
      if ((value - low) / (high - low) < *options.iso) {
        is_first = false;
        continue;
      }
      return scale_at(1) * (light(is_first ? into_side(p, growth) : growth) / 1.15);
    }
    return numbers(options.background);
  }

  // Returns the color of a pixel, each component from 0 to 255.
  Vec3d pixel(uint32_t x, uint32_t y) const {
    if (options.iso) return iso_pixel(x, y);
    const Vec3d along = direction(x + 0.5, y + 0.5), eye = options.pose.eye;
    Vec3d color = {0, 0, 0};
    double clear = 1;
    for (int step = 1; step < 2000 && clear > 0.01; ++step) {
      const Vec3d p = eye + along * (0.5 * step);
      if (!holds(p)) continue;
      const auto [value, growth] = sample(p);
      const double share = std::round(std::min(std::max((value - low) / (high - low), 0.0), 1.0) * 255) / 255;
      const double opacity = 1 - std::pow(1 - covers(share), 0.5);
      color = color + scale_at(share) * (clear * opacity * light(growth));
      clear *= 1 - opacity;
    }
    color = color + numbers(options.background) * clear;
    return {std::min(color.x, 255.0), std::min(color.y, 255.0), std::min(color.z, 255.0)};
  }
};

using namespace testing_bricks;

constexpr render::ImageSize kVolumeImage = {53, 40};
constexpr std::array<volume::ValueType, 4> kTypes = {volume::ValueType::U8, volume::ValueType::U16,
                                                     volume::ValueType::I16, volume::ValueType::F32};

inline bricks::FrozenBricks bricks_of(const volume::Volume& volume, uint32_t log2_side,
                                      uint32_t types = bricks::kAllBrickTypes) {
  return bricks::build_bricks(test_engine()->handle(), volume,
                              {.log2_side = log2_side, .types = types, .threshold = {}})
      .bricks;
}

inline render::VolumeRenderOptions volume_view(const volume::VolumeInfo& info, const char* view = "iso") {
  const VoxelBox box = render::VolumeSpace(info).around(info.box());
  return {.pose = render::framing({&box, 1}, view, 20, 40, kVolumeImage), .size = kVolumeImage};
}

// Returns views of a volume from beside it, from inside, and along an axis.
inline std::vector<render::VolumeRenderOptions> volume_views(const volume::VolumeInfo& info) {
  std::vector<render::VolumeRenderOptions> list = {volume_view(info), volume_view(info, "left"),
                                                   volume_view(info)};
  list[1].opacity = 0.05;
  list[2].pose.eye = Vec3d{0.3, 0.4, 0.45} * info.size.x;
  list[2].pose.target = {1, 2, 3};
  list.push_back(volume_view(info));
  const int32_t half = info.size.y / 2;
  const double middle = half;  // for rays inside planes of the grid
  list[3].pose = {{-40, middle, middle}, {0, middle, middle}, 50};
  list[3].opacity = 1;
  list[3].size = {41, 41};
  return list;
}

inline render::Picture shown_volume(const bricks::FrozenBricks& bricks,
                                    const render::VolumeRenderOptions& options) {
  return render::make_volume_renderer(test_engine()->handle(), bricks)->render(options);
}

// A volume with waves of all values and an empty corner.
inline volume::Volume waves(Int3 size, volume::ValueType type) {
  return memory_volume(size, type, [=](Int3 v) {
    if (v.x + v.y < size.x / 2) return 0u;
    const double number =
        110 + 70 * std::sin(v.x * 0.31 + v.z * 0.12) + 50 * std::cos(v.y * 0.43 - v.z * 0.2);
    return bits_near(type, number);
  });
}

}  // namespace vox
