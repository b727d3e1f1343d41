// CudaDevice runs on an NVIDIA GPU: it has one stream, memory from one pool, and scans and sorts of CUB. Its calls
// are those of CpuDevice, where they are explained.
#pragma once

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "libvox/device/cuda_kernels.cuh"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/device/profiler.h"

namespace vox::device {

class PageMaker;

// The memory of one GPU, as a Pool asks for it. Blocks are allocated and freed in the order of a stream, from
// memory that CUDA has already taken from the system: cudaMalloc takes 50 to 100 µs for each block, and
// cudaFree waits for all work that runs.
class CudaMemory {
 public:
  // Only work on this stream, or work that waits for it, may use the blocks.
  CudaMemory(int index, cudaStream_t stream);
  ~CudaMemory();  // everything must have been released
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  static const Pool::Backend kBackend;  // its state is a CudaMemory

 private:
  void* allocate(uint64_t bytes);
  void release(void* block);
  void shrink(uint64_t bytes);

  cudaStream_t stream_;
  cudaMemPool_t pool_ = nullptr;  // null if the driver has no such pools
};

// Throws Error with the call's name and CUDA's message if the status is an error.
void check_cuda(cudaError_t status, const char* call);

// Kernels that are compiled while the program runs, loaded from an image for this device.
class CudaCode {
 public:
  // Throws Error if the image cannot be loaded.
  explicit CudaCode(const std::vector<std::byte>& image);
  ~CudaCode();
  CudaCode(const CudaCode&) = delete;
  CudaCode& operator=(const CudaCode&) = delete;

  // Throws Error if there is no kernel of this name.
  const void* kernel(const char* name) const;

 private:
  cudaLibrary_t library_ = nullptr;
};

class CudaDevice {
 public:
  using Group = CudaGroup;
  using Code = CudaCode;
  // When several threads read a piece of memory together, each reads this many bytes. The loads of
  // neighboring threads are combined into one.
  static constexpr uint32_t kLaneBytes = 16;

  // `memory_limit` bounds how much of the device's memory is used; 0 stands for 80 % of what is free.
  CudaDevice(int index, uint64_t memory_limit, bool profile);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  int index() const { return index_; }
  std::string name() const;
  std::string text() const;
  uint32_t capability() const;  // the compute capability, such as 90 for 9.0
  Pool& pool() { return *pool_; }
  const Profiler& profiler() const { return profiler_; }
  void restart_measuring() {
    pool_->trim();
    pool_->restart_peak();
    profiler_.restart();
  }
  // A chunk of this many pairs is so large that the cost of launches does not matter, and small enough to
  // leave memory to the DAG.
  uint64_t preferred_chunk_pairs() const { return uint64_t{128} << 20; }

  template <class T>
  Buffer<T> make(uint64_t size) {
    return Buffer<T>(*pool_, size);
  }

  // A body may have a faster variant for a GPU: body.warp(i, n), which all lanes of a warp call together,
  // does what body(i) to body(i + 31) do, except for indices from n on.
  template <class Body>
  void for_each(Work work, uint64_t n, const Body& body) {
    timed(work, n, [&] {
      if (n == 0) return;
      if constexpr (WarpBody<Body>)
        cuda_kernels::for_each_warp<<<blocks(n), kThreads, 0, stream_>>>(n, body);
      else
        cuda_kernels::for_each<<<blocks(n), kThreads, 0, stream_>>>(n, body);
      check_cuda(cudaGetLastError(), work.name);
    });
  }

  template <class Body>
  void for_each_of(Work work, const uint32_t* count, uint64_t each, uint64_t most, const Body& body) {
    timed(work, 0, [&] {
      const uint32_t resident = max_blocks_ / 8;  // more blocks would find nothing to do most of the time
      cuda_kernels::for_each_of<<<std::min(blocks(each * most), resident), kThreads, 0, stream_>>>(
          count, each, body);
      check_cuda(cudaGetLastError(), work.name);
    });
  }

  template <class Body>
  void for_each_group(Work work, uint64_t n, const Body& body) {
    timed(work, n, [&] {
      if (n == 0) return;
      // A group prepares as many items as leave work for all groups that run at once, but so few that the
      // lines it has prefetched are still in the cache when it reads them.
      uint64_t most = 8;
      if constexpr (AheadBody<Body>)
        most = std::clamp<uint64_t>(4096 / Body::kAheadBytes, 1, CudaGroup::kLanes);
      const auto each = static_cast<uint32_t>(std::clamp<uint64_t>(n / max_blocks_, 1, most));
      const uint64_t groups = (n + each - 1) / each;
      cuda_kernels::for_each_group<<<blocks(groups * CudaGroup::kLanes), kThreads, 0, stream_>>>(n, each,
                                                                                                 body);
      check_cuda(cudaGetLastError(), work.name);
    });
  }

  template <BlockMemory Shared, class Body>
  void for_each_block(Work work, uint64_t n, const Body& body) {
    timed(work, n, [&] {
      if (n == 0) return;
      const auto blocks = static_cast<uint32_t>(std::min<uint64_t>(n, max_blocks_));
      cuda_kernels::for_each_block<Shared><<<blocks, CudaBlock<Shared>::kThreads, 0, stream_>>>(n, body);
      check_cuda(cudaGetLastError(), work.name);
    });
  }

  // Runs a kernel of compiled code, which takes these arguments and n. Its threads stride over all i < n.
  template <class... Arguments>
  void launch(Work work, const Code& code, const char* name, uint64_t n, const Arguments&... arguments) {
    timed(work, n, [&] {
      if (n == 0) return;
      const void* list[] = {&arguments..., &n};
      check_cuda(cudaLaunchKernel(code.kernel(name), dim3(blocks(n)), dim3(kThreads),
                                  const_cast<void**>(list), 0, stream_),
                 work.name);
    });
  }

  template <class Out, class Count>
  uint64_t exclusive_scan(Work work, uint64_t n, const Count& count, Out* out) {
    timed(work, n, [&] {
      auto in = thrust::make_transform_iterator(thrust::counting_iterator<uint64_t>(0),
                                                cuda_kernels::ScanInput<Count>{count, n});
      auto to = thrust::make_tabulate_output_iterator(cuda_kernels::ScanOutput<Out>{out, result_, n});
      with_scratch(work.name, [&](void* scratch, size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, to, n + 1, stream_);
      });
    });
    return read_result();
  }

  template <class Keep>
  uint64_t select(Work work, uint64_t n, const Keep& keep, uint32_t* out) {
    timed(work, n, [&] {
      with_scratch(work.name, [&](void* scratch, size_t& bytes) {
        return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<uint32_t>(0), out, result_, n,
                                     keep, stream_);
      });
    });
    return read_result();
  }

  template <class Value>
  uint64_t sum(Work work, uint64_t n, const Value& value) {
    timed(work, n, [&] {
      auto in = thrust::make_transform_iterator(thrust::counting_iterator<uint64_t>(0),
                                                cuda_kernels::SumInput<Value>{value});
      with_scratch(work.name, [&](void* scratch, size_t& bytes) {
        return cub::DeviceReduce::Sum(scratch, bytes, in, result_, n, stream_);
      });
    });
    return read_result();
  }

  // A cache line that is written in small pieces at random is also read, unless it stays in the cache until
  // all of it has been written. For this reason `out` is written in windows, each of which fits in the cache.
  template <class T>
  void scatter(Work work, uint64_t n, const uint32_t* index, const T* values, T* out) {
    const uint64_t window = std::max<uint64_t>(scatter_bytes_ / sizeof(T), 1);
    for (uint64_t begin = 0; begin < n; begin += window) {
      const uint64_t end = begin + window < n ? begin + window : UINT64_MAX;
      for_each(work, n,
               cuda_kernels::ScatterWindow<T>{index, values, out, static_cast<uint32_t>(begin), end});
    }
  }

  template <class Bin>
  void histogram(Work work, uint64_t n, const Bin& bin, uint64_t* counts, uint64_t bins) {
    auto sums = make<unsigned long long>(bins);
    fill(sums.data(), bins, 0ull);
    timed(work, n, [&] {
      if (n == 0) return;
      cuda_kernels::histogram<<<blocks(n), kThreads, bins * sizeof(uint32_t), stream_>>>(
          n, bin, sums.data(), static_cast<uint32_t>(bins));
      check_cuda(cudaGetLastError(), work.name);
    });
    std::vector<unsigned long long> result(bins);
    download(result.data(), sums.data(), bins);
    for (uint64_t b = 0; b < bins; ++b) counts[b] += result[b];
  }

  template <class Key, class Value>
  void sort_pairs(Work work, Buffer<Key>& keys, Buffer<Value>& values, uint64_t n, uint32_t bits) {
    if (n < 2 || bits == 0) return;
    Buffer<Key> other_keys = make<Key>(keys.size());
    Buffer<Value> other_values = make<Value>(values.size());
    cub::DoubleBuffer<Key> key_buffers(keys.data(), other_keys.data());
    cub::DoubleBuffer<Value> value_buffers(values.data(), other_values.data());
    timed(work, n, [&] {
      with_scratch(work.name, [&](void* scratch, size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers, n, 0,
                                               static_cast<int>(bits), stream_);
      });
    });
    if (key_buffers.Current() != keys.data()) keys.swap(other_keys);
    if (value_buffers.Current() != values.data()) values.swap(other_values);
  }

  template <class Key>
  void sort_keys(Work work, Buffer<Key>& keys, uint64_t n, uint32_t bits) {
    if (n < 2 || bits == 0) return;
    Buffer<Key> other_keys = make<Key>(keys.size());
    cub::DoubleBuffer<Key> key_buffers(keys.data(), other_keys.data());
    timed(work, n, [&] {
      with_scratch(work.name, [&](void* scratch, size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, key_buffers, n, 0, static_cast<int>(bits),
                                              stream_);
      });
    });
    if (key_buffers.Current() != keys.data()) keys.swap(other_keys);
  }

  template <class T>
  void fill(T* to, uint64_t n, const T& value) {
    for_each({"fill", sizeof(T)}, n, cuda_kernels::Fill<T>{to, value});
  }
  template <class T>
  void upload(T* to, const T* from, uint64_t n) {
    upload_bytes(to, from, n * sizeof(T));
  }
  template <class T>
  void download(T* to, const T* from, uint64_t n) {
    download_bytes(to, from, n * sizeof(T));
  }
  template <class T>
  void expect(T* to, uint64_t n) {
    expect_bytes(to, n * sizeof(T));
  }
  template <class T>
  void copy(T* to, const T* from, uint64_t n) {
    check_cuda(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice, stream_),
               "cudaMemcpyAsync");
  }
  void sync() { check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  template <class F>
  double seconds(const F& f) {
    check_cuda(cudaEventRecord(lap_begin_, stream_), "cudaEventRecord");
    f();
    check_cuda(cudaEventRecord(lap_end_, stream_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(lap_end_), "cudaEventSynchronize");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, lap_begin_, lap_end_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  static constexpr uint32_t kThreads = 256;

  // Enough blocks to fill the GPU many times over; the kernels stride over the rest.
  uint32_t blocks(uint64_t threads) const {
    return static_cast<uint32_t>(std::min<uint64_t>((threads + kThreads - 1) / kThreads, max_blocks_));
  }

  // Makes a CUB call twice, as CUB requires: first for the size of its scratch memory, then for the work.
  template <class Call>
  void with_scratch(const char* name, const Call& call) {
    size_t bytes = 0;
    check_cuda(call(nullptr, bytes), name);
    Buffer<char> scratch = make<char>(std::max<size_t>(bytes, 1));
    check_cuda(call(scratch.data(), bytes), name);
  }

  template <class F>
  void timed(const Work& work, uint64_t n, const F& f) {
    begin(work);
    f();
    end(work, n);
  }

  void begin(const Work& work);
  void end(const Work& work, uint64_t n);
  uint64_t read_result();
  void upload_bytes(void* to, const void* from, uint64_t bytes);
  void download_bytes(void* to, const void* from, uint64_t bytes);
  void expect_bytes(void* to, uint64_t bytes);

  int index_;
  uint32_t max_blocks_ = 0;
  uint64_t scatter_bytes_ = 0;  // size of one window of scatter(), a part of the cache
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;          // around a launch, for the profiler
  cudaEvent_t lap_begin_ = nullptr, lap_end_ = nullptr;  // around f() in seconds()
  std::unique_ptr<Pool> pool_;
  Profiler profiler_;
  // Pinned host memory that transfers pass through. Its two halves let copying and sending overlap.
  static constexpr uint64_t kStagingHalf = 32 << 20;
  char* staging_ = nullptr;
  cudaEvent_t staging_free_[2] = {};
  std::unique_ptr<PageMaker> pages_;
  uint64_t* result_ = nullptr;  // host memory that kernels write a single result to
  std::unique_ptr<CudaMemory> memory_;
};

static_assert(DeviceType<CudaDevice>);

}  // namespace vox::device
