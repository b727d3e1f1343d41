#include "libvox/base/words.h"

#include <sys/mman.h>

namespace vox {

void prefer_huge_pages(void* memory, uint64_t bytes) {
  constexpr uintptr_t kHugePage = 2 << 20;
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + kHugePage - 1) / kHugePage * kHugePage;
  const auto end = (reinterpret_cast<uintptr_t>(memory) + bytes) / kHugePage * kHugePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace vox
