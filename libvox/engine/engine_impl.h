// The engine on one device: each call goes to the room that does the work. engine_cpu.cpp and engine_cuda.cu
// include this file and name the device.
#pragma once

#include "libvox/base/process.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/verify.h"
#include "libvox/edit/edit_session.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox {

template <class Device>
class DeviceEngine final : public Engine {
 public:
  template <class... Args>
  explicit DeviceEngine(const EngineOptions& options, Args... args)
      : threads_(options.threads),
        table_(options.table),
        device_(args..., options.memory_limit, options.profile) {}

  std::string device() const override { return device_.name(); }
  std::string device_text() const override { return device_.text(); }
  uint64_t memory_limit() override { return device_.pool().limit(); }
  device::DeviceHandle handle() override { return &device_; }
  std::vector<device::KernelTime> profile() const override { return device_.profiler().rows(); }
  void restart_measuring() override { device_.restart_measuring(); }

  painting::Painting paint(const scene::Scene& scene, const painting::Strokes& strokes,
                           const painting::PaintOptions& options) override {
    return painting::paint_scene(device_, scene, strokes, options);
  }

  void build_shares(const build::SceneInput& input, const build::BuildManner& manner, ranks::Ranks* launched,
                    const ShareUse& use) override {
    const auto build_on = [&](ranks::Ranks& ranks) {
      use_here(*this);
      use(ranks, build::build_scene(device_, ranks, input, manner, {.table = table_}));
    };
    launched ? build_on(*launched) : ranks::run_thread_ranks(1, build_on);
  }

  void verify(const dag::FrozenDag& dag) override { dag::verify_on(device_, dag); }

  dag::FrozenDag without_materials(const dag::FrozenDag& dag) override {
    return dag::without_materials(device_, dag);
  }

  spatial::HashResult build_hash(const dag::FrozenDag& dag, const spatial::HashOptions& options) override {
    return spatial::build_hash(device_, dag, options);
  }

  dag::FrozenDag dag_of_hash(const spatial::FrozenHash& hash) override {
    return spatial::dag_of_hash(device_, hash);
  }

  std::unique_ptr<edit::EditSession> edit(const dag::FrozenDag& dag) override {
    return edit::make_edit_session(device_, table_, dag);
  }

  std::unique_ptr<render::Renderer> renderer(const dag::FrozenDag& dag,
                                             const scene::Palette& palette) override {
    return render::make_renderer(device_, dag, palette);
  }

  std::unique_ptr<render::VolumeRenderer> volume_renderer(const bricks::FrozenBricks& bricks) override {
    return render::make_volume_renderer(device_, bricks);
  }

  bricks::BricksResult build_bricks(const volume::Volume& volume,
                                    const bricks::BricksOptions& options) override {
    return bricks::build_bricks(device_, volume, options);
  }

  std::vector<bricks::BrickTotals> measure_bricks(const volume::Volume& volume,
                                                  const bricks::BricksOptions& options) override {
    return bricks::measure_bricks(device_, volume, options);
  }

  std::unique_ptr<bricks::BricksReader> bricks_reader(const bricks::FrozenBricks& bricks,
                                                      const bricks::JitOptions& options) override {
    return bricks::make_bricks_reader(device_, bricks, options);
  }

 private:
  ThreadLimit threads_;
  std::string table_;
  Device device_;
};

}  // namespace vox
