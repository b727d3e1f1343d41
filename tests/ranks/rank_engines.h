// Engines of several ranks, all on one device.
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

}  // namespace vox
