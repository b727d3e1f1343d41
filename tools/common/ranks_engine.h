// What of a host each of several ranks takes: a GPU, a share of the cores and of the memory.
#pragma once

#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"

namespace vox {

// Collective. Of ranks that see the same GPUs each takes one, `cuda` as `auto`; with `auto`, those that are left take the
// processor. Throws UsageError for several devices, Error where --device cuda finds fewer GPUs than ranks.
EngineOptions engine_of_rank(EngineOptions options, ranks::Ranks& ranks);

}  // namespace vox
