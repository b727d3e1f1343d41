// Engines whose ranks are all on one device.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "libvox/engine/engine.h"
#include "libvox/ranks/build_share.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/soup.h"

namespace vox {

// Returns an engine with a device for each of these memory limits.
inline Engine rank_engines(const std::vector<uint64_t>& memory_limits) {
  std::vector<device::DeviceChoice> devices;
  for (const uint64_t limit : memory_limits)
    devices.push_back({.name = test_device(), .memory_limit = limit, .profile = false});
  return {EngineOptions(), devices};
}

inline Engine rank_engines(uint32_t ranks) {
  return rank_engines(std::vector<uint64_t>(ranks, uint64_t{4} << 30));
}

// Builds a scene with a rank for each device, even if there is only one.
inline voxelize::BuildResult built_by_ranks(Engine& engine, const Soup& soup, uint32_t resolution,
                                            const voxelize::BuildOptions& options = {}) {
  voxelize::BuildResult result;
  engine.build_shares(soup.scene, soup.indexed, unit_grid(resolution), options, nullptr,
                      [&](ranks::Ranks& ranks, ranks::SceneShare share) {
                        voxelize::BuildResult joined = ranks::joined(ranks, std::move(share));
                        if (ranks.rank() == 0) result = std::move(joined);
                      });
  return result;
}

}  // namespace vox
