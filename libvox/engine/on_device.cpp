// The engine's builds, on one device or on all of them together, each as a rank (libvox/build), and their scenes.
#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "libvox/base/process.h"
#include "libvox/dag/colors.h"
#include "libvox/device/devices.h"
#include "libvox/device/handle.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"

namespace vox {

voxelize::BuildResult Engine::build(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                    const voxelize::Grid& grid, const voxelize::BuildOptions& options) {
  voxelize::BuildResult result;
  if (options.solid && options.colors) {
    voxelize::BuildOptions geometry = options, surface = options;
    geometry.colors = surface.solid = false;
    result = build(scene, indexed, grid, geometry);
    const voxelize::BuildResult shell = build(scene, indexed, grid, surface);
    result.colors = attributes::with_table(
        dag::inside_values(result.dag, shell.dag, *shell.colors, std::nullopt, available_bytes()));
    return result;
  }
  if (has_one_device()) {
    device::use_here(handle());
    return device::with_device(handle(), [&](auto& device) {
      return voxelize::build_scene(device, scene, indexed, grid, options, {.table = table_});
    });
  }
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

void Engine::build_shares(const build::SceneInput& input, const build::BuildManner& manner,
                          ranks::Ranks* launched, const ShareUse& use) {
  const auto build_on = [&](device::DeviceHandle handle, ranks::Ranks& ranks) {
    device::use_here(handle);
    use(ranks, device::with_device(handle, [&](auto& device) {
          return build::build_scene(device, ranks, input, manner, {.table = table_});
        }));
  };
  if (launched) return build_on(handle(), *launched);
  ranks::run_thread_ranks(static_cast<uint32_t>(devices_.size()),
                          [&](ranks::Ranks& ranks) { build_on(devices_[ranks.rank()]->handle(), ranks); });
}

dag::VoxelScene built_scene(voxelize::BuildResult result, const scene::IndexedScene& indexed,
                            const voxelize::Grid& grid, const voxelize::BuildOptions& options) {
  dag::VoxelScene scene;
  scene.dag = std::move(result.dag);
  scene.colors = std::move(result.colors);
  if (options.colors) scene.named_colors = indexed.named_colors;
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
