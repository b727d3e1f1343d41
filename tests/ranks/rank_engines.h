// Engines of several ranks, all on one device, and scenes that they build in any manner.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libvox/engine/group_engine.h"
#include "tests/common/test_engine.h"

namespace vox {

inline GroupEngine rank_engines(uint32_t ranks, const std::string& device = test_device()) {
  std::vector<std::unique_ptr<Engine>> engines;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    engines.push_back(make_engine({.device = device, .memory_limit = uint64_t{4} << 30}));
  return GroupEngine(std::move(engines));
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
