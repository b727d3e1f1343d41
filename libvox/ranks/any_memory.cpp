#include "libvox/ranks/ranks.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "libvox/base/loops.h"

namespace vox::ranks {
namespace {

// Uses all cores, because one core does not keep up with the memory.
void copy_on_host(void* to, const void* from, uint64_t bytes) {
  constexpr uint64_t kPiece = 1 << 20;
  parallel_for(uint64_t{0}, (bytes + kPiece - 1) / kPiece, [&](uint64_t piece) {
    const uint64_t begin = piece * kPiece;
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                std::min(kPiece, bytes - begin));
  });
}

}  // namespace

bool is_device_memory([[maybe_unused]] const void* at) {
#ifdef VOX_HAS_CUDA
  return is_cuda_memory(at);
#else
  return false;
#endif
}

void wait_for_work([[maybe_unused]] const void* at) {
#ifdef VOX_HAS_CUDA
  if (is_cuda_memory(at)) wait_for_cuda(at);
#endif
}

void copy_any(void* to, const void* from, uint64_t bytes) {
  if (bytes == 0) return;
#ifdef VOX_HAS_CUDA
  if (is_cuda_memory(to) || is_cuda_memory(from)) return copy_cuda(to, from, bytes);
#endif
  copy_on_host(to, from, bytes);
}

}  // namespace vox::ranks

// Builds with CUDA use any_memory.cu instead; CMake then defines VOX_HAS_CUDA for this source.
#ifndef VOX_HAS_CUDA
namespace vox::ranks {

StagingMemory::StagingMemory(uint64_t bytes) : data_(static_cast<std::byte*>(::operator new(bytes))) {}

StagingMemory::~StagingMemory() {
  ::operator delete(data_);
}

}  // namespace vox::ranks
#endif
