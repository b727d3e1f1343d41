// Measures hash tables of other libraries as `vox-bench keys --ops build,find --hit-rates 50` measures ours: random
// keys are inserted at once, then as many random keys are searched, of which half are stored. Keys and values have 32 bits each, so a slot
// takes 8 bytes as a cell of our tables does. measure.sh compiles this file once for each library, which PEER names.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(PEER_cuco)
#include <thrust/functional.h>
#if THRUST_MAJOR_VERSION >= 3
namespace thrust {  // cuCollections uses this function object, which newer versions of Thrust do not have
template <class T = void>
struct identity {
  template <class U>
  __host__ __device__ constexpr decltype(auto) operator()(U&& value) const {
    return static_cast<U&&>(value);
  }
};
}  // namespace thrust
#endif
#include <cuco/static_map.cuh>
#elif defined(PEER_cccl)
#include <cuda/experimental/__cuco/fixed_capacity_map.cuh>
#include <cuda/memory_resource>
#include <cuda/stream>
#elif defined(PEER_bght)
#include <bght/bcht.hpp>
#endif

constexpr uint32_t kEmpty = UINT32_MAX;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// A bijection of the 32-bit numbers, so that different numbers become different keys.
__host__ __device__ inline uint32_t key_of(uint32_t number) {
  number ^= number >> 16;
  number *= 0x85ebca6b;
  number ^= number >> 13;
  number *= 0xc2b2ae35;
  return number ^ number >> 16;
}
__host__ __device__ inline uint32_t value_of(uint32_t key) {
  return key / 3;
}

#if defined(PEER_cuco)
using Pair = cuco::pair<uint32_t, uint32_t>;
class Table {
 public:
  static constexpr const char* kName = "cuCollections static_map";
  explicit Table(uint64_t slots)
      : map_(slots, cuco::empty_key<uint32_t>{kEmpty}, cuco::empty_value<uint32_t>{kEmpty}) {}
  bool build(const Pair* pairs, uint64_t n) {
    map_.clear_async();
    map_.insert_async(pairs, pairs + n);
    return true;
  }
  void find(const uint32_t* keys, uint64_t n, uint32_t* values) { map_.find_async(keys, keys + n, values); }
  uint64_t slots() { return map_.capacity(); }

 private:
  cuco::static_map<uint32_t, uint32_t> map_;
};
#elif defined(PEER_cccl)
namespace cudax = cuda::experimental;
using Pair = cuda::std::pair<uint32_t, uint32_t>;
class Table {
 public:
  static constexpr const char* kName = "CCCL fixed_capacity_map";
  explicit Table(uint64_t slots)
      : map_(cuda::stream_ref{cudaStream_t{}}, cuda::device_default_memory_pool(cuda::device_ref{0}), slots,
             cudax::cuco::empty_key(kEmpty), cudax::cuco::empty_value(kEmpty)) {}
  bool build(const Pair* pairs, uint64_t n) {
    map_.clear_async(cuda::stream_ref{cudaStream_t{}});
    map_.insert_async(cuda::stream_ref{cudaStream_t{}}, pairs, pairs + n);
    return true;
  }
  void find(const uint32_t* keys, uint64_t n, uint32_t* values) {
    map_.find_async(cuda::stream_ref{cudaStream_t{}}, keys, keys + n, values);
  }
  uint64_t slots() { return map_.capacity(); }

 private:
  cudax::cuco::fixed_capacity_map<uint32_t, uint32_t> map_;
};
#elif defined(PEER_bght)
using Pair = bght::pair<uint32_t, uint32_t>;
class Table {
 public:
  static constexpr const char* kName = "BGHT bcht, buckets of 16";
  explicit Table(uint64_t slots) : slots_(slots), map_(slots, kEmpty, kEmpty) {}
  bool build(const Pair* pairs, uint64_t n) {
    map_.clear();
    return map_.insert(pairs, pairs + n);
  }
  void find(const uint32_t* keys, uint64_t n, uint32_t* values) { map_.find(keys, keys + n, values); }
  uint64_t slots() { return slots_; }

 private:
  uint64_t slots_;
  bght::bcht<uint32_t, uint32_t> map_;
};
#endif

template <class T>
T* device_copy(const std::vector<T>& values) {
  T* copy = nullptr;
  check(cudaMalloc(&copy, values.size() * sizeof(T)));
  check(cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return copy;
}

template <class F>
double median_milliseconds(int repetitions, const F& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i <= repetitions; ++i) {  // the first run is not counted
    check(cudaEventRecord(begin));
    run();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float time = 0;
    check(cudaEventElapsedTime(&time, begin, end));
    if (i > 0) times.push_back(time);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

void measure(uint32_t n, double load_factor) {
  std::vector<Pair> pairs(n);
  for (uint32_t i = 0; i < n; ++i) pairs[i] = Pair{key_of(i), value_of(key_of(i))};
  std::mt19937 random(1);
  std::vector<uint32_t> searched(n), expected(n), found(n);
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t number = random() % n;
    searched[i] = key_of(i % 2 ? number : n + number);
    expected[i] = i % 2 ? value_of(searched[i]) : kEmpty;
    if (searched[i] == kEmpty)
      throw std::runtime_error("a key is the empty one: choose another number of keys");
  }
  std::shuffle(searched.begin(), searched.end(), std::mt19937(2));
  std::shuffle(expected.begin(), expected.end(), std::mt19937(2));
  const Pair* device_pairs = device_copy(pairs);
  const uint32_t* device_keys = device_copy(searched);
  uint32_t* device_values = device_copy(found);
  Table table(static_cast<uint64_t>(n / load_factor));
  int failures = 0;
  const double build = median_milliseconds(7, [&] { failures += !table.build(device_pairs, n); });
  const double find = median_milliseconds(7, [&] { table.find(device_keys, n, device_values); });
  check(cudaMemcpy(found.data(), device_values, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
  uint64_t wrong = 0;
  for (uint32_t i = 0; i < n; ++i) wrong += found[i] != expected[i];
  std::printf(
      "{\"table\": \"%s\", \"keys\": %u, \"load_factor\": %.3f, \"build_ms\": %.3f, \"find_ms\": %.3f, "
      "\"builds_per_second\": %.3g, \"finds_per_second\": %.3g, \"failed_builds\": %d, \"wrong\": %llu}\n",
      Table::kName, n, static_cast<double>(n) / static_cast<double>(table.slots()), build, find,
      n / build * 1e3, n / find * 1e3, failures, static_cast<unsigned long long>(wrong));
  check(cudaFree(const_cast<Pair*>(device_pairs)));
  check(cudaFree(const_cast<uint32_t*>(device_keys)));
  check(cudaFree(device_values));
}

int main(int argc, char** argv) {
  try {
    const auto n = static_cast<uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 33554432);
    for (const double load_factor : {0.8, 0.95}) measure(n, load_factor);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
