#include "libvox/base/words.h"

#include <sys/mman.h>

namespace vox {

void prefer_huge_pages(void* memory, uint64_t bytes) {
  constexpr uint64_t kHugePage = 2 << 20;
  const uint64_t skipped = (kHugePage - reinterpret_cast<uintptr_t>(memory) % kHugePage) % kHugePage;
  if (bytes < skipped + kHugePage) return;
  madvise(static_cast<char*>(memory) + skipped, (bytes - skipped) / kHugePage * kHugePage, MADV_HUGEPAGE);
}

}  // namespace vox
