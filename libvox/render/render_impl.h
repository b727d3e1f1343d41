// Included by render_cpu.cpp and render_cuda.cu, which only say which device.
#pragma once

#include <string>

#include "libvox/base/error.h"
#include "libvox/render/render.h"
#include "libvox/scene/oklab.h"

namespace vox {

inline constexpr uint32_t kLightCodes = 1 << 16;

// 8-bit sRGB of linear light in steps of 1 / 65535.
struct LightCodes {
  const uint8_t* codes;

  VOX_HD uint8_t operator()(float light) const {
    const float at = light * (kLightCodes - 1) + 0.5f;
    return codes[at < 0 ? 0 : at >= kLightCodes ? kLightCodes - 1 : static_cast<uint32_t>(at)];
  }
};

// Neighbouring rays go the same way: the 32 of a group are 8 x 4 pixels.
struct RenderPixels {
  RayDagRef dag;
  Camera camera;
  Shading shading;
  LightCodes codes;
  uint32_t width, height, samples;
  Rgba8* pixels;

  VOX_HD static uint32_t tiles_across(uint32_t width) { return (width + 7) / 8; }
  static uint64_t count(ImageSize size) {
    return uint64_t{tiles_across(size.width)} * ((size.height + 3) / 4) * 32;
  }

  VOX_HD void operator()(uint64_t i) const {
    const uint64_t tile = i / 32;
    const uint32_t across = tiles_across(width);
    const uint32_t x = static_cast<uint32_t>(tile % across * 8 + i % 8);
    const uint32_t y = static_cast<uint32_t>(tile / across * 4 + i / 8 % 4);
    if (x < width && y < height) pixels[uint64_t{y} * width + x] = pixel(x, y);
  }

 private:
  VOX_HD Rgba8 pixel(uint32_t x, uint32_t y) const {
    const Shader shade(dag, camera, shading);
    const uint64_t seed = (uint64_t{y} * width + x) * samples;
    Light sum = {0, 0, 0};
    for (uint32_t s = 0; s < samples; ++s)
      sum = sum + shade(x + offset(s, 0.7548776662466927), y + offset(s, 0.5698402909980532), seed + s);
    const float share = 1 / static_cast<float>(samples);
    return {codes(sum.x * share), codes(sum.y * share), codes(sum.z * share), 255};
  }

  // Roberts' R2 sequence: any number of points, evenly spread over the pixel, the first in its middle.
  VOX_HD static double offset(uint32_t sample, double step) {
    const double at = 0.5 + sample * step;
    return at - std::floor(at);
  }
};

namespace detail {

inline void check_picture(const RenderOptions& options) {
  const auto [width, height] = options.size;
  if (width > kMaxPictureSide || height > kMaxPictureSide)
    throw Error("an image of " + std::to_string(width) + " x " + std::to_string(height) + " is too large")
        .hint("at most " + std::to_string(kMaxPictureSide) + " pixels a side");
  if (options.samples == 0) throw Error("no samples a pixel").hint("one at least");
}

template <class T, class Device>
Buffer<T> uploaded_table(Device& device, const std::vector<T>& values) {
  auto buffer = device.template make<T>(values.size());
  device.upload(buffer.data(), values.data(), values.size());
  return buffer;
}

inline std::vector<uint8_t> light_codes() {
  std::vector<uint8_t> codes(kLightCodes);
  for (uint32_t i = 0; i < kLightCodes; ++i) codes[i] = linear_to_srgb(i / double{kLightCodes - 1});
  return codes;
}

}  // namespace detail

template <class Device>
Picture render(Device& device, const FrozenDag& dag, const Palette& palette, const RenderOptions& options) {
  detail::check_picture(options);
  const RayDag<Device> rays(device, dag);
  Camera camera = make_camera(options.pose, options.size, rays.ref().log2_side);
  if (options.lod == LevelOfDetail::Off) camera.spread = 0;
  Shading shading = make_shading(dag, palette, options);
  const auto hemisphere = detail::uploaded_table(device, hemisphere_directions());
  const auto codes = detail::uploaded_table(device, detail::light_codes());
  shading.hemisphere = hemisphere.data();
  const auto [width, height] = options.size;
  auto pixels = device.template make<Rgba8>(uint64_t{width} * height);
  const RenderPixels body = {rays.ref(), camera, shading,         {codes.data()},
                             width,      height, options.samples, pixels.data()};
  Picture picture;
  picture.near = shading.near;
  picture.far = shading.far;
  picture.seconds = device.seconds([&] {
    device.for_each({"render: pixels", 4}, RenderPixels::count(options.size), body);
  });
  picture.image = {"", width, height, std::vector<Rgba8>(pixels.size())};
  device.download(picture.image.pixels.data(), pixels.data(), pixels.size());
  return picture;
}

}  // namespace vox
