// The CUDA parts of any_memory.h.
#pragma once

#include <cstdint>

namespace vox::ranks {

bool is_cuda_memory(const void* at);
void copy_cuda(void* to, const void* from, uint64_t bytes);

}  // namespace vox::ranks
