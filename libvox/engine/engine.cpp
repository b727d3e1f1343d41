#include "libvox/engine/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/device/devices.h"
#include "libvox/edit/edit_session.h"
#include "libvox/hash/table_options.h"
#include "libvox/render/picture_share.h"
#include "libvox/render/render.h"

namespace vox {
namespace {

// Returns the memory limit of each of several devices that are this processor, so that together they keep
// the limit of the process. Beside GPUs, a limit that the user sets is for the GPUs, and the processors share
// the free memory.
uint64_t limit_of_each(uint64_t memory_limit, uint64_t processors) {
  const uint64_t held = resident_bytes();
  const uint64_t limit = memory_limit > 0 ? memory_limit : held + available_bytes() / 5 * 4;
  return held + (limit > held ? limit - held : 0) / processors;
}

std::vector<device::DeviceChoice> chosen_devices(const EngineOptions& options) {
  if (!device::names_several(options.device))
    return {{.name = options.device, .memory_limit = options.memory_limit, .profile = options.profile}};
  std::vector<device::DeviceChoice> choices;
  for (const std::string& name : device::listed_devices(options.device))
    choices.push_back({.name = name, .memory_limit = options.memory_limit, .profile = options.profile});
  const auto processors =
      static_cast<uint64_t>(std::ranges::count(choices, "cpu", &device::DeviceChoice::name));
  if (processors == 0) return choices;
  const uint64_t limit = limit_of_each(processors == choices.size() ? options.memory_limit : 0, processors);
  for (device::DeviceChoice& choice : choices)
    if (choice.name == "cpu") choice.memory_limit = limit;
  return choices;
}

}  // namespace

void check_one_device(const EngineOptions& options) {
  if (device::names_several(options.device))
    throw UsageError(
        "several devices are named, which can only build SVDAGs of meshes and take pictures together; this "
        "runs on one")
        .about("device");
}

Engine::Engine(const EngineOptions& options, const std::vector<device::DeviceChoice>& devices)
    : threads_(options.threads), table_(options.table), devices_(devices.size()) {
  for (size_t i = devices.size(); i-- > 0;)  // the first is made last, so that this thread's calls go to it
    devices_[i] = device::make_device(devices[i]);
  device::share_memory(handles());
}

std::string Engine::device() const {
  std::vector<std::string> names;
  for (const auto& device : devices_) names.push_back(device->name());
  return fmt::format("{}", fmt::join(names, ","));
}

std::string Engine::device_text() const {
  std::vector<std::string> texts;
  for (const auto& device : devices_) texts.push_back(device->text());
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<device::DeviceHandle> Engine::handles() const {
  std::vector<device::DeviceHandle> handles;
  for (const auto& device : devices_) handles.push_back(device->handle());
  return handles;
}

std::vector<device::KernelTime> Engine::profile() const {
  std::vector<std::vector<device::KernelTime>> profiles;
  for (const auto& device : devices_) profiles.push_back(device->profiler().rows());
  return device::all_kernels(profiles);
}

void Engine::restart_measuring() {
  for (const auto& device : devices_) device->restart_measuring();
}

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  hash::check_table_name(options.table);
  return std::make_unique<Engine>(options, chosen_devices(options));
}

namespace {

// Returns nullptr if the device turns out to be the processor.
std::unique_ptr<Engine> warm_gpu(const EngineOptions& options, const std::function<void(Engine&)>& warm_up) {
  if (options.device == "auto" && device::gpu_count() == 0) return nullptr;
  std::unique_ptr<Engine> engine = make_engine(options);
  try {
    const NoProgress quiet;
    warm_up(*engine);
  } catch (const std::exception&) {  // such as too low a memory limit, which the real work reports better
  }
  engine->restart_measuring();
  return engine;
}

}  // namespace

EngineSoon::EngineSoon(const EngineOptions& options, const std::function<void(Engine&)>& warm_up)
    : options_(options) {
  if (device::has_cuda() && (options.device == "auto" || options.device.starts_with("cuda")))
    gpu_ = std::async(std::launch::async, [options, warm_up] { return warm_gpu(options, warm_up); });
}

std::unique_ptr<Engine> EngineSoon::get() {
  std::unique_ptr<Engine> engine = gpu_.valid() ? gpu_.get() : nullptr;
  if (!engine) return make_engine(options_);
  device::use_here(engine->handle());
  return engine;
}

namespace {

// The grid is large enough for chunk cells below the whole grid.
constexpr uint32_t kResolution = 1024;

// Returns small triangles all over the grid. There are so many because CUB uses other kernels for a few
// thousand.
scene::Scene scattered_triangles() {
  constexpr uint32_t kTriangles = 1 << 13;
  const auto below = [](uint64_t seed, uint32_t count) {
    return static_cast<double>(mix64(seed + 1) % (256 * count)) / 256;
  };
  scene::Scene scene;
  scene.materials.emplace_back();
  for (uint32_t i = 0; i < kTriangles; ++i) {
    const Vec3d middle = {below(3 * i, kResolution), below(3 * i + 1, kResolution),
                          below(3 * i + 2, kResolution)};
    const double size = 2 + below(i, 4);
    scene.positions.insert(scene.positions.end(),
                           {middle, middle + Vec3d{size, 1, 0}, middle + Vec3d{0, 1, size}});
    scene.triangles.push_back({{3 * i, 3 * i + 1, 3 * i + 2}, {scene::kNone, scene::kNone, scene::kNone}, 0});
  }
  return scene;
}

dag::FrozenDag small_dag(Engine& engine, const voxelize::BuildOptions& options) {
  scene::IndexedScene indexed;
  indexed.palette.count = 1;
  indexed.materials.emplace_back();
  const voxelize::Grid grid = {.resolution = kResolution, .origin = {0, 0, 0}, .voxel_size = 1};
  return engine.build(scattered_triangles(), indexed, grid, options).dag;
}

}  // namespace

void warm_up_build(Engine& engine, const voxelize::BuildOptions& options) {
  small_dag(engine, {.coverage = options.coverage, .materials = options.materials, .solid = options.solid});
}

void warm_up_edit(Engine& engine) {
  const std::unique_ptr<edit::EditSession> session =
      edit::make_edit_session(engine.handle(), engine.table(), small_dag(engine, {}));
  constexpr int64_t kMiddle = kResolution / 2 * edit::kEditUnits;
  const edit::Shape ball = {
      .kind = edit::ShapeKind::Sphere, .a = {kMiddle, kMiddle, kMiddle}, .radius = kMiddle / 4};
  for (const edit::PaintMode mode : {edit::PaintMode::Add, edit::PaintMode::Remove})
    session->apply(std::array<edit::Edit, 1>{edit::PaintEdit{.shape = ball, .mode = mode}});
  session->freeze();
}

void warm_up_render(Engine& engine, const render::RenderOptions& options) {
  const dag::FrozenDag dag = small_dag(engine, {});
  scene::Palette palette;
  palette.count = 1;
  render::RenderOptions small = options;
  small.size = {64, 64};
  small.pose = {.eye = {-100, 700, -200},
                .target = {kResolution / 2.0, kResolution / 2.0, kResolution / 2.0}};
  render::make_renderer(engine.handles(), dag, palette)->render(small);
}

}  // namespace vox
