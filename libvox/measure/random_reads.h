// Measures two limits for benchmarks. A hash table is never faster than aligned reads at random places of the
// memory. A scene that is edited on the host reaches the device no faster than a copy of its new items.
#pragma once

#include <algorithm>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/hd.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/measure/hash_bench.h"

namespace vox::measure {

struct alignas(16) Words4 {
  uint32_t x, y, z, w;
};
static_assert(sizeof(Words4) == 16);  // the most that a GPU's thread loads at once

// Each group of `kLanes` neighboring threads reads pieces of `kBytes`, kAtOnce of them in parallel to hide
// the latency.
template <uint32_t kBytes, uint32_t kLanes>
struct RandomReads {
  static constexpr uint64_t kAtOnce = 4;
  static constexpr uint32_t kPieceLoads = kBytes / sizeof(Words4), kLaneLoads = kPieceLoads / kLanes;

  const Words4* memory;  // all zeros
  uint64_t pieces;       // below 2^32
  uint32_t* never_written;

  VOX_HD const Words4* place(uint64_t i, uint64_t which) const {
    const uint64_t random = mix64(i / kLanes * kAtOnce + which + 1) >> 32;
    return memory + (random * pieces >> 32) * kPieceLoads + i % kLanes * kLaneLoads;
  }

  VOX_HD void prefetch(uint64_t i, int stage) const {
    constexpr uint32_t kLineLoads = 64 / sizeof(Words4);  // for a processor's cache lines of 64 bytes
    for (uint64_t which = 0; stage == 0 && which < kAtOnce; ++which)
      for (uint32_t load = 0; load < kLaneLoads; load += kLineLoads) prefetch_line(place(i, which) + load);
  }

  VOX_HD void operator()(uint64_t i) const {
    Words4 seen[kAtOnce][kLaneLoads];
    for (uint64_t which = 0; which < kAtOnce; ++which)
      for (uint32_t load = 0; load < kLaneLoads; ++load) seen[which][load] = place(i, which)[load];
    uint32_t all = 0;
    for (const auto& piece : seen)
      for (const Words4& words : piece) all |= words.x | words.y | words.z | words.w;
    if (all != 0) *never_written = all;  // keeps the compiler from removing the reads
  }
};
static_assert(device::PrefetchingBody<RandomReads<64, 4>>);

// Measures `reads` reads of kBytes each.
template <uint32_t kBytes, class Device>
RandomReadCeiling measure_random_reads(Device& device, const device::Buffer<Words4>& memory, uint64_t reads,
                                       uint32_t repetitions) {
  constexpr uint32_t kLanes = std::max<uint32_t>(1, kBytes / Device::kLaneBytes);
  using Reads = RandomReads<kBytes, kLanes>;
  auto never_written = device.template make<uint32_t>(1);
  const Reads body = {memory.data(), memory.size() / Reads::kPieceLoads, never_written.data()};
  const uint64_t rounds = reads / Reads::kAtOnce, threads = rounds * kLanes;
  std::vector<double> seconds;
  for (uint32_t repetition = 0; repetition <= repetitions; ++repetition) {
    const double elapsed = device.seconds([&] { device.for_each("random reads", threads, body); });
    if (repetition > 0) seconds.push_back(elapsed);
  }
  RandomReadCeiling ceiling = {kBytes, memory.size() * sizeof(Words4), 0, summarize(std::move(seconds)),
                               repetitions};
  ceiling.reads_per_second = static_cast<double>(rounds * Reads::kAtOnce) / ceiling.time.median;
  return ceiling;
}

// Measures reads of each size in a buffer of `bytes` bytes.
template <class Device>
std::vector<RandomReadCeiling> measure_random_reads(Device& device, uint64_t bytes, uint64_t reads,
                                                    uint32_t repetitions) {
  auto memory = device.template make<Words4>(std::max<uint64_t>(bytes / sizeof(Words4), 8));
  device.fill(memory.data(), memory.size(), Words4{});
  return {measure_random_reads<32>(device, memory, reads, repetitions),
          measure_random_reads<128>(device, memory, reads, repetitions)};
}

// Returns the time of copying so many bytes from the host's memory to the device.
template <class Device>
Timing upload_time_on(Device& device, uint64_t bytes, uint32_t repetitions) {
  const std::vector<uint8_t> from(std::max<uint64_t>(bytes, 1), uint8_t{1});
  auto to = device.template make<uint8_t>(from.size());
  return repeated(repetitions, [&](uint32_t) {
    return device.seconds([&] { device.upload(to.data(), from.data(), bytes); });
  });
}

}  // namespace vox::measure
