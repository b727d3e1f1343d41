// The engine on one device: each call goes to the room whose business it is. Included by engine_cpu.cpp and
// engine_cuda.cu, which only say which device.
#pragma once

#include "libvox/base/thread_limit.h"
#include "libvox/dag/without_materials.h"
#include "libvox/edit/make_edit_session.h"
#include "libvox/engine/engine.h"

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
  DeviceHandle handle() override { return &device_; }
  std::vector<KernelTime> profile() const override { return device_.profiler().rows(); }

  BuildResult build(const Scene& scene, const IndexedScene& indexed, const Grid& grid,
                    const BuildOptions& options) override {
    return build_scene(device_, scene, indexed, grid, options, {.table = table_});
  }

  FrozenDag without_materials(const FrozenDag& dag) override { return vox::without_materials(device_, dag); }

  std::unique_ptr<EditSession> edit(const FrozenDag& dag) override {
    return make_edit_session(device_, table_, dag);
  }

  std::unique_ptr<Renderer> renderer(const FrozenDag& dag, const Palette& palette) override {
    return make_renderer(device_, dag, palette);
  }

  std::unique_ptr<VolumeRenderer> volume_renderer(const FrozenBricks& bricks) override {
    return make_volume_renderer(device_, bricks);
  }

  BricksResult build_bricks(const Volume& volume, const BricksOptions& options) override {
    return vox::build_bricks(device_, volume, options);
  }

  std::vector<BrickTotals> measure_bricks(const Volume& volume, const BricksOptions& options) override {
    return vox::measure_bricks(device_, volume, options);
  }

  std::unique_ptr<BricksReader> bricks_reader(const FrozenBricks& bricks,
                                              const JitOptions& options) override {
    return make_bricks_reader(device_, bricks, options);
  }

 private:
  ThreadLimit threads_;
  std::string table_;
  Device device_;
};

}  // namespace vox
