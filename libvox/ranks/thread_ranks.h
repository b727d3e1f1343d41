// Ranks that are threads of one process, each with a device of its own. This is how one process uses several
// GPUs.
#pragma once

#include <functional>

#include "libvox/ranks/ranks.h"

namespace vox::ranks {

// Calls work(ranks) in `count` threads, each of which is a rank, and waits for all. If one of them throws, it
// ends the others, and its exception is thrown here; if several throw, the first one's is.
void run_thread_ranks(uint32_t count, const std::function<void(Ranks&)>& work);

}  // namespace vox::ranks
