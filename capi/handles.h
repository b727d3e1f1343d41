// The parts that all of the C interface shares. At its boundary, exceptions become status codes and texts that the thread
// keeps, and arguments are checked.
#pragma once

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capi/vox.h"
#include "formats/points/points.h"
#include "formats/scene/any_scene.h"
#include "formats/volume/stored_volume.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/geometry.h"
#include "libvox/base/progress.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/devices.h"
#include "libvox/engine/engine.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/scene/palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/build_scene.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/inside.h"

namespace vox {

// Keeps the exception that is being handled as the last error of this thread, and returns its code.
vox_status keep_error() noexcept;

// Calls f(), and turns its exceptions into a code.
template <class F>
vox_status guarded(const F& f) noexcept {
  try {
    f();
    return VOX_OK;
  } catch (...) {
    return keep_error();
  }
}

// Throws UsageError if an argument is NULL.
template <class T>
T& needed(T* pointer, const char* name) {
  if (pointer == nullptr) throw UsageError(fmt::format("{} is NULL", name));
  return *pointer;
}

inline std::string needed_text(const char* text, const char* name) {
  return &needed(text, name);
}

// Returns the size that the caller's structure has, according to its first field.
template <class T>
uint64_t checked_size(const T& given, const char* name) {
  constexpr uint64_t kMost = 4096;
  const uint64_t size = given.struct_size;
  if (size < sizeof size || size > kMost || size % sizeof size != 0)
    throw UsageError(fmt::format("{}->struct_size is {}", name, size))
        .hint("it must be set to the size of the structure");
  return size;
}

// Returns a structure that the caller has filled. Fields that it lacks become 0; fields that this library does not know
// must be 0. If `given` is nullptr, all are 0.
template <class T>
T known_part(const T* given, const char* name) {
  T known = {};
  if (given == nullptr) return known;
  const uint64_t size = checked_size(*given, name);
  std::memcpy(&known, given, std::min<uint64_t>(size, sizeof known));
  const auto* bytes = reinterpret_cast<const std::byte*>(given);
  if (size > sizeof known &&
      std::any_of(bytes + sizeof known, bytes + size, [](std::byte byte) { return byte != std::byte{0}; }))
    throw UsageError(fmt::format("{} has fields that this library does not know", name))
        .hint("a newer version of it is needed");
  return known;
}

// Fills as much of a caller's structure as it has room for.
template <class T>
void give_part(T found, T* to, const char* name) {
  found.struct_size = checked_size(needed(to, name), name);
  std::memcpy(to, &found, std::min<uint64_t>(found.struct_size, sizeof found));
}

// Sets *length, and copies the given text with its final 0 to `text` unless that is nullptr. Throws UsageError if
// there is too little room.
inline void give_text(const std::string& given, char* text, uint64_t capacity, uint64_t* length) {
  needed(length, "length") = given.size();
  if (text == nullptr) return;
  if (capacity <= given.size())
    throw UsageError(fmt::format("capacity is {}, but the text needs {} bytes", capacity, given.size() + 1));
  std::memcpy(text, given.c_str(), given.size() + 1);
}

// Returns a field's value as an Enum with `count` values. Throws UsageError for other values.
template <class Enum>
Enum known_choice(uint32_t value, uint32_t count, const char* name) {
  if (value >= count) throw UsageError(fmt::format("{} is {}, expected 0 to {}", name, value, count - 1));
  return static_cast<Enum>(value);
}

// The objects behind the pointers of the C interface, and the functions that run an engine's calls.

// Sets a watch for all threads that work in an arena. A thread that is still in the arena when the ArenaWatch is
// deleted is not notified; the watch that it keeps is then deleted, which set_work_watch() allows. The thread
// sanitizer does not see that observe() is ordered before and after entries, so a counter shows it.
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

// The caller's arrays, which may lie in a GPU's memory.

// Arrays that a call reads. Those in a GPU's memory are copied to the host's.
class ReadArrays {
 public:
  // Returns the array, or its copy, which lives as long as this object.
  template <class T>
  const T* on_host(const T* array, uint64_t count) {
    return static_cast<const T*>(on_host(static_cast<const void*>(array), count * sizeof(T)));
  }
  const void* on_host(const void* array, uint64_t bytes);

 private:
  std::vector<std::unique_ptr<std::byte[]>> copies_;
};

// Arrays that a call fills. Those in a GPU's memory are filled in the host's first.
class FilledArrays {
 public:
  // Returns the array, or memory of the same size.
  template <class T>
  T* on_host(T* array, uint64_t count) {
    return static_cast<T*>(on_host(static_cast<void*>(array), count * sizeof(T)));
  }
  void* on_host(void* array, uint64_t bytes);
  // Copies what has been filled to the GPU's memory.
  void give() const;

 private:
  struct Filled {
    void* array;
    uint64_t bytes;
    std::unique_ptr<std::byte[]> memory;
  };
  std::vector<Filled> filled_;
};

// Checks the boxes of voxels that callers of the C interface pass.

// Returns the box [low, high), or the whole grid if both are NULL. Throws UsageError if the box leaves the grid.
inline VoxelBox region_of(const dag::VoxelScene& scene, const int64_t* low, const int64_t* high) {
  VoxelBox box = cube_at({0, 0, 0}, scene.dag.resolution);
  if (low == nullptr && high == nullptr) return box;
  needed(low, "low");
  needed(high, "high");
  for (uint32_t axis = 0; axis < 3; ++axis) {
    if (low[axis] < 0 || high[axis] < low[axis] || high[axis] > int64_t{scene.dag.resolution})
      throw UsageError(fmt::format("a box from {} to {} along {}, but voxels go from 0 to {}", low[axis],
                                   high[axis], "xyz"[axis], scene.dag.resolution));
    box.min[axis] = static_cast<int32_t>(low[axis]);
    box.max[axis] = static_cast<int32_t>(high[axis]);
  }
  return box;
}

// Makes scenes from meshes and files, with the options of the C interface.

enum class VoxelMaterials : uint32_t { Texture, Mesh, Colors, None, Numbers };  // VOX_MATERIALS_…

// The checked form of vox_voxelize_options.
struct VoxelizeOptions {
  voxelize::GridOptions grid = {};
  voxelize::BuildOptions build = {};
  VoxelMaterials materials = VoxelMaterials::Texture;
  std::optional<scene::Palette> palette = {};
  std::optional<dag::UpAxis> up = {};
  double point_radius = 0;  // in units of the file
  double close = 0;         // voxels
  bool flood = false;       // with build.solid: in place of build.inside
  std::optional<uint8_t> interior = {};
  std::vector<voxelize::Shell> shells = {};
  painting::Strokes strokes = {};
  painting::PaintOptions painting = {};

  bool closes_holes() const { return build.solid && !flood && build.inside == voxelize::InsideRule::Winding; }
  bool has_grid() const { return grid.resolution > 0 || grid.has_voxel_size(); }
};
VoxelizeOptions checked_options(const vox_voxelize_options* given);

// Returns a palette of `count` RGB colors, which belong to the argument `name`.
scene::Palette palette_of(const uint8_t* colors, uint32_t count, const char* name);

// Throws UsageError for an option that has no effect on any of these kinds of inputs.
void check_effects(const std::vector<InputKind>& kinds, const VoxelizeOptions& options,
                   const std::filesystem::path& path);

// Returns the checked options for a mesh or points in memory. Throws UsageError for an option that has no effect on them.
VoxelizeOptions options_for_memory(const vox_voxelize_options* given, InputKind kind,
                                   const std::string& name);

// Throws UsageError unless the options define a grid.
void check_grid_options(const VoxelizeOptions& options);

// A mesh as the voxelizer takes it.
struct ReadyMesh {
  const scene::Scene* given;
  std::optional<scene::Scene> own = {};  // a copy if something in the mesh changes
  std::optional<painting::Painting> painting = {};
  scene::IndexedScene indexed = {};

  const scene::Scene& scene() const { return own ? *own : *given; }
};
void check_triangles(const vox_mesh& mesh);  // throws Error if there are none
ReadyMesh prepared(vox_engine& engine, const vox_mesh& mesh, const voxelize::Grid& grid,
                   const VoxelizeOptions& options);
dag::VoxelScene voxelized(vox_engine& engine, const ReadyMesh& mesh, const voxelize::Grid& grid,
                          const VoxelizeOptions& options);

dag::VoxelScene scene_of_mesh(vox_engine& engine, const vox_mesh& mesh, const VoxelizeOptions& options);

// Returns the options by which colors of voxels or points become materials.
VoxelFileOptions reading_options(const vox_engine& engine, const VoxelizeOptions& options);

// A cloud of points, and the box of the voxels that they fill.
struct SurveyedCloud {
  PointCloud cloud;
  voxelize::Box box;
};

// `name` is the file or the argument, for errors.
SurveyedCloud surveyed(PointCloud cloud, const VoxelizeOptions& options, const std::filesystem::path& name);
dag::VoxelScene voxels_of_cloud(const vox_engine& engine, PointCloud cloud, const voxelize::Grid& grid,
                                const VoxelizeOptions& options, const std::filesystem::path& name);
dag::VoxelScene scene_of_cloud(const vox_engine& engine, PointCloud cloud, const VoxelizeOptions& options,
                               const std::filesystem::path& name);

// The ways in which values of a volume become materials.
struct ValueOptions {
  std::optional<VolumeMaterials::Kind> kind = {};  // if absent, the values decide
  volume::ThresholdOptions threshold = {};
  std::optional<scene::Palette> palette = {};
};
dag::VoxelScene scene_of_values(const vox_engine& engine, const StoredVolume& stored,
                                const ValueOptions& options, const std::filesystem::path& name);

// Records in a scene what it was made from and how.
void sign(dag::VoxelScene& scene, const std::string& source, const char* command);

}  // namespace vox
