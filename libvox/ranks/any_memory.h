// Memory of the host, or of any GPU of this process: what ranks exchange may be either.
#pragma once

#include <cstdint>

namespace vox::ranks {

bool is_device_memory(const void* at);

// Copies from memory of any kind to memory of any kind; has done so when it returns. On a GPU it waits for no other
// work: what is read has been written before.
void copy_any(void* to, const void* from, uint64_t bytes);

}  // namespace vox::ranks
