#include <gtest/gtest.h>

#include <unordered_set>

#include "libvox/hash/slab/table_ref.h"
#include "tests/common/random.h"

namespace vox {
namespace {

TEST(Fingerprints, AreNeverThoseOfAnEmptySlotAndBucketsAreInRange) {
  Random random(4);
  std::unordered_set<uint32_t> bytes;
  for (uint64_t i = 0; i < 10000; ++i) {
    const uint64_t hash = i < 2 ? 0 - i : mix64(i);
    const uint32_t buckets = 1 + random.below(UINT32_MAX);
    EXPECT_LT(hash::bucket_of(hash, buckets), buckets);
    bytes.insert(hash::byte_fingerprint(hash));
  }
  EXPECT_EQ(bytes.size(), 255u);
  EXPECT_EQ(bytes.count(0), 0u);
}

}  // namespace
}  // namespace vox
