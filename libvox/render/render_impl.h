// The renderer on one device.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/walk.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/render/node_colors.h"
#include "libvox/render/ray_dag.h"
#include "libvox/render/render.h"
#include "libvox/render/symmetric_rays.h"
#include "libvox/render/voxel_colors.h"
#include "libvox/scene/oklab.h"

namespace vox::render {

// Loops over the pixels of a picture run in parts, because they may take long.

// Runs the body for the pixels from body.first to before `end`, with `rays_each` rays per pixel, in parts of
// at most `rays_at_once` rays, so that long work can report progress and be stopped. body.first is the first
// pixel of a part. Returns the seconds on the device.
template <class Device, class Body>
double cast_pixels(Device& device, Body body, uint64_t end, uint64_t rays_each, uint64_t rays_at_once) {
  const uint64_t at_once = std::max<uint64_t>(rays_at_once / rays_each, 32);
  const uint64_t begin = body.first;
  Progress progress("casting rays", end - begin);
  double seconds = 0;
  while (body.first < end) {
    throw_if_cancelled();
    const uint64_t n = std::min(at_once, end - body.first);
    seconds += device.seconds([&] {
      if constexpr (device::kReadsHostMemory<Device> && requires { body.render_together(n, n); })
        device.template for_each_block<char>(
            {"render: pixels", 4 * Body::kTogether}, (n + Body::kTogether - 1) / Body::kTogether,
            [&](auto, uint64_t i) {
              throw_if_cancelled();
              body.render_together(i * Body::kTogether, std::min(n, (i + 1) * Body::kTogether));
            });
      else
        device.for_each({"render: pixels", 4}, n, body);
    });
    body.first += n;
    const uint64_t done = body.first - begin;
    if (end - begin > at_once) progress.update(done, format_count(done * rays_each) + " rays");
  }
  return seconds;
}

// Finds where the rays of each tile begin.
template <class Dag>
struct StartBeams {
  Dag dag;
  PixelRays rays;
  Tiles order;    // the order of the beams; each is a pixel of a smaller image
  float* depths;  // [width * height] of the smaller image
  uint64_t first = 0;

  VOX_HD void operator()(uint64_t i) const {
    const Vec2<uint32_t> tile = order.pixel(first + i);
    if (order.holds(tile)) depths[order.index(tile)] = Beam<Dag>(dag, rays, tile).start();
  }
};

template <class Dag, class Colors>
struct RenderPixels {
  static constexpr int kBlocksAtOnce = 4;
  Dag dag;
  PixelRays rays;
  Shading shading;
  LightCodes codes;
  Colors voxel_colors;
  uint32_t width, height, samples;
  const float* depths;  // the depths at which pixels' beams start
  scene::Rgba8* pixels;
  uint64_t first = 0;              // the first pixel of this part of the loop
  const uint32_t* list = nullptr;  // pixels' places in the order of tiles, from `base` on; nullptr: all
  uint64_t base = 0;

  VOX_HD void operator()(uint64_t i) const {
    const Vec2<uint32_t> at = place(i);
    if (const Tiles tiles = {width, height}; tiles.holds(at)) pixels[tiles.index(at)] = pixel(at.x, at.y);
  }

  // Does the same as operator() for the i with begin <= i < end, at most kTogether, on a processor.
  static constexpr uint32_t kTogether = 16;
  void render_together(uint64_t begin, uint64_t end) const {
    const Tiles tiles = {width, height};
    const Shader<Dag, Colors> shade(dag, rays, shading, voxel_colors);
    std::array<Vec2<uint32_t>, kTogether> places;
    std::array<Light, kTogether> sums;
    uint32_t count = 0;
    for (uint64_t i = begin; i < end; ++i) {
      const Vec2<uint32_t> at = place(i);
      if (!tiles.holds(at)) continue;
      if (sees_sky_alone(depth_at(at))) {
        pixels[tiles.index(at)] = pixel(at.x, at.y);
        continue;
      }
      sums[count] = {0, 0, 0};
      places[count++] = at;
    }
    std::array<Course, kTogether> courses;
    std::array<Ray, kTogether> cast;
    std::array<PassedNodes, kTogether> passed;
    std::array<typename Shader<Dag, Colors>::Hit, kTogether> hits;
    for (uint32_t s = 0; s < samples; ++s) {
      for (uint32_t i = 0; i < count; ++i) {
        courses[i] = shade.course_through(sample_x(places[i].x, s), sample_y(places[i].y, s));
        cast[i] = shade.ray_on(courses[i], depth_at(places[i]));
        if (depth_at(places[i]) >= kHitsNothing) cast[i].end = INT64_MIN;  // before its start
      }
      trace_together<kTogether>(dag, cast, count, passed, hits);
      for (uint32_t i = 0; i < count; ++i)
        sums[i] =
            sums[i] + shade.light_of(sample_x(places[i].x, s), sample_y(places[i].y, s), courses[i], cast[i],
                                     passed[i], hits[i], seed_of(places[i].x, places[i].y) + s);
    }
    for (uint32_t i = 0; i < count; ++i) pixels[tiles.index(places[i])] = color(sums[i]);
  }

 private:
  VOX_HD Vec2<uint32_t> place(uint64_t i) const {
    return Tiles{width, height}.pixel(list != nullptr ? base + list[first + i] : first + i);
  }
  VOX_HD float depth_at(Vec2<uint32_t> at) const { return depths[BeamTiles{width, height}.around(at)]; }
  VOX_HD bool sees_sky_alone(float depth) const { return depth >= kHitsNothing && shading.ground.shown == 0; }
  VOX_HD uint64_t seed_of(uint32_t x, uint32_t y) const { return (uint64_t{y} * width + x) * samples; }

  VOX_HD scene::Rgba8 pixel(uint32_t x, uint32_t y) const {
    const float depth = depth_at({x, y});
    Light sum = {0, 0, 0};
    const Shader<Dag, Colors> shade(dag, rays, shading, voxel_colors);
    if (sees_sky_alone(depth)) {
      sum = shade.sky(subpixel(x, 0, 0), subpixel(y, 0, 0)) * static_cast<float>(samples);
    } else {
      const uint64_t seed = seed_of(x, y);
      for (uint32_t s = 0; s < samples; ++s)
        sum = sum + shade(sample_x(x, s), sample_y(y, s), depth, seed + s);
    }
    return color(sum);
  }

  // Returns the color of a pixel from the sum of its samples.
  VOX_HD scene::Rgba8 color(Light sum) const {
    const float share = shading.exposure / static_cast<float>(samples);
    const auto code = [&](float light) { return static_cast<uint8_t>(codes(light * share)); };
    return {code(sum.x), code(sum.y), code(sum.z), 255};
  }

  // Returns the place of a sample in its pixel, from Roberts' R2 sequence. It spreads any number of
  // points evenly, and the first one is in the middle. `step` is in 2^-32 of a pixel.
  VOX_HD static uint32_t subpixel(uint32_t pixel, uint32_t sample, uint32_t step) {
    const uint32_t at = 0x80000000u + sample * step;
    return pixel << kSubpixelBits | at >> (32 - kSubpixelBits);
  }
  VOX_HD static uint32_t sample_x(uint32_t x, uint32_t s) { return subpixel(x, s, 0xc13fa9a9u); }
  VOX_HD static uint32_t sample_y(uint32_t y, uint32_t s) { return subpixel(y, s, 0x91e10da6u); }
};
static_assert(device::ResidentBody<RenderPixels<RayDagRef, NoVoxelColors>>);

// True if the i-th pixel from `base` on, in the order of tiles, differs visibly from a neighbor, so that an
// edge may go through it.
struct IsOnEdge {
  Tiles tiles;
  const scene::Rgba8* pixels;
  uint64_t base;

  VOX_HD bool operator()(uint64_t i) const {
    const Vec2<uint32_t> at = tiles.pixel(base + i);
    if (!tiles.holds(at)) return false;
    const scene::Rgba8 color = pixels[tiles.index(at)];
    return differs(color, at.x > 0, {at.x - 1, at.y}) ||
           differs(color, at.x + 1 < tiles.width, {at.x + 1, at.y}) ||
           differs(color, at.y > 0, {at.x, at.y - 1}) ||
           differs(color, at.y + 1 < tiles.height, {at.x, at.y + 1});
  }

 private:
  static constexpr int kSeen = 6;  // of 255; differences up to this one are not seen as an edge

  VOX_HD bool differs(scene::Rgba8 color, bool is_there, Vec2<uint32_t> beside) const {
    if (!is_there) return false;
    const scene::Rgba8 other = pixels[tiles.index(beside)];
    return apart(color.r, other.r) || apart(color.g, other.g) || apart(color.b, other.b);
  }
  VOX_HD static bool apart(uint8_t a, uint8_t b) { return (a > b ? a - b : b - a) > kSeen; }
};

namespace detail {

inline std::vector<float> light_of_codes() {
  std::vector<float> light(256);
  for (uint32_t i = 0; i < light.size(); ++i) {
    const auto code = static_cast<uint8_t>(i);
    light[i] = static_cast<float>(scene::srgb_to_linear(scene::Rgb8{code, code, code}).x);
  }
  return light;
}

inline void check_picture(const RenderOptions& options) {
  check_image_size(options.size);
  if (options.samples == 0) throw Error("there are no samples per pixel").hint("at least one is needed");
  if (!(options.exposure > 0 && options.exposure < HUGE_VAL))
    throw Error("the exposure must be a finite number above 0");
}

}  // namespace detail

// `Rays` is RayDag or SymmetricRays of the device.
template <class Device, class Rays>
class DeviceRenderer final : public Renderer {
 public:
  DeviceRenderer(Device& device, const dag::FrozenDag& dag, const scene::Palette& palette,
                 const RendererOptions& options, Rays rays)
      : device_(device),
        dag_(dag),
        palette_(palette),
        filled_(dag::filled_box(dag)),
        rays_(std::move(rays)),
        detail_memory_(options.detail_memory),
        voxels_per_unit_(Vec3d{1, 1, 1} / options.voxel_size * options.voxel_size.shortest()),
        open_courses_(device::uploaded(device, open_courses(rays_.ref().log2_side, voxels_per_unit_))),
        codes_(device::uploaded(device, light_codes())),
        light_of_code_(device::uploaded(device, detail::light_of_codes())) {
    if (options.colors != nullptr || options.normals != nullptr)
      voxel_colors_.emplace(device, voxel_numbers(dag, options), options.colors, options.normals);
  }

  Picture render(const RenderOptions& options) override {
    if (!voxel_colors_) return render(options, NoVoxelColors());
    VoxelColorsRef colors = voxel_colors_->ref();
    if (options.normals != Normals::Auto) colors.normals = {};
    if (!colors.has_colors() && !colors.has_normals()) return render(options, NoVoxelColors());
    colors.light_of_code = light_of_code_.data();
    // If a pixel has several samples, they see different voxels already.
    colors.mean = options.colors != LevelColors::Mean ? 0 : options.samples > 1 ? 2 : 4;
    return render(options, colors);
  }

  template <class Colors>
  Picture render(const RenderOptions& options, const Colors& voxel_colors) {
    detail::check_picture(options);
    const RowBand band = band_of(options.band, options.size);
    const Camera camera = make_camera(options.pose, options.size, rays_.ref().log2_side, voxels_per_unit_);
    Camera cast = camera;
    if (options.lod == LevelOfDetail::Off || options.shade == Shade::Sharing)
      cast.spread = 0;
    else if (!rays_.has_boxes() && !rays_.is_in_place())
      make_levels_of_detail();
    const auto dag = rays_.ref();
    const RampEnds ramp = ramp_ends(filled_, cast, options.shade);
    Shading shading = make_shading(ramp, camera, palette_, options);
    shading.ground = ground_plane(filled_, options);
    shading.open_courses = open_courses_.data();
    if constexpr (Ref::kMayHaveMaterials)
      if (!voxel_colors.has_colors() && options.colors == LevelColors::Mean && cast.spread > 0 &&
          options.shade == Shade::Material && !rays_.is_in_place()) {
        if (!node_colors_)
          node_colors_ = average_nodes(device_, dag, finest_, shading.colors, LightCodes{codes_.data()});
        shading.node_colors = node_colors_->data();
        shading.light_of_code = light_of_code_.data();
      }
    Picture picture;
    picture.low = ramp.low;
    picture.high = ramp.high;
    if (options.shade == Shade::Sharing) {
      count_uses();
      shading.use_codes = sharing_->codes.data();
      const uint32_t powers = std::max((sharing_->most + 3) / 4, 1u);
      shading.high = static_cast<float>(powers * 4);
      picture.low = 1;
      picture.high = std::exp2(powers);
    }
    const auto [width, height] = options.size;
    const bool adaptive = options.sampling == Sampling::Edges && options.samples > 1;
    const Tiles pixel_tiles = {width, height};
    const PixelRays rays = pixel_rays(cast);
    const BeamTiles tiles = {width, height};
    const auto depths = device_.template make<float>(tiles.count());
    // The first sample of a pixel and those of its neighbors tell if it is on an edge, so the rows above and
    // below the band are needed too.
    const uint32_t more = adaptive ? 1 : 0;
    const uint32_t top = band.begin - std::min(more, band.begin),
                   last = std::min(band.end - 1 + more, height - 1);
    RenderPixels<Ref, Colors> body = {.dag = dag,
                                      .rays = rays,
                                      .shading = shading,
                                      .codes = {codes_.data()},
                                      .voxel_colors = voxel_colors,
                                      .width = width,
                                      .height = height,
                                      .samples = adaptive ? 1 : options.samples,
                                      .depths = depths.data(),
                                      .pixels = nullptr};
    make_pixels(picture, options.size, band, [&](scene::Rgba8* pixels) {
      body.pixels = pixels;
      const double beams = device_.seconds([&] {
        const Tiles order = {tiles.across(), tiles.down()};
        const uint64_t first = order.begin_of_row(top >> kLog2BeamSide);
        device_.for_each({"render: beams", 4}, order.end_of_row(last >> kLog2BeamSide) - first,
                         StartBeams<Ref>{dag, rays, order, depths.data(), first});
      });
      body.first = pixel_tiles.begin_of_row(top);
      double seconds = beams + cast_pixels(device_, body, pixel_tiles.end_of_row(last),
                                           rays_of_sample(options) * body.samples, kRaysAtOnce);
      picture.rays = uint64_t{options.size.width} * (band.end - band.begin) * body.samples;
      if (!adaptive) return seconds;
      body.base = pixel_tiles.begin_of_row(band.begin);
      const uint64_t all = pixel_tiles.end_of_row(band.end - 1) - body.base;
      const auto list = device_.template make<uint32_t>(all);
      uint64_t count = 0;
      seconds += device_.seconds([&] {
        count =
            device_.select({"render: edges", 24}, all, IsOnEdge{pixel_tiles, pixels, body.base}, list.data());
      });
      body.first = 0;
      body.samples = options.samples;
      body.list = list.data();
      picture.rays += count * body.samples;
      picture.refined = count;
      return seconds + cast_pixels(device_, body, count, rays_of_sample(options) * body.samples, kRaysAtOnce);
    });
    return picture;
  }

  Picture slice(const SliceOptions& options) override {
    const SliceFrame frame = slice_frame(options, filled_, cube_at({0, 0, 0}, 1u << rays_.ref().log2_side));
    SlicePixels<Ref> body = {rays_.ref(), frame, {}, opaque(options.empty), {}, nullptr};
    if (voxel_colors_) body.voxel_colors = voxel_colors_->ref();
    for (uint32_t i = 0; i < scene::kPaletteSize; ++i) body.colors[i] = opaque(material_color(palette_, i));
    Picture picture;
    make_pixels(picture, frame.size, {0, frame.size.height}, [&](scene::Rgba8* pixels) {
      body.pixels = pixels;
      return device_.seconds([&] {
        device_.for_each({"render: slice", 4}, uint64_t{frame.size.width} * frame.size.height, body);
      });
    });
    return picture;
  }

 private:
  using Ref = decltype(std::declval<const Rays&>().ref());

  static constexpr uint64_t kRaysAtOnce = 1 << 23;  // about one second's work for two processor cores

  static uint64_t rays_of_sample(const RenderOptions& options) {
    return options.shade == Shade::Material ? 2 + uint64_t{options.ao_rays} : 1;
  }

  template <class Make>
  void make_pixels(Picture& picture, ImageSize size, const RowBand& band, const Make& make) {
    auto pixels = device_.template make<scene::Rgba8>(uint64_t{size.width} * size.height);
    picture.seconds = make(pixels.data());
    picture.image = band_image(size, band);
    device_.download(picture.image.pixels.data(), pixels.data() + uint64_t{band.begin} * size.width,
                     picture.image.pixels.size());
  }

  // Leaves room for colors, which may be needed later, and for pictures.
  void make_levels_of_detail() {
    const uint64_t available = device_.pool().available();
    const uint64_t memory = std::min(detail_memory_, available - available / 16);
    if constexpr (Ref::kMayHaveMaterials) {
      finest_ = finest_level(rays_.ref(), memory, dag_.materials);
      rays_.set_boxes(bound_nodes(device_, rays_.ref(), finest_), finest_);
    } else {
      rays_.make_boxes(device_);
    }
  }

  void count_uses() {
    if constexpr (Ref::kMayHaveMaterials) {
      if (!sharing_) sharing_ = count_sharing(device_, dag_, rays_.ref());
    } else {
      throw Error("how often nodes are shared is shown of an SVDAG alone");
    }
  }

  static std::vector<dag::VoxelNumbers::Level> voxel_numbers(const dag::FrozenDag& dag,
                                                             const RendererOptions& options) {
    if (!Ref::kMayHaveMaterials) {
      std::vector<dag::VoxelNumbers::Level> levels = voxels_of_children(*options.symmetric);
      const dag::SymmetricDag& symmetric = *options.symmetric;
      if (!symmetric.empty() && levels.empty())
        check_count(static_cast<uint64_t>(popcount(dag::leaf_mask(symmetric.levels.front().node(0)))),
                    options);
      else if (!symmetric.empty())
        check_count(levels.front().low[0] |
                        (levels.front().high.empty() ? 0 : uint64_t{levels.front().high[0]} << 32),
                    options);
      return levels;
    }
    if (dag.paged) throw Error("colors and normals need a scene that is in memory as a whole");
    const dag::VoxelNumbers numbers(dag);
    if (!dag.empty()) check_count(numbers.voxels(0, 0), options);
    return numbers.levels();
  }

  // Throws Error if there are fewer colors or normals than voxels. A ray finds them by the number of its voxel.
  static void check_count(uint64_t voxels, const RendererOptions& options) {
    for (const attributes::PackedValues* values : {options.colors, options.normals})
      if (values != nullptr && voxels > values->count)
        throw Error("there are " + std::to_string(values->count) +
                    (values == options.colors ? " colors for " : " normals for ") + std::to_string(voxels) +
                    " voxels");
  }

  static scene::Rgba8 opaque(scene::Rgb8 color) { return {color.r, color.g, color.b, 255}; }

  Device& device_;
  const dag::FrozenDag& dag_;
  const scene::Palette palette_;
  VoxelBox filled_;
  Rays rays_;
  const uint64_t detail_memory_;
  const Vec3d voxels_per_unit_;  // see Camera::per_unit
  device::Buffer<Course> open_courses_;
  device::Buffer<uint8_t> codes_;
  device::Buffer<float> light_of_code_;
  uint32_t finest_ = 0;             // see finest_level()
  std::optional<Sharing> sharing_;  // set when it is first needed
  std::optional<device::Buffer<PackedColor>> node_colors_;
  std::optional<VoxelColors<Device>> voxel_colors_;
};

template <class Device>
std::unique_ptr<Renderer> make_renderer(Device& device, const dag::FrozenDag& dag,
                                        const scene::Palette& palette, const RendererOptions& options) {
  if (options.symmetric != nullptr)
    return std::make_unique<DeviceRenderer<Device, SymmetricRays<Device>>>(
        device, dag, palette, options, SymmetricRays<Device>(device, *options.symmetric));
  return std::make_unique<DeviceRenderer<Device, RayDag<Device>>>(
      device, dag, palette, options, RayDag<Device>(device, dag, options.far_words));
}

}  // namespace vox::render
