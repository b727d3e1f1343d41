// Implements bench_machine_on() for one kind of device.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/hd.h"
#include "libvox/base/progress.h"
#include "libvox/device/atomics.h"
#include "libvox/device/pool.h"
#include "libvox/measure/machine_bench.h"
#include "libvox/measure/random_reads.h"

namespace vox::measure {

struct CopyWords {
  const Words4* from;
  Words4* to;

  VOX_HD void operator()(uint64_t i) const { to[i] = from[i]; }
};

// Each thread adds 1 to a random word by compare-and-swap, which it repeats until no other thread came first.
struct SwapWords {
  uint32_t* words;
  uint64_t count;  // below 2^32

  VOX_HD uint32_t* place(uint64_t i) const { return words + ((mix64(i + 1) >> 32) * count >> 32); }
  VOX_HD void prefetch(uint64_t i, int stage) const {
    if (stage == 0) prefetch_line(place(i));
  }
  VOX_HD void operator()(uint64_t i) const {
    uint32_t* word = place(i);
    uint32_t expected = 0;
    for (;;) {
      const uint32_t seen = device::atomic_exchange_if_relaxed(word, expected, expected + 1);
      if (seen == expected) return;
      expected = seen;
    }
  }
};

struct CountSwaps {
  const uint32_t* words;

  VOX_HD uint64_t operator()(uint64_t i) const { return words[i]; }
};

template <class Device>
class MachineBench {
 public:
  MachineBench(Device& device, const MachineBenchOptions& options) : device_(device), options_(options) {}

  MachineBenchResult run() {
    const Stopwatch watch;
    MachineBenchResult result = {{}, options_.repetitions, 0};
    std::vector<uint32_t> sizes = options_.mebibytes;
    if (sizes.empty()) sizes = MachineBenchOptions::default_mebibytes(!device::kReadsHostMemory<Device>);
    Progress progress("measuring", options_.tests.size());
    for (size_t i = 0; i < options_.tests.size(); ++i) {
      const MachineTest test = options_.tests[i];
      progress.update(i, std::string(kMachineTestNames[static_cast<size_t>(test)]));
      if (test == MachineTest::Write || test == MachineTest::Read) {
        result.rows.push_back(bench_disk(test, options_));
      } else if (test == MachineTest::Sort) {
        result.rows.push_back(bench_sort(options_));
      } else {
        for (const uint32_t mebibytes : sizes)
          result.rows.push_back(in_memory(test, uint64_t{mebibytes} << 20));
      }
    }
    result.seconds = watch.seconds();
    return result;
  }

 private:
  MachineBenchRow in_memory(MachineTest test, uint64_t bytes) {
    switch (test) {
      case MachineTest::Copy:
        return copy(bytes);
      case MachineTest::Read32:
        return random_reads<32>(test, bytes);
      case MachineTest::Read128:
        return random_reads<128>(test, bytes);
      case MachineTest::Swap:
        return swap(bytes);
      default:
        return move(test, bytes);
    }
  }

  MachineBenchRow copy(uint64_t bytes) {
    const uint64_t count = bytes / sizeof(Words4);
    auto from = device_.template make<Words4>(count), to = device_.template make<Words4>(count);
    device_.fill(from.data(), count, Words4{1, 2, 3, 4});
    const Timing time = timed([&] {
      device_.for_each({"copy", 32}, count, CopyWords{from.data(), to.data()});
    });
    Words4 last = {};
    device_.download(&last, to.data() + count - 1, 1);
    if (last.x != 1 || last.w != 4) throw Error("the copy differs from what was copied");
    return {MachineTest::Copy, bytes, bytes, 2, time};
  }

  template <uint32_t kBytes>
  MachineBenchRow random_reads(MachineTest test, uint64_t bytes) {
    auto memory = device_.template make<Words4>(bytes / sizeof(Words4));
    device_.fill(memory.data(), memory.size(), Words4{});
    const RandomReadCeiling ceiling =
        measure_random_reads<kBytes>(device_, memory, kReads, options_.repetitions);
    return {test, bytes, kReads, kBytes, ceiling.time};
  }

  MachineBenchRow swap(uint64_t bytes) {
    const uint64_t count = std::min<uint64_t>(bytes / sizeof(uint32_t), UINT32_MAX);
    auto words = device_.template make<uint32_t>(count);
    device_.fill(words.data(), count, 0u);
    const Timing time = timed([&] { device_.for_each({"swap", 8}, kReads, SwapWords{words.data(), count}); });
    if (device_.sum("count swaps", count, CountSwaps{words.data()}) !=
        kReads * (uint64_t{options_.repetitions} + 1))
      throw Error("swaps were lost");
    return {MachineTest::Swap, bytes, kReads, sizeof(uint32_t), time};
  }

  // Moves bytes from the host to the device, or back.
  MachineBenchRow move(MachineTest test, uint64_t bytes) {
    std::vector<uint8_t> host(bytes, uint8_t{test == MachineTest::Upload});
    auto there = device_.template make<uint8_t>(bytes);
    if (test == MachineTest::Download) device_.fill(there.data(), bytes, uint8_t{1});
    const Timing time = timed([&] {
      if (test == MachineTest::Upload) return device_.upload(there.data(), host.data(), bytes);
      device_.download(host.data(), there.data(), bytes);
    });
    if (test == MachineTest::Upload) device_.download(host.data() + bytes - 1, there.data() + bytes - 1, 1);
    if (host.back() != 1) throw Error("bytes were lost on the way to the device or back");
    return {test, bytes, bytes, 1, time};
  }

  template <class F>
  Timing timed(const F& f) {
    return repeated(options_.repetitions, [&](uint32_t) { return device_.seconds(f); });
  }

  static constexpr uint64_t kReads = device::kReadsHostMemory<Device> ? uint64_t{1} << 24 : uint64_t{1} << 28;

  Device& device_;
  const MachineBenchOptions& options_;
};

template <class Device>
MachineBenchResult bench_machine_on(Device& device, const MachineBenchOptions& options) {
  check(options);
  return MachineBench<Device>(device, options).run();
}

}  // namespace vox::measure
