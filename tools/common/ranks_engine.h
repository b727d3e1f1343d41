// The part of a host that each of several ranks takes: a GPU, a share of the cores and of the memory.
#pragma once

#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"

namespace vox {

// A collective call. Ranks that see the same GPUs take one each, with `cuda` as with `auto`; with `auto`, the ranks
// that are left take the processor. Throws UsageError for several devices, and Error if --device cuda finds fewer
// GPUs than ranks.
EngineOptions engine_of_rank(EngineOptions options, ranks::Ranks& ranks);

}  // namespace vox
