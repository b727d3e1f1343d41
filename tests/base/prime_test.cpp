#include "libvox/base/prime.h"

#include <gtest/gtest.h>

namespace vox {
namespace {

TEST(NextPrime, IsTheFirstNumberThatNoOtherDivides) {
  EXPECT_EQ(next_prime(1), 1u);
  uint64_t prime = 0;
  for (uint64_t n = 500; n >= 2; --n) {
    bool divided = false;
    for (uint64_t d = 2; d < n; ++d) divided = divided || n % d == 0;
    if (!divided) prime = n;
    ASSERT_TRUE(prime == 0 || next_prime(n) == prime) << n;
  }
  EXPECT_EQ(next_prime(uint64_t{1} << 32), (uint64_t{1} << 32) + 15);
}

}  // namespace
}  // namespace vox
