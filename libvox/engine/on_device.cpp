// The engine's builds, on one device or on all of them together, each as a rank (libvox/ranks).
#include <algorithm>
#include <mutex>
#include <utility>

#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/device/with_device.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"

namespace vox {
namespace {

ranks::SceneShare share_on(device::DeviceHandle handle, const std::string& table, ranks::Ranks& ranks,
                           const scene::Scene& scene, const scene::IndexedScene& indexed,
                           const voxelize::Grid& grid, const voxelize::BuildOptions& options,
                           ranks::RoundKeeper* keeper) {
  return device::with_device(handle, [&](auto& device) {
    return ranks::build_share(device, ranks, scene, indexed, grid, options, {.table = table}, keeper);
  });
}

void log_share(const std::string& device, const ranks::Ranks& ranks, const ranks::ShareFigures& figures) {
  const ranks::Traffic traffic = ranks.traffic();
  log_debug(
      "rank {} on {}: voxelize {:.2f} s, build {:.2f} s, exchange {:.2f} s, order {:.2f} s, keep {:.2f} s, "
      "of these waiting {:.2f} s; {} items kept, {} given away; {} sent, {} received",
      ranks.rank(), device, figures.voxelize_seconds, figures.build_seconds, figures.exchange_seconds,
      figures.order_seconds, figures.keep_seconds, traffic.waited, format_count(figures.items_kept),
      format_count(figures.items_given), format_bytes(traffic.sent), format_bytes(traffic.received));
}

}  // namespace

voxelize::BuildResult Engine::build(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                    const voxelize::Grid& grid, const voxelize::BuildOptions& options) {
  if (devices_.size() == 1)
    return device::with_device(handle(), [&](auto& device) {
      return voxelize::build_scene(device, scene, indexed, grid, options, {.table = table_});
    });
  voxelize::BuildResult result;
  uint64_t peak = 0;
  std::mutex mutex;
  build_shares(scene, indexed, grid, options, nullptr, [&](ranks::Ranks& ranks, ranks::SceneShare share) {
    const uint64_t own_peak = share.whole.peak_device_bytes;
    voxelize::BuildResult joined = ranks::joined(ranks, std::move(share));
    const std::lock_guard lock(mutex);
    peak = std::max(peak, own_peak);
    if (ranks.rank() == 0) result = std::move(joined);
  });
  result.peak_device_bytes = peak;
  return result;
}

rounds::RoundsResult Engine::build_in_rounds(const scene::Scene& scene, const scene::IndexedScene& indexed,
                                             const voxelize::Grid& grid,
                                             const voxelize::BuildOptions& options,
                                             const rounds::SpillOptions& spill) {
  return device::with_device(handle(), [&](auto& device) {
    return rounds::build_in_rounds(device, scene, indexed, grid, options, {.table = table_}, spill);
  });
}

ranks::SceneShare Engine::build_share(ranks::Ranks& ranks, const scene::Scene& scene,
                                      const scene::IndexedScene& indexed, const voxelize::Grid& grid,
                                      const voxelize::BuildOptions& options, ranks::RoundKeeper* keeper) {
  return share_on(handle(), table_, ranks, scene, indexed, grid, options, keeper);
}

void Engine::build_shares(const scene::Scene& scene, const scene::IndexedScene& indexed,
                          const voxelize::Grid& grid, const voxelize::BuildOptions& options,
                          ranks::RoundKeeper* keeper, const ShareUse& use) {
  ranks::run_thread_ranks(static_cast<uint32_t>(devices_.size()), [&](ranks::Ranks& ranks) {
    device::AnyDevice& device = *devices_[ranks.rank()];
    device::use_here(device.handle());
    ranks::SceneShare share = share_on(device.handle(), table_, ranks, scene, indexed, grid, options, keeper);
    log_share(device.name(), ranks, share.figures);
    use(ranks, std::move(share));
  });
}

}  // namespace vox
