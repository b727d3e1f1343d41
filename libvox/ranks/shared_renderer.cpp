#include "libvox/ranks/shared_renderer.h"

#include <utility>

namespace vox::ranks {
namespace {

class SharedRenderer final : public render::Renderer {
 public:
  SharedRenderer(Ranks& ranks, std::unique_ptr<render::Renderer> own)
      : is_first_(ranks.rank() == 0), share_(ranks), own_(std::move(own)) {}

  render::Picture render(const render::RenderOptions& options) override {
    return render_together(share_, *own_, options);
  }
  render::Picture slice(const render::SliceOptions& options) override {
    return is_first_ ? own_->slice(options) : render::Picture();
  }

 private:
  bool is_first_;
  PictureShare share_;
  std::unique_ptr<render::Renderer> own_;
};

class SharedVolumeRenderer final : public render::VolumeRenderer {
 public:
  SharedVolumeRenderer(Ranks& ranks, std::unique_ptr<render::VolumeRenderer> own)
      : share_(ranks), own_(std::move(own)) {}

  volume::ValueRange range() const override { return own_->range(); }
  render::Picture render(const render::VolumeRenderOptions& options) override {
    return render_together(share_, *own_, options);
  }

 private:
  PictureShare share_;
  std::unique_ptr<render::VolumeRenderer> own_;
};

}  // namespace

std::unique_ptr<render::Renderer> shared_renderer(Ranks& ranks, std::unique_ptr<render::Renderer> own) {
  return std::make_unique<SharedRenderer>(ranks, std::move(own));
}

std::unique_ptr<render::VolumeRenderer> shared_renderer(Ranks& ranks,
                                                        std::unique_ptr<render::VolumeRenderer> own) {
  return std::make_unique<SharedVolumeRenderer>(ranks, std::move(own));
}

}  // namespace vox::ranks
