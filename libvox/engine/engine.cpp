#include "libvox/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/engine/engine_devices.h"
#include "libvox/engine/group_engine.h"
#include "libvox/hash/table_options.h"

namespace vox {
namespace {

// Returns the index of the GPU: 0 for "cuda", N for "cuda:N".
int parse_cuda_index(const std::string& device) {
  if (device == "cuda") return 0;
  int index = -1;
  const char *begin = device.data() + 5, *end = device.data() + device.size();
  auto [stop, error] = std::from_chars(begin, end, index);
  if (error != std::errc() || stop != end || index < 0)
    throw UsageError(fmt::format("the device is '{}', expected auto, cpu, cuda or cuda:N", device))
        .about("device");
  return index;
}

std::unique_ptr<Engine> make_engine_of_one(const EngineOptions& options) {
  [[maybe_unused]] const std::optional<int> gpu = gpu_index(options.device);
#ifdef VOX_HAS_CUDA
  if (gpu) return make_cuda_engine(options, *gpu);
#endif
  return make_cpu_engine(options);
}

// Returns the memory limit of each of several engines that run on the processor, so that together they keep
// the limit of the process. Beside GPUs, a limit that the user sets is for the GPUs, and the processors share
// the free memory.
uint64_t limit_of_each(uint64_t memory_limit, uint64_t engines) {
  const uint64_t held = resident_bytes();
  const uint64_t limit = memory_limit > 0 ? memory_limit : held + available_bytes() / 5 * 4;
  return held + (limit > held ? limit - held : 0) / engines;
}

std::unique_ptr<Engine> make_group_engine(const EngineOptions& options) {
  const std::vector<std::string> names = listed_devices(options.device);
  const auto processors = static_cast<uint64_t>(std::ranges::count(names, "cpu"));
  std::vector<std::unique_ptr<Engine>> engines(names.size());
  for (size_t i = names.size();
       i-- > 0;) {  // the first engine is made last, so that this thread's calls go to its device
    EngineOptions one = options;
    one.device = names[i];
    if (names[i] == "cpu")
      one.memory_limit = limit_of_each(processors == names.size() ? options.memory_limit : 0, processors);
    engines[i] = make_engine_of_one(one);
  }
#ifdef VOX_HAS_CUDA
  for (const std::string& from : names)
    for (const std::string& to : names)
      if (from != "cpu" && to != "cpu" && from != to) let_reach(*gpu_index(from), *gpu_index(to));
#endif
  return std::make_unique<GroupEngine>(std::move(engines));
}

}  // namespace

int gpu_count() {
#ifdef VOX_HAS_CUDA
  return cuda_device_count();
#else
  return 0;
#endif
}

std::optional<int> gpu_index(const std::string& device) {
  const int count = gpu_count();
  if (device == "cpu" || (device == "auto" && count == 0)) {
    if (device == "auto") log_debug("no GPU found, using the CPU");
    return std::nullopt;
  }
  if (device != "auto" && device != "cuda" && !device.starts_with("cuda:"))
    throw UsageError(fmt::format("the device is '{}', expected auto, cpu, cuda or cuda:N", device))
        .about("device");
  const int index = device == "auto" ? 0 : parse_cuda_index(device);
#ifdef VOX_HAS_CUDA
  if (index < count) return index;
  throw Error(fmt::format("the device is {}, but this machine has {} usable NVIDIA GPU{}", device, count,
                          count == 1 ? "" : "s"))
      .hint("use the device cpu, or check the driver with nvidia-smi")
      .about("device");
#else
  throw Error(fmt::format("the device is {}, but this build has no CUDA (device {})", device, index))
      .hint("use the device cpu")
      .about("device");
#endif
}

void use_here([[maybe_unused]] const Engine& engine) {
#ifdef VOX_HAS_CUDA
  if (const std::optional<int> gpu = gpu_index(engine.device())) use_cuda_device_here(*gpu);
#endif
}

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  hash::check_table_name(options.table);
  return names_several(options.device) ? make_group_engine(options) : make_engine_of_one(options);
}

voxelize::BuildResult Engine::build(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                    const voxelize::Grid& grid, const voxelize::BuildOptions& options) {
  voxelize::BuildResult result;
  uint64_t peak = 0;
  std::mutex mutex;
  build_shares({scene, indexed, grid, options}, {}, nullptr,
               [&](ranks::Ranks& ranks, build::SceneShare share) {
                 const uint64_t own_peak = share.whole.peak_device_bytes;
                 voxelize::BuildResult joined = build::joined(ranks, std::move(share));
                 const std::lock_guard lock(mutex);
                 peak = std::max(peak, own_peak);
                 if (ranks.rank() == 0) result = std::move(joined);
               });
  result.peak_device_bytes = peak;
  return result;
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
