// The functions that every device has. CpuDevice explains each of them, and CudaDevice has the same ones. A template
// parameter called Device is one of these two.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "libvox/base/hd.h"
#include "libvox/device/pool.h"
#include "libvox/device/profiler.h"

namespace vox::device {

// Stands in the concept for any function object that a call takes: the body of a loop, the values of a scan,
// a selection or a sum, and work to be timed.
struct AnyBody {
  VOX_HD uint32_t operator()(uint64_t) const { return 0; }
  template <class Group>
  VOX_HD void operator()(Group, uint64_t) const {}
  void operator()() const {}
};

// The data that the threads of a block may share. GPUs have little more memory than this for it, and do not initialize
// it.
template <class Shared>
concept BlockMemory = sizeof(Shared) <= 40 << 10 && std::is_trivially_default_constructible_v<Shared>;

template <class D>
concept DeviceType = requires(D& device, Work work, uint64_t n, AnyBody body, Buffer<uint32_t>& buffer,
                              uint32_t* words, uint64_t* counts) {
  typename D::Group;
  typename D::Code;
  { D::kLaneBytes } -> std::convertible_to<uint32_t>;
  { device.name() } -> std::same_as<std::string>;
  { device.text() } -> std::same_as<std::string>;
  { device.pool() } -> std::same_as<Pool&>;
  { device.profiler() } -> std::same_as<const Profiler&>;
  device.restart_measuring();
  { device.preferred_chunk_pairs() } -> std::same_as<uint64_t>;
  { device.template make<uint32_t>(n) } -> std::same_as<Buffer<uint32_t>>;
  device.for_each(work, n, body);
  device.for_each_of(work, words, n, n, body);
  device.for_each_group(work, n, body);
  device.template for_each_block<uint32_t>(work, n, body);
  { device.exclusive_scan(work, n, body, words) } -> std::same_as<uint64_t>;
  { device.select(work, n, body, words) } -> std::same_as<uint64_t>;
  { device.sum(work, n, body) } -> std::same_as<uint64_t>;
  device.scatter(work, n, words, words, words);
  device.histogram(work, n, body, counts, n);
  device.sort_pairs(work, buffer, buffer, n, 32u);
  device.sort_keys(work, buffer, n, 32u);
  device.fill(words, n, 0u);
  device.upload(words, words, n);
  device.download(words, words, n);
  device.expect(words, n);
  device.copy(words, words, n);
  device.sync();
  { device.seconds(body) } -> std::same_as<double>;
};

// The members that a loop's body may have besides operator(). A misspelled one would go unnoticed and make the loop
// slower, so a static_assert beside each body says which of them it has.

// Asks for the memory that iteration i will read, in stages: CpuDevice::for_each() explains them.
template <class Body>
concept PrefetchingBody = requires(const Body& body, uint64_t i, int stage) {
  body.prefetch(i, stage);
};
// States how many stages its prefetch() has; without this there are two.
template <class Body>
concept StagedBody = PrefetchingBody<Body> && requires {
  { Body::kPrefetchStages } -> std::convertible_to<int>;
};
// Prepares an iteration of a loop over groups: CpuDevice::for_each_group() explains it.
template <class Body>
concept PreparingBody = requires(const Body& body, uint64_t i) {
  body.prepare(i);
};
// States how many bytes its prefetch() asks for, in a loop over groups.
template <class Body>
concept AheadBody = PrefetchingBody<Body> && requires {
  { Body::kAheadBytes } -> std::convertible_to<uint64_t>;
};
// Does 32 iterations with a warp of a GPU: CudaDevice::for_each() explains it.
template <class Body>
concept WarpBody = requires(const Body& body, uint64_t n) {
  body.warp(n, n);
};
// States how many of its blocks a multiprocessor should hold at least (cuda_kernels.cuh).
template <class Body>
concept ResidentBody = requires {
  { Body::kBlocksAtOnce } -> std::convertible_to<int>;
};

// A loop over groups calls its body in one of two ways: as body(group, i) or, if the body has a function
// prepare(i), as body(group, body.prepare(i)).

template <class Body>
VOX_HD auto prepared(const Body& body, uint64_t i) {
  if constexpr (PreparingBody<Body>) {
    return body.prepare(i);
  } else {
    return i;
  }
}

// The number of prefetch stages of a loop's body: Body::kPrefetchStages if the body has it, else 2.
template <class Body>
constexpr int prefetch_stages() {
  if constexpr (StagedBody<Body>) {
    return Body::kPrefetchStages;
  } else {
    return 2;
  }
}

}  // namespace vox::device
