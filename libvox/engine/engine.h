// The engine: the devices that a program has chosen. The rooms' calls take the handle of a device, such as
// `edit::make_edit_session(engine->handle(), engine->table(), dag)`. Programs never see CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "libvox/base/process.h"
#include "libvox/build/build_scene.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/devices.h"
#include "libvox/device/handle.h"
#include "libvox/device/profiler.h"
#include "libvox/ranks/ranks.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/build_scene.h"

namespace vox::render {
struct RenderOptions;
}

namespace vox {

struct EngineOptions {
  // "auto", "cpu", "cuda" or "cuda:N", or several devices that build together, such as "cuda:0,1".
  std::string device = "auto";
  uint32_t threads = 0;  // the host's threads; 0: all
  // The bytes that the process may use (on a CPU) or that a GPU may; 0: 80 % of the free memory.
  uint64_t memory_limit = 0;
  std::string table = "sector";  // the hash table that holds the DAG during the build
  bool profile = false;          // time every launch
};

// Throws UsageError if the options name several devices. A program whose work runs on one device calls this first.
void check_one_device(const EngineOptions& options);

// A function that receives the share that a rank has built. It may call collective functions.
using ShareUse = std::function<void(ranks::Ranks&, build::SceneShare)>;

// One device, or several that build scenes and take pictures together. An engine belongs to the thread that made it;
// another thread must call device::use_here() first. Nothing that the engine made may outlive it.
class Engine {
 public:
  // Makes these devices, at least one. The options' own list of devices is ignored.
  Engine(const EngineOptions& options, const std::vector<device::DeviceChoice>& devices);

  std::string device() const;       // "cpu", "cuda:0", or "cuda:0,cuda:1"
  std::string device_text() const;  // "CPU, 2 threads", "NVIDIA H200 (cuda:0), 139.80 GiB"
  const std::string& table() const { return table_; }

  // The bytes that the process may use if the first device is a CPU, or that this GPU may use.
  uint64_t memory_limit() const { return devices_.front()->pool().limit(); }

  // The first device's memory.
  device::Pool& memory() const { return devices_.front()->pool(); }

  // handle() is the first device, on which work for a single device runs; handles() are all devices.
  device::DeviceHandle handle() const { return devices_.front()->handle(); }
  std::vector<device::DeviceHandle> handles() const;
  bool has_one_device() const { return devices_.size() == 1; }

  std::vector<device::KernelTime> profile() const;  // times since restart_measuring(), longest first
  void restart_measuring();                         // resets the profile and the peak of memory

  // Voxelizes the triangles on all devices, as far as they lie inside the grid. drop_bad_triangles() must have
  // removed the bad ones.
  voxelize::BuildResult build(const scene::Scene& scene, const scene::IndexedScene& indexed,
                              const voxelize::Grid& grid, const voxelize::BuildOptions& options);

  // Does the same in any manner (build/build_scene.h), and hands each rank's share to use() on the rank's thread.
  // Each device is a rank. If `launched` is not nullptr, it is this process's only rank instead, with the first
  // device.
  void build_shares(const build::SceneInput& input, const build::BuildManner& manner, ranks::Ranks* launched,
                    const ShareUse& use);

 private:
  ThreadLimit threads_;
  std::string table_;
  std::vector<std::unique_ptr<device::AnyDevice>> devices_;
};

// Throws UsageError if the options are invalid, and Error if there is no device with this name.
std::unique_ptr<Engine> make_engine(const EngineOptions& options);

// Returns a scene that an engine has built of a mesh: the DAG with its palette and its place in the world. The caller
// sets where the scene comes from (source, generator, command, created).
dag::VoxelScene built_scene(voxelize::BuildResult result, const scene::IndexedScene& indexed,
                            const voxelize::Grid& grid, const voxelize::BuildOptions& options);

// An engine that starts while a program reads its files. A GPU needs a quarter of a second before it can be
// used, and every kernel is loaded at its first launch.
class EngineSoon {
 public:
  // On a GPU, the engine is made in another thread, and `warm_up` makes it launch the kernels that will be
  // needed. Errors of `warm_up` are ignored, because real work of the same kind reports them
  // later.
  EngineSoon(const EngineOptions& options, const std::function<void(Engine&)>& warm_up);

  // Waits for the engine and directs the calls of this thread to it. A processor's engine is made only now,
  // because the memory that the process holds already counts towards its limit. Call it once. Throws what
  // make_engine() throws.
  std::unique_ptr<Engine> get();

 private:
  EngineOptions options_;
  std::future<std::unique_ptr<Engine>> gpu_;  // gives nullptr if the device turns out to be the processor
};

// These functions do small work, which loads the kernels that real work of the same kind launches.

// Builds a scene with these options, but without paint.
void warm_up_build(Engine& engine, const voxelize::BuildOptions& options);
// Edits a small scene, and freezes it.
void warm_up_edit(Engine& engine);
// Takes a small picture with the options of the real one.
void warm_up_render(Engine& engine, const render::RenderOptions& options);

}  // namespace vox
