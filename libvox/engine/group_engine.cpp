#include "libvox/engine/group_engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/device/profiler.h"
#include "libvox/ranks/picture_share.h"
#include "libvox/ranks/ranks.h"

namespace vox {
namespace {

[[noreturn]] void throw_needs_one() {
  throw UsageError(
      "several devices are named, which can only build SVDAGs of meshes and take pictures together; this "
      "runs on one")
      .about("device");
}

// Returns the results of make(engine) for each engine. Afterwards this thread's calls go to the first engine.
template <class Made, class Make>
std::vector<RendererOn<Made>> made_on_each(const std::vector<std::unique_ptr<Engine>>& engines,
                                           const Make& make) {
  std::vector<RendererOn<Made>> made;
  for (const auto& engine : engines) {
    use_here(*engine);
    made.push_back({engine.get(), make(*engine)});
  }
  use_here(*engines.front());
  return made;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool names_several(const std::string& device) {
  return device.find(',') != std::string::npos;
}

std::vector<std::string> listed_devices(const std::string& device) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= device.size();) {
    const size_t end = std::min(device.find(',', begin), device.size());
    std::string name = device.substr(begin, end - begin);
    if (is_number(name) && !names.empty() && names.back().starts_with("cuda")) name = "cuda:" + name;
    if (name == "cuda") name = "cuda:0";
    if (name != "cpu" && !name.starts_with("cuda:"))
      throw UsageError(
          fmt::format("the device is '{}', expected a list of cpu and cuda:N, such as cuda:0,1", device))
          .about("device");
    if (name != "cpu" && std::ranges::find(names, name) != names.end())
      throw UsageError(fmt::format("the device is '{}', which names {} twice", device, name)).about("device");
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

std::string GroupEngine::device() const {
  std::vector<std::string> names;
  for (const auto& engine : engines_) names.push_back(engine->device());
  return fmt::format("{}", fmt::join(names, ","));
}

std::string GroupEngine::device_text() const {
  std::vector<std::string> texts;
  for (const auto& engine : engines_) texts.push_back(engine->device_text());
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<device::KernelTime> GroupEngine::profile() const {
  std::vector<std::vector<device::KernelTime>> profiles;
  for (const auto& engine : engines_) profiles.push_back(engine->profile());
  return device::all_kernels(profiles);
}

void GroupEngine::restart_measuring() {
  for (const auto& engine : engines_) engine->restart_measuring();
}

void GroupEngine::build_shares(const build::SceneInput& input, const build::BuildManner& manner,
                               ranks::Ranks* launched, const ShareUse& use) {
  if (launched) throw_needs_one();
  ranks::run_thread_ranks(static_cast<uint32_t>(engines_.size()), [&](ranks::Ranks& ranks) {
    engines_[ranks.rank()]->build_shares(input, manner, &ranks, use);
  });
}

spatial::HashResult GroupEngine::build_hash(const dag::FrozenDag&, const spatial::HashOptions&) {
  throw_needs_one();
}

std::unique_ptr<edit::EditSession> GroupEngine::edit(const dag::FrozenDag&) {
  throw_needs_one();
}

std::unique_ptr<render::Renderer> GroupEngine::renderer(const dag::FrozenDag& dag,
                                                        const scene::Palette& palette) {
  return group_renderer(
      made_on_each<render::Renderer>(engines_, [&](Engine& one) { return one.renderer(dag, palette); }));
}

bricks::BricksResult GroupEngine::build_bricks(const volume::Volume&, const bricks::BricksOptions&) {
  throw_needs_one();
}

std::vector<bricks::BrickTotals> GroupEngine::measure_bricks(const volume::Volume&,
                                                             const bricks::BricksOptions&) {
  throw_needs_one();
}

std::unique_ptr<bricks::BricksReader> GroupEngine::bricks_reader(const bricks::FrozenBricks&,
                                                                 const bricks::JitOptions&) {
  throw_needs_one();
}

std::unique_ptr<render::VolumeRenderer> GroupEngine::volume_renderer(const bricks::FrozenBricks& bricks) {
  return group_renderer(made_on_each<render::VolumeRenderer>(
      engines_, [&](Engine& one) { return one.volume_renderer(bricks); }));
}

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
