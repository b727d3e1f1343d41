// The refusal of vox-edit to run as several processes, which says how large a scene it can edit on its one device.
#pragma once

#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"

namespace vox {

// Throws UsageError.
[[noreturn]] void refuse_ranks(const EngineOptions& engine, const ranks::Ranks& ranks);

}  // namespace vox
