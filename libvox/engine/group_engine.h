// An engine of several devices of this process. They build scenes and take pictures together, each as a rank
// (libvox/ranks). Work that needs a single device, and is part of a conversion or of a picture, runs on the
// first one.
#pragma once

#include <utility>
#include <vector>

#include "libvox/engine/engine.h"

namespace vox {

// Returns the names of the devices in a list such as "cuda:0,1" or "cpu,cuda:2". Throws UsageError if it is
// not such a list.
std::vector<std::string> listed_devices(const std::string& device);
// True if the text names several devices.
bool names_several(const std::string& device);

class GroupEngine final : public Engine {
 public:
  // There must be at least one engine.
  explicit GroupEngine(std::vector<std::unique_ptr<Engine>> engines) : engines_(std::move(engines)) {}

  std::string device() const override;
  std::string device_text() const override;
  uint64_t memory_limit() override { return first().memory_limit(); }
  device::DeviceHandle handle() override { return first().handle(); }
  std::vector<device::KernelTime> profile() const override;
  void restart_measuring() override;

  // Throws UsageError if there are launched ranks.
  void build_shares(const build::SceneInput& input, const build::BuildManner& manner, ranks::Ranks* launched,
                    const ShareUse& use) override;

  painting::Painting paint(const scene::Scene& scene, const painting::Strokes& strokes,
                           const painting::PaintOptions& options) override {
    return first().paint(scene, strokes, options);
  }
  void verify(const dag::FrozenDag& dag) override { first().verify(dag); }
  dag::FrozenDag without_materials(const dag::FrozenDag& dag) override {
    return first().without_materials(dag);
  }
  dag::FrozenDag dag_of_hash(const spatial::FrozenHash& hash) override { return first().dag_of_hash(hash); }

  // All devices take pictures together.
  std::unique_ptr<render::Renderer> renderer(const dag::FrozenDag& dag,
                                             const scene::Palette& palette) override;
  std::unique_ptr<render::VolumeRenderer> volume_renderer(const bricks::FrozenBricks& bricks) override;

  // The following functions throw UsageError.
  spatial::HashResult build_hash(const dag::FrozenDag& dag, const spatial::HashOptions& options) override;
  std::unique_ptr<edit::EditSession> edit(const dag::FrozenDag& dag) override;
  bricks::BricksResult build_bricks(const volume::Volume& volume,
                                    const bricks::BricksOptions& options) override;
  std::vector<bricks::BrickTotals> measure_bricks(const volume::Volume& volume,
                                                  const bricks::BricksOptions& options) override;
  std::unique_ptr<bricks::BricksReader> bricks_reader(const bricks::FrozenBricks& bricks,
                                                      const bricks::JitOptions& options) override;

 private:
  Engine& first() const { return *engines_.front(); }

  std::vector<std::unique_ptr<Engine>> engines_;
};

// Renderers on all devices of a group. They share the rows of each picture like ranks
// (ranks/picture_share.h).

// A renderer and its engine, which must outlive it.
template <class Renderer>
struct RendererOn {
  Engine* engine;
  std::unique_ptr<Renderer> renderer;
};

// There must be at least one renderer. The first one takes slices.
std::unique_ptr<render::Renderer> group_renderer(std::vector<RendererOn<render::Renderer>> renderers);
std::unique_ptr<render::VolumeRenderer> group_renderer(
    std::vector<RendererOn<render::VolumeRenderer>> renderers);

}  // namespace vox
