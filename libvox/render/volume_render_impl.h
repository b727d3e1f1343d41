// The volume renderer on one device.
#pragma once

#include "libvox/bricks/device_bricks.h"
#include "libvox/bricks/empty_space.h"
#include "libvox/bricks/volume_iso.h"
#include "libvox/render/render_impl.h"
#include "libvox/render/volume_render.h"

namespace vox::render {

template <class Device>
class DeviceVolumeRenderer final : public VolumeRenderer {
 public:
  DeviceVolumeRenderer(Device& device, const bricks::FrozenBricks& bricks)
      : device_(device),
        bricks_(bricks),
        range_(color_range(bricks)),
        on_device_(device, bricks),
        empty_spaces_(device, on_device_.ref(), bricks.info.type) {}

  volume::ValueRange range() const override { return range_; }

  Picture render(const VolumeRenderOptions& options) override {
    const volume::ValueRange range = options.range.value_or(range_);
    bricks::CastView view = cast_view(bricks_, range, options);
    const auto [width, height] = options.size;
    const RowBand band = band_of(options.band, options.size);
    const auto colors = device::uploaded(device_, cast_colors(options));
    const auto pixels = device_.template make<bricks::CastPixel>(uint64_t{width} * height);
    view.colors = colors.data();
    view.pixels = pixels.data();
    if (view.skips_empty != 0) view.empty_space = empty_spaces_.of(view.reach());
    Picture picture;
    picture.low = range.low;
    picture.high = range.high;
    picture.image = band_image(options.size, band);
    picture.rays = picture.image.pixels.size();
    volume::with_word_type(bricks_.info.type, [&]<class T>() {
      const auto cast = [&](auto body) {
        body.first = view.tiles().begin_of_row(band.begin);
        picture.seconds =
            cast_pixels(device_, body, view.tiles().end_of_row(band.end - 1), 1, rays_at_once());
      };
      bricks::with_root(on_device_.ref(), [&]<class Access>(const Access& access) {
        if (options.iso)
          cast(bricks::CastIso<Access, T>{access, view});
        else
          cast(bricks::CastVolume<Access, T>{access, view});
      });
    });
    std::vector<bricks::CastPixel> seen(picture.image.pixels.size());
    device_.download(seen.data(), pixels.data() + uint64_t{band.begin} * width, seen.size());
    std::ranges::transform(seen, picture.image.pixels.begin(), [](bricks::CastPixel p) {
      return scene::Rgba8{p.r, p.g, p.b, p.a};
    });
    return picture;
  }

 private:
  // If rays go through the whole volume, this is a second or two of work for two processor cores.
  uint64_t rays_at_once() const {
    const Int3 size = bricks_.info.size;
    return 32 * device_.preferred_chunk_pairs() / static_cast<uint64_t>(size.x + size.y + size.z);
  }

  Device& device_;
  const bricks::FrozenBricks& bricks_;
  volume::ValueRange range_;
  bricks::DeviceBricks<Device> on_device_;
  bricks::EmptySpaces<Device> empty_spaces_;
};

template <class Device>
std::unique_ptr<VolumeRenderer> make_volume_renderer(Device& device, const bricks::FrozenBricks& bricks) {
  VolumeSpace{bricks.info};  // throws now instead of at the first picture
  return std::make_unique<DeviceVolumeRenderer<Device>>(device, bricks);
}

}  // namespace vox::render
