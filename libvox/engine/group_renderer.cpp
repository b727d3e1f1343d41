#include "libvox/engine/group_renderer.h"

#include "libvox/ranks/shared_renderer.h"
#include "libvox/ranks/thread_ranks.h"

namespace vox {
namespace {

// Each renderer is called by a thread of its own.
template <class Renderer, class Options>
render::Picture picture_of_group(const std::vector<RendererOn<Renderer>>& renderers, const Options& options) {
  render::Picture result;
  ranks::run_thread_ranks(static_cast<uint32_t>(renderers.size()), [&](ranks::Ranks& ranks) {
    const RendererOn<Renderer>& own = renderers[ranks.rank()];
    use_here(*own.engine);
    ranks::PictureShare share(ranks);
    render::Picture picture = ranks::render_together(share, *own.renderer, options);
    if (ranks.rank() == 0) result = std::move(picture);
  });
  return result;
}

class GroupRenderer final : public render::Renderer {
 public:
  explicit GroupRenderer(std::vector<RendererOn<render::Renderer>> renderers)
      : renderers_(std::move(renderers)) {}

  render::Picture render(const render::RenderOptions& options) override {
    return picture_of_group(renderers_, options);
  }
  render::Picture slice(const render::SliceOptions& options) override {
    return renderers_.front().renderer->slice(options);
  }

 private:
  std::vector<RendererOn<render::Renderer>> renderers_;
};

class GroupVolumeRenderer final : public render::VolumeRenderer {
 public:
  explicit GroupVolumeRenderer(std::vector<RendererOn<render::VolumeRenderer>> renderers)
      : renderers_(std::move(renderers)) {}

  volume::ValueRange range() const override { return renderers_.front().renderer->range(); }
  render::Picture render(const render::VolumeRenderOptions& options) override {
    return picture_of_group(renderers_, options);
  }

 private:
  std::vector<RendererOn<render::VolumeRenderer>> renderers_;
};

}  // namespace

std::unique_ptr<render::Renderer> group_renderer(std::vector<RendererOn<render::Renderer>> renderers) {
  return std::make_unique<GroupRenderer>(std::move(renderers));
}

std::unique_ptr<render::VolumeRenderer> group_renderer(
    std::vector<RendererOn<render::VolumeRenderer>> renderers) {
  return std::make_unique<GroupVolumeRenderer>(std::move(renderers));
}

}  // namespace vox
