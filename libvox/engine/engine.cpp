#include "libvox/engine/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/hash/table_options.h"

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

dag::VoxelScene built_scene(voxelize::BuildResult result, const scene::IndexedScene& indexed,
                            const voxelize::Grid& grid, const voxelize::BuildOptions& options) {
  dag::VoxelScene scene;
  scene.dag = std::move(result.dag);
  if (options.materials) {
    scene.palette = indexed.palette;
    scene.shares = indexed.shares;
  }
  scene.origin = grid.origin;
  scene.voxel_size = grid.voxel_size;
  scene.up = dag::UpAxis::Y;  // the readers of meshes have turned every mesh this way
  scene.coverage = options.coverage;
  scene.solid = options.solid;
  return scene;
}

}  // namespace vox
