// Ranks that are threads of one process, each with a device of its own: how one process uses several GPUs.
#pragma once

#include <functional>

#include "libvox/ranks/ranks.h"

namespace vox::ranks {

// Calls work(ranks) in `count` threads, each of which is a rank, and waits for all. Where one throws, it ends the
// others, and what it has thrown is thrown here; of several the first.
void run_thread_ranks(uint32_t count, const std::function<void(Ranks&)>& work);

}  // namespace vox::ranks
