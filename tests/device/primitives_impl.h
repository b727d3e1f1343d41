#pragma once

#include <cstdint>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/device/atomics.h"
#include "libvox/device/handle.h"
#include "libvox/device/profiler.h"

namespace vox {

// Runs each of a device's primitives once over n elements whose values follow from their index, and copies
// the results to the host. each_device.cpp compiles it, so that one test in plain C++ covers all devices.

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

struct CountVisit {
  uint32_t* visits;
  VOX_HD void operator()(uint64_t i) const { device::atomic_add(visits + i, 1u); }
};
struct CountGroupVisit {
  uint32_t* visits;
  template <class Group>
  VOX_HD void operator()(Group group, uint64_t i) const {
    group.once([&] { device::atomic_add(visits + i, 1u); });
  }
};
// Each thread writes elements of a block to shared memory and then reads elements that other threads wrote.
struct VisitByBlock {
  struct Shared {
    uint32_t reversed[kMostInTestBlock];
    uint32_t sum, once;
  };
  TestBlock* blocks;

  template <class Block>
  VOX_HD void operator()(Block block, uint64_t b) const {
    Shared& shared = block.shared();
    const uint32_t count = test_block_count(b);
    const uint64_t begin = b * kTestBlockStep;
    block.each(1, [&](uint32_t) { shared.sum = shared.once = 0; });
    block.once([&] { device::atomic_add(&shared.once, 1u); });
    block.each(count, [&](uint32_t j) { shared.reversed[count - 1 - j] = TestValues::small(begin + j); });
    block.each(count, [&](uint32_t j) { device::atomic_add(&shared.sum, shared.reversed[j] * j); });
    const uint32_t kept = block.count(count, [&](uint32_t j) { return TestValues::kept(begin + j); });
    const bool any = block.any(count, [&](uint32_t j) { return TestValues::kept(begin + j); });
    block.once([&] { blocks[b] = {shared.sum, kept, any ? 1u : 0u, shared.once}; });
  }
};
template <class Key>
struct WriteTestPairs {
  Key* keys;
  uint32_t* values;
  VOX_HD void operator()(uint64_t i) const {
    keys[i] = static_cast<Key>(TestValues::value(i));
    values[i] = static_cast<uint32_t>(i);
  }
};
struct WritePlaces {
  uint32_t* index;
  uint32_t* values;
  uint64_t n;
  VOX_HD void operator()(uint64_t i) const {
    index[i] = TestValues::place(i, n);
    values[i] = TestValues::small(i);
  }
};
struct SmallValue {
  VOX_HD uint32_t operator()(uint64_t i) const { return TestValues::small(i); }
};
struct LargeValue {
  VOX_HD uint64_t operator()(uint64_t i) const { return TestValues::value(i) >> 8; }
};
struct HighHalf {
  VOX_HD uint64_t operator()(uint64_t i) const { return TestValues::value(i) >> 32; }
};
struct IsKept {
  VOX_HD bool operator()(uint64_t i) const { return TestValues::kept(i); }
};

template <class Device>
class PrimitivesRun {
 public:
  PrimitivesRun(Device& device, uint64_t n) : device_(device), n_(n) {}

  PrimitiveResults run() {
    visit();
    sort<uint32_t>(kSortBits, results_.sorted_keys, results_.sorted_values);
    sort<uint64_t>(kSortBits64, results_.sorted_keys64, results_.sorted_values64);
    sort_alone();
    scan();
    select_and_scatter();
    reduce();
    move();
    return std::move(results_);
  }

 private:
  template <class T>
  std::vector<T> downloaded(const device::Buffer<T>& buffer, uint64_t n) {
    std::vector<T> values(n);
    device_.download(values.data(), buffer.data(), n);
    return values;
  }

  void visit() {
    auto visits = device_.template make<uint32_t>(n_), group_visits = device_.template make<uint32_t>(n_);
    device_.fill(visits.data(), n_, 0u);
    device_.fill(group_visits.data(), n_, 0u);
    device_.for_each("test: visit", n_, CountVisit{visits.data()});
    device_.for_each_group("test: visit by groups", n_, CountGroupVisit{group_visits.data()});
    results_.visits = downloaded(visits, n_);
    results_.group_visits = downloaded(group_visits, n_);
    const uint64_t count = n_ / kTestBlockStep + 1;
    auto blocks = device_.template make<TestBlock>(count);
    device_.template for_each_block<VisitByBlock::Shared>("test: visit by blocks", count,
                                                          VisitByBlock{blocks.data()});
    results_.blocks = downloaded(blocks, count);
  }

  template <class Key>
  void sort(uint32_t bits, std::vector<Key>& sorted_keys, std::vector<uint32_t>& sorted_values) {
    auto keys = device_.template make<Key>(n_);
    auto values = device_.template make<uint32_t>(n_);
    device_.for_each("test: pairs", n_, WriteTestPairs<Key>{keys.data(), values.data()});
    device_.sort_pairs("test: sort", keys, values, n_, bits);
    sorted_keys = downloaded(keys, n_);
    sorted_values = downloaded(values, n_);
  }

  void sort_alone() {
    auto keys = device_.template make<uint64_t>(n_);
    auto values = device_.template make<uint32_t>(n_);
    device_.for_each("test: pairs", n_, WriteTestPairs<uint64_t>{keys.data(), values.data()});
    device_.sort_keys("test: sort", keys, n_, kSortBits64);
    results_.sorted_alone64 = downloaded(keys, n_);
  }

  void scan() {
    auto out32 = device_.template make<uint32_t>(n_ + 1);
    auto out64 = device_.template make<uint64_t>(n_ + 1);
    results_.scan32_total = device_.exclusive_scan("test: scan", n_, SmallValue(), out32.data());
    results_.scan64_total = device_.exclusive_scan("test: scan", n_, LargeValue(), out64.data());
    results_.scan32 = downloaded(out32, n_ + 1);
    results_.scan64 = downloaded(out64, n_ + 1);
  }

  void select_and_scatter() {
    auto selected = device_.template make<uint32_t>(n_);
    const uint64_t count = device_.select("test: select", n_, IsKept(), selected.data());
    results_.selected = downloaded(selected, count);
    auto index = device_.template make<uint32_t>(n_), values = device_.template make<uint32_t>(n_),
         out = device_.template make<uint32_t>(n_);
    device_.for_each("test: places", n_, WritePlaces{index.data(), values.data(), n_});
    device_.scatter("test: scatter", n_, index.data(), values.data(), out.data());
    results_.scattered = downloaded(out, n_);
  }

  void reduce() {
    results_.sum = device_.sum("test: sum", n_, HighHalf());
    results_.histogram.resize(kTestBins);
    device_.histogram("test: histogram", n_, SmallValue(), results_.histogram.data(), kTestBins);
  }

  void move() {
    auto filled = device_.template make<uint16_t>(n_), copied = device_.template make<uint16_t>(n_);
    device_.fill(filled.data(), n_, kTestFill);
    device_.copy(copied.data(), filled.data(), n_);
    results_.filled = downloaded(filled, n_);
    results_.copied = downloaded(copied, n_);
  }

  Device& device_;
  uint64_t n_;
  PrimitiveResults results_;
};

template <class Device>
PrimitiveResults run_primitives(Device& device, uint64_t n) {
  return PrimitivesRun<Device>(device, n).run();
}

extern template PrimitiveResults run_primitives(device::CpuDevice&, uint64_t);
#ifdef VOX_HAS_CUDA
extern template PrimitiveResults run_primitives(device::CudaDevice&, uint64_t);
#endif

}  // namespace vox
