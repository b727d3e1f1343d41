// The objects behind the pointers of the C interface, and the functions that run an engine's calls.
#pragma once

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "capi/errors.h"
#include "capi/vox.h"
#include "libvox/base/work_watch.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/devices.h"
#include "libvox/engine/engine.h"
#include "libvox/scene/scene.h"

namespace vox {

// Sets a watch for all threads that work in an arena. A thread that is still in the arena when this is deleted is
// not told, and keeps a watch that is there no longer (set_work_watch()). The thread sanitizer does not see that
// observe() is ordered before and after entries, so a counter shows it.
class ArenaWatch final : public tbb::task_scheduler_observer {
 public:
  ArenaWatch(tbb::task_arena& arena, std::weak_ptr<WorkWatch> watch)
      : tbb::task_scheduler_observer(arena), watch_(std::move(watch)) {
    entries_.store(0, std::memory_order_release);
    observe(true);
  }
  ~ArenaWatch() override {
    observe(false);
    entries_.load(std::memory_order_acquire);
  }
  void on_scheduler_entry(bool) override {
    entries_.load(std::memory_order_acquire);
    set_work_watch(watch_.lock());
    entries_.fetch_add(1, std::memory_order_release);
  }
  void on_scheduler_exit(bool) override { set_work_watch(nullptr); }

 private:
  std::weak_ptr<WorkWatch> watch_;
  std::atomic<uint64_t> entries_ = 0;
};

// Returns the lock that a thread holds while it uses HDF5, which serves one thread of the process at a time.
std::mutex& hdf5_turn();

// Returns the name of the generator that this interface stores in the scenes that it makes.
std::string capi_generator();

}  // namespace vox

struct vox_engine {
  explicit vox_engine(const vox::EngineOptions& options);

  std::mutex turn;  // held by the call that is running
  std::shared_ptr<vox::WorkWatch> watch = std::make_shared<vox::WorkWatch>();
  tbb::task_arena arena;  // the engine's threads
  vox::ArenaWatch arena_watch;
  vox::EngineOptions options;
  std::unique_ptr<vox::Engine> engine;
  std::string device;
};

struct vox_mesh {
  vox::scene::Scene scene;  // bad triangles are removed
  std::string source;       // the file
};

// Copies share their content. It never changes; an edit replaces it.
struct vox_scene {
  std::shared_ptr<const vox::dag::VoxelScene> content;
};

namespace vox {

// Waits for the engine's other calls, and then calls f(engine) on the engine's threads.
template <class F>
vox_status call(vox_engine* pointer, const F& f) noexcept {
  return guarded([&] {
    vox_engine& engine = needed(pointer, "engine");
    const std::lock_guard turn(engine.turn);
    engine.watch->cancelled = false;
    engine.arena.execute([&] {
      device::use_here(engine.engine->handle());
      f(engine);
    });
  });
}

// Does the same for a call that makes a scene with make(engine).
template <class F>
vox_status call_for_scene(vox_engine* pointer, vox_scene** to, const F& make) noexcept {
  if (to != nullptr) *to = nullptr;
  return call(pointer, [&](vox_engine& engine) {
    needed(to, "scene");
    auto content = std::make_shared<const dag::VoxelScene>(make(engine));
    *to = std::make_unique<vox_scene>(vox_scene{std::move(content)}).release();
  });
}

inline const dag::VoxelScene& content_of(const vox_scene* scene) {
  return *needed(scene, "scene").content;
}

// Does the same for a call that replaces a scene's content by make(engine, content).
template <class F>
vox_status call_to_change(vox_engine* pointer, vox_scene* scene, const F& make) noexcept {
  return call(pointer, [&](vox_engine& engine) {
    const dag::VoxelScene& before = content_of(scene);
    scene->content = std::make_shared<const dag::VoxelScene>(make(engine, before));
  });
}

}  // namespace vox
