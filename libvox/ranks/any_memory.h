// Memory of the host or of any GPU of this process. Ranks may exchange either.
#pragma once

#include <cstdint>

namespace vox::ranks {

bool is_device_memory(const void* at);

// Copies between memory of any kind, and returns when the copy is done. On a GPU the copy waits for no other
// work, so the source must have been written before.
void copy_any(void* to, const void* from, uint64_t bytes);

}  // namespace vox::ranks
