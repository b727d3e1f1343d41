#include "libvox/render/picture_share.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/device/devices.h"

namespace vox::render {
namespace {

using ranks::Ranks;

// Enough bands that ranks finish together, even if one part of a picture takes longer than another.
constexpr uint32_t kBandsPerRank = 8;

struct Bands {
  uint32_t height, rows;  // rows of the picture; rows of a band

  Bands(ImageSize size, uint32_t ranks) : height(size.height) {
    const uint32_t wanted = height / (kBandsPerRank * ranks);
    rows = std::max((wanted + kBandRows - 1) / kBandRows, 1u) * kBandRows;
  }
  uint32_t count() const { return (height + rows - 1) / rows; }
  RowBand operator[](uint64_t i) const {
    const auto begin = static_cast<uint32_t>(i) * rows;
    return {begin, std::min(begin + rows, height)};
  }
};

// The results of a rendered band, besides its pixels.
struct DoneBand {
  uint64_t number;
  double low, high;
  uint64_t refined, rays;
};

// Returns the longest of all ranks' times, because they work at the same time.
double longest(Ranks& ranks, double seconds) {
  double most = 0;
  for (const uint64_t bits : ranks.gather(std::bit_cast<uint64_t>(seconds)))
    most = std::max(most, std::bit_cast<double>(bits));
  return most;
}

Picture put_together(ImageSize size, const Bands& bands, const std::vector<DoneBand>& done,
                     const std::vector<scene::Rgba8>& pixels) {
  Picture picture;
  picture.image = band_image(size, {0, size.height});
  auto from = pixels.begin();
  for (const DoneBand& band : done) {
    const RowBand rows = bands[band.number];
    const auto count = static_cast<ptrdiff_t>(uint64_t{size.width} * (rows.end - rows.begin));
    std::copy_n(from, count,
                picture.image.pixels.begin() + static_cast<ptrdiff_t>(uint64_t{size.width} * rows.begin));
    from += count;
    picture.low = band.low;
    picture.high = band.high;
    picture.refined += band.refined;
    picture.rays += band.rays;
  }
  return picture;
}

}  // namespace

uint64_t PictureShare::take() {
  return kept_ ? *std::exchange(kept_, std::nullopt) : ranks_.take(1);
}

Picture PictureShare::render(ImageSize size, const std::function<Picture(const RowBand&)>& render_band) {
  check_image_size(size);
  const Bands bands(size, ranks_.count());
  std::vector<DoneBand> done;
  std::vector<scene::Rgba8> pixels;
  double seconds = 0;
  std::optional<Progress> progress;  // one progress bar stands for all ranks
  if (ranks_.rank() == 0) progress.emplace("casting rays", bands.count());
  for (;;) {
    throw_if_cancelled();
    const uint64_t number = take() - first_;
    if (number >= bands.count()) {
      kept_ = first_ + number;
      break;
    }
    Picture band;
    {
      const NoProgress quiet;
      band = render_band(bands[number]);
    }
    done.push_back({number, band.low, band.high, band.refined, band.rays});
    pixels.insert(pixels.end(), band.image.pixels.begin(), band.image.pixels.end());
    seconds += band.seconds;
    if (progress) progress->update(number + 1, format_count(number + 1, "band"));
  }
  first_ += bands.count();
  const std::vector<DoneBand> all = brought_to_first(ranks_, done);
  const std::vector<scene::Rgba8> all_pixels = brought_to_first(ranks_, pixels);
  Picture picture;
  if (ranks_.rank() == 0) picture = put_together(size, bands, all, all_pixels);
  picture.seconds = longest(ranks_, seconds);
  return picture;
}

namespace {

class SharedRenderer final : public Renderer {
 public:
  SharedRenderer(Ranks& ranks, std::unique_ptr<Renderer> own)
      : is_first_(ranks.rank() == 0), share_(ranks), own_(std::move(own)) {}

  Picture render(const RenderOptions& options) override { return render_together(share_, *own_, options); }
  Picture slice(const SliceOptions& options) override { return is_first_ ? own_->slice(options) : Picture(); }

 private:
  bool is_first_;
  PictureShare share_;
  std::unique_ptr<Renderer> own_;
};

class SharedVolumeRenderer final : public VolumeRenderer {
 public:
  SharedVolumeRenderer(Ranks& ranks, std::unique_ptr<VolumeRenderer> own)
      : share_(ranks), own_(std::move(own)) {}

  volume::ValueRange range() const override { return own_->range(); }
  Picture render(const VolumeRenderOptions& options) override {
    return render_together(share_, *own_, options);
  }

 private:
  PictureShare share_;
  std::unique_ptr<VolumeRenderer> own_;
};

}  // namespace

std::unique_ptr<Renderer> shared_renderer(Ranks& ranks, std::unique_ptr<Renderer> own) {
  return std::make_unique<SharedRenderer>(ranks, std::move(own));
}

std::unique_ptr<VolumeRenderer> shared_renderer(Ranks& ranks, std::unique_ptr<VolumeRenderer> own) {
  return std::make_unique<SharedVolumeRenderer>(ranks, std::move(own));
}

namespace {

// A renderer and its device.
template <class Renderer>
struct RendererOn {
  device::DeviceHandle device;
  std::unique_ptr<Renderer> renderer;
};

// Returns the results of make(device) for each device.
template <class Renderer, class Make>
std::vector<RendererOn<Renderer>> made_on_each(const std::vector<device::DeviceHandle>& devices,
                                               const Make& make) {
  std::vector<RendererOn<Renderer>> made;
  for (const device::DeviceHandle device : devices) {
    device::use_here(device);
    made.push_back({device, make(device)});
  }
  device::use_here(devices.front());
  return made;
}

// Each renderer is called by a thread of its own.
template <class Renderer, class Options>
Picture picture_of_all(const std::vector<RendererOn<Renderer>>& renderers, const Options& options) {
  Picture result;
  ranks::run_thread_ranks(static_cast<uint32_t>(renderers.size()), [&](Ranks& ranks) {
    const RendererOn<Renderer>& own = renderers[ranks.rank()];
    device::use_here(own.device);
    PictureShare share(ranks);
    Picture picture = render_together(share, *own.renderer, options);
    if (ranks.rank() == 0) result = std::move(picture);
  });
  return result;
}

class GroupRenderer final : public Renderer {
 public:
  explicit GroupRenderer(std::vector<RendererOn<Renderer>> renderers) : renderers_(std::move(renderers)) {}

  Picture render(const RenderOptions& options) override { return picture_of_all(renderers_, options); }
  Picture slice(const SliceOptions& options) override { return renderers_.front().renderer->slice(options); }

 private:
  std::vector<RendererOn<Renderer>> renderers_;
};

class GroupVolumeRenderer final : public VolumeRenderer {
 public:
  explicit GroupVolumeRenderer(std::vector<RendererOn<VolumeRenderer>> renderers)
      : renderers_(std::move(renderers)) {}

  volume::ValueRange range() const override { return renderers_.front().renderer->range(); }
  Picture render(const VolumeRenderOptions& options) override { return picture_of_all(renderers_, options); }

 private:
  std::vector<RendererOn<VolumeRenderer>> renderers_;
};

}  // namespace

std::unique_ptr<Renderer> make_renderer(const std::vector<device::DeviceHandle>& devices,
                                        const dag::FrozenDag& dag, const scene::Palette& palette,
                                        const RendererOptions& options) {
  if (devices.size() == 1) return make_renderer(devices.front(), dag, palette, options);
  return std::make_unique<GroupRenderer>(made_on_each<Renderer>(
      devices, [&](device::DeviceHandle device) { return make_renderer(device, dag, palette, options); }));
}

std::unique_ptr<VolumeRenderer> make_volume_renderer(const std::vector<device::DeviceHandle>& devices,
                                                     const bricks::FrozenBricks& bricks) {
  if (devices.size() == 1) return make_volume_renderer(devices.front(), bricks);
  return std::make_unique<GroupVolumeRenderer>(made_on_each<VolumeRenderer>(
      devices, [&](device::DeviceHandle device) { return make_volume_renderer(device, bricks); }));
}

}  // namespace vox::render
