// The renderer on one device. Included by render_cpu.cpp and render_cuda.cu, which only say which.
#pragma once

#include <cmath>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/base/tiles.h"
#include "libvox/dag/filled_box.h"
#include "libvox/device/uploaded.h"
#include "libvox/render/cast_pixels.h"
#include "libvox/render/node_boxes.h"
#include "libvox/render/render.h"
#include "libvox/render/sharing.h"
#include "libvox/render/slice_impl.h"
#include "libvox/scene/oklab.h"

namespace vox::render {

inline constexpr uint32_t kLightCodes = 1 << 16;

// Gives the 8-bit sRGB code of linear light, by a table in steps of 1 / 65535.
struct LightCodes {
  const uint8_t* codes;

  VOX_HD uint8_t operator()(float light) const {
    const float at = light * (kLightCodes - 1) + 0.5f;
    return codes[at < 0 ? 0 : at >= kLightCodes ? kLightCodes - 1 : static_cast<uint32_t>(at)];
  }
};

// Finds where the rays of each tile begin.
struct StartBeams {
  RayDagRef dag;
  PixelRays rays;
  Tiles order;    // of the beams, which are the pixels of a smaller image
  float* depths;  // [width * height] of that image

  VOX_HD void operator()(uint64_t i) const {
    const Vec2<uint32_t> tile = order.pixel(i);
    if (order.holds(tile)) depths[order.index(tile)] = Beam(dag, rays, tile).start();
  }
};

struct RenderPixels {
  static constexpr int kBlocksAtOnce = 3;
  RayDagRef dag;
  PixelRays rays;
  Shading shading;
  LightCodes codes;
  uint32_t width, height, samples;
  const float* depths;  // at which the beams around pixels start
  scene::Rgba8* pixels;
  uint64_t first = 0;  // of the pixels that this part of the loop goes over

  VOX_HD void operator()(uint64_t i) const {
    const Tiles tiles = {width, height};
    const Vec2<uint32_t> at = tiles.pixel(first + i);
    if (tiles.holds(at)) pixels[tiles.index(at)] = pixel(at.x, at.y);
  }

 private:
  VOX_HD scene::Rgba8 pixel(uint32_t x, uint32_t y) const {
    const float depth = depths[BeamTiles{width, height}.around({x, y})];
    Light sum = {0, 0, 0};
    if (depth >= kHitsNothing) {
      for (uint32_t s = 0; s < samples; ++s) sum = sum + shading.sky;
    } else {
      const Shader shade(dag, rays, shading);
      const uint64_t seed = (uint64_t{y} * width + x) * samples;
      for (uint32_t s = 0; s < samples; ++s)
        sum = sum + shade(subpixel(x, s, 0xc13fa9a9u), subpixel(y, s, 0x91e10da6u), depth, seed + s);
    }
    const float share = 1 / static_cast<float>(samples);
    return {codes(sum.x * share), codes(sum.y * share), codes(sum.z * share), 255};
  }

  // The place of a sample in its pixel, by Roberts' R2 sequence: any number of points are spread evenly, the
  // first in the middle. `step` is in 2^-32 of a pixel.
  VOX_HD static uint32_t subpixel(uint32_t pixel, uint32_t sample, uint32_t step) {
    const uint32_t at = 0x80000000u + sample * step;
    return pixel << kSubpixelBits | at >> (32 - kSubpixelBits);
  }
};

namespace detail {

inline void check_picture(const RenderOptions& options) {
  check_image_size(options.size);
  if (options.samples == 0) throw Error("no samples a pixel").hint("one at least");
}

inline std::vector<uint8_t> light_codes() {
  std::vector<uint8_t> codes(kLightCodes);
  for (uint32_t i = 0; i < kLightCodes; ++i) codes[i] = scene::linear_to_srgb(i / double{kLightCodes - 1});
  return codes;
}

}  // namespace detail

template <class Device>
class DeviceRenderer final : public Renderer {
 public:
  DeviceRenderer(Device& device, const dag::FrozenDag& dag, const scene::Palette& palette)
      : device_(device),
        dag_(dag),
        palette_(palette),
        filled_(dag::filled_box(dag)),
        rays_(device, dag),
        open_courses_(device::uploaded(device, open_courses(rays_.ref().log2_side))),
        codes_(device::uploaded(device, detail::light_codes())) {}

  Picture render(const RenderOptions& options) override {
    detail::check_picture(options);
    Camera camera = make_camera(options.pose, options.size, rays_.ref().log2_side);
    if (options.lod == LevelOfDetail::Off || options.shade == Shade::Sharing)
      camera.spread = 0;
    else if (!rays_.has_boxes())
      rays_.set_boxes(bound_nodes(device_, rays_.ref()));
    const RayDagRef dag = rays_.ref();
    const RampEnds ramp = ramp_ends(filled_, camera, options.shade);
    Shading shading = make_shading(ramp, dag.log2_side, palette_, options);
    shading.open_courses = open_courses_.data();
    Picture picture;
    picture.low = ramp.low;
    picture.high = ramp.high;
    if (options.shade == Shade::Sharing) {
      if (!sharing_) sharing_ = count_sharing(device_, dag_, dag);
      shading.use_codes = sharing_->codes.data();
      const uint32_t powers = std::max((sharing_->most + 3) / 4, 1u);
      shading.high = static_cast<float>(powers * 4);
      picture.low = 1;
      picture.high = std::exp2(powers);
    }
    const auto [width, height] = options.size;
    picture.rays = uint64_t{width} * height * options.samples;
    const PixelRays rays = pixel_rays(camera);
    const BeamTiles tiles = {width, height};
    const auto depths = device_.template make<float>(tiles.count());
    RenderPixels body = {dag,           rays,    shading, {codes_.data()}, width, height, options.samples,
                         depths.data(), nullptr, 0};
    make_pixels(picture, options.size, [&](scene::Rgba8* pixels) {
      body.pixels = pixels;
      const double beams = device_.seconds([&] {
        const Tiles order = {tiles.across(), tiles.down()};
        device_.for_each({"render: beams", 4}, order.count(), StartBeams{dag, rays, order, depths.data()});
      });
      return beams +
             cast_pixels(device_, body, Tiles{width, height}.count(), rays_of_pixel(options), kRaysAtOnce);
    });
    return picture;
  }

  Picture slice(const SliceOptions& options) override {
    const SliceFrame frame = slice_frame(options, filled_, cube_at({0, 0, 0}, 1u << rays_.ref().log2_side));
    SlicePixels body = {rays_.ref(), frame, {}, opaque(options.empty), nullptr};
    for (uint32_t i = 0; i < scene::kPaletteSize; ++i) body.colors[i] = opaque(material_color(palette_, i));
    Picture picture;
    make_pixels(picture, frame.size(), [&](scene::Rgba8* pixels) {
      body.pixels = pixels;
      return device_.seconds([&] {
        device_.for_each({"render: slice", 4}, uint64_t{frame.size().width} * frame.size().height, body);
      });
    });
    return picture;
  }

 private:
  static constexpr uint64_t kRaysAtOnce = 1 << 23;  // a second's work of two processor cores

  static uint64_t rays_of_pixel(const RenderOptions& options) {
    const uint64_t further = options.shade == Shade::Material ? 1 + uint64_t{options.ao_rays} : 0;
    return options.samples * (1 + further);
  }

  template <class Make>
  void make_pixels(Picture& picture, ImageSize size, const Make& make) {
    auto pixels = device_.template make<scene::Rgba8>(uint64_t{size.width} * size.height);
    picture.seconds = make(pixels.data());
    picture.image = {"", size.width, size.height, std::vector<scene::Rgba8>(pixels.size())};
    device_.download(picture.image.pixels.data(), pixels.data(), pixels.size());
  }

  static scene::Rgba8 opaque(scene::Rgb8 color) { return {color.r, color.g, color.b, 255}; }

  Device& device_;
  const dag::FrozenDag& dag_;
  const scene::Palette& palette_;
  VoxelBox filled_;
  RayDag<Device> rays_;
  device::Buffer<Course> open_courses_;
  device::Buffer<uint8_t> codes_;
  std::optional<Sharing> sharing_;  // where it was asked for
};

template <class Device>
std::unique_ptr<Renderer> make_renderer(Device& device, const dag::FrozenDag& dag,
                                        const scene::Palette& palette) {
  return std::make_unique<DeviceRenderer<Device>>(device, dag, palette);
}

}  // namespace vox::render
