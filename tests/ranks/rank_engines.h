// Engines whose ranks are all on one device, and scenes that they build in any manner.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "libvox/build/build_scene.h"
#include "libvox/engine/engine.h"
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

// A scene as rank 0 has it in the end, and the figures of rank 0.
struct BuiltScene {
  voxelize::BuildResult whole;
  build::BuildFigures figures;
};

inline BuiltScene built_in(Engine& engine, const build::SceneInput& input, const build::BuildManner& manner) {
  BuiltScene built;
  engine.build_shares(input, manner, nullptr, [&](ranks::Ranks& ranks, build::SceneShare share) {
    const build::BuildFigures figures = share.figures;
    voxelize::BuildResult joined = build::joined(ranks, std::move(share));
    if (ranks.rank() == 0) built = {std::move(joined), figures};
  });
  return built;
}

}  // namespace vox
