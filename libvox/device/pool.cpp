#include "libvox/device/pool.h"

#include <algorithm>
#include <bit>

#include "libvox/base/error.h"

namespace vox::device {
namespace {

// Sizes are rounded up to an eighth of their power of two, so that chunks of about the same size reuse
// blocks.
uint64_t rounded(uint64_t bytes) {
  uint64_t step = std::max<uint64_t>(256, std::bit_floor(std::max<uint64_t>(bytes, 1)) / 8);
  return (std::max<uint64_t>(bytes, 1) + step - 1) / step * step;
}

}  // namespace

Pool::~Pool() {
  trim();
}

void* Pool::allocate(uint64_t bytes) {
  uint64_t size = rounded(bytes);
  std::lock_guard lock(mutex_);
  // Rounding up a request close to 2^64 bytes wraps around, so `bytes` is compared as well.
  if (std::max(bytes, size) > available()) throw OutOfMemory(bytes, available());
  void* block = nullptr;
  if (auto kept = free_.lower_bound(size); kept != free_.end() && kept->first <= 2 * size) {
    block = kept->second;
    size = kept->first;
    kept_ -= size;
    free_.erase(kept);
  } else {
    // Shrinks only by as much as the block needs, because taking memory from the system costs more than
    // handing it out.
    if (used_ + kept_ + size > limit_) {
      release_kept();
      backend_->shrink(state_, limit_ - size);
    }
    block = backend_->allocate(state_, size);
    if (!block) {
      release_kept();
      backend_->shrink(state_, 0);
      block = backend_->allocate(state_, size);
    }
    if (!block) throw OutOfMemory(bytes, limit_ - used_);
  }
  try {
    sizes_.emplace(block, size);
  } catch (...) {
    backend_->release(state_, block);
    throw;
  }
  used_ += size;
  peak_ = std::max(peak_, used_ + kept_);
  return block;
}

void Pool::release(void* block) noexcept {
  std::lock_guard lock(mutex_);
  auto found = sizes_.find(block);
  uint64_t size = found->second;
  sizes_.erase(found);
  used_ -= size;
  try {
    free_.emplace(size, block);
    kept_ += size;
  } catch (...) {  // no memory to remember the block
    backend_->release(state_, block);
  }
}

void Pool::trim() {
  std::lock_guard lock(mutex_);
  release_kept();
}

void Pool::restart_peak() {
  std::lock_guard lock(mutex_);
  peak_ = used_ + kept_;
}

void Pool::release_kept() {
  for (auto& [size, block] : free_) backend_->release(state_, block);
  free_.clear();
  kept_ = 0;
}

}  // namespace vox::device
