// Runs each of a device's primitives once over n elements whose values follow from their index, and copies
// the results to the host. primitives_*.cpp and .cu compile it for each device, so that one test in plain C++
// covers all devices.
#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/hd.h"
#include "libvox/base/mix.h"

namespace vox {

// The values of element i.
struct TestValues {
  VOX_HD static uint64_t value(uint64_t i) { return mix64(i + 1); }
  VOX_HD static uint32_t small(uint64_t i) { return static_cast<uint32_t>(value(i) % 5); }
  VOX_HD static bool kept(uint64_t i) { return value(i) % 3 == 0; }
  // A permutation of 0 … n − 1.
  VOX_HD static uint32_t place(uint64_t i, uint64_t n) { return static_cast<uint32_t>(n - 1 - i); }
};

// The result of a thread block for its own run of elements, which may be empty or longer than its number of
// threads.
struct TestBlock {
  uint32_t reversed_sum;  // the sum of small(i) times the number of elements after i
  uint32_t kept;          // the number of elements i with kept(i)
  uint32_t any_kept;      // 1 if any element has kept(i)
  uint32_t once;          // the number of runs of the code for a single thread
  bool operator==(const TestBlock&) const = default;
};
inline constexpr uint64_t kTestBlockStep = 1000, kMostInTestBlock = 2000;
// Returns the number of elements of block b. They begin at b * kTestBlockStep.
VOX_HD inline uint32_t test_block_count(uint64_t b) {
  return static_cast<uint32_t>(TestValues::value(b) % (kMostInTestBlock + 1));
}

struct PrimitiveResults {
  std::vector<uint32_t> visits, group_visits;
  std::vector<TestBlock> blocks;                     // n / kTestBlockStep + 1 of them
  std::vector<uint32_t> sorted_keys, sorted_values;  // by the low kSortBits bits of 32-bit keys
  std::vector<uint64_t> sorted_keys64;               // by the low kSortBits64 bits of 64-bit keys
  std::vector<uint32_t> sorted_values64;             // the values of sorted_keys64
  std::vector<uint64_t> sorted_alone64;              // the same keys without values
  std::vector<uint32_t> scan32;                      // the prefix sums of small(i), then the total
  std::vector<uint64_t> scan64;                      // the prefix sums of value(i) >> 8, then the total
  uint64_t scan32_total = 0, scan64_total = 0;
  std::vector<uint32_t> selected;        // the indices i with kept(i)
  std::vector<uint32_t> scattered;       // small(i) at place(i)
  uint64_t sum = 0;                      // the sum of value(i) >> 32
  std::vector<uint64_t> histogram;       // the count of each value of small(i)
  std::vector<uint16_t> filled, copied;  // kTestFill, n times
};

inline constexpr uint32_t kSortBits = 13, kSortBits64 = 45, kTestBins = 5;
inline constexpr uint16_t kTestFill = 0xa5f3;

template <class Device>
PrimitiveResults run_primitives(Device& device, uint64_t n);

}  // namespace vox
