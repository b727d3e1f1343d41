// Loops, scans and sorts on the processor's cores (oneTBB). CudaDevice has the same calls. The body of every
// kernel is written once, as a function object with a VOX_HD operator(), and runs on both.
#pragma once

#include <oneapi/tbb/info.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/base/loops.h"
#include "libvox/base/progress.h"
#include "libvox/device/cpu_group.h"
#include "libvox/device/device.h"
#include "libvox/device/pool.h"
#include "libvox/device/profiler.h"

namespace vox::device {

// Machine code that was compiled while the program runs. It is a shared object that is loaded from memory, so
// that the bytes that were checked are the bytes that run.
class CpuCode {
 public:
  // A loop of compiled code. It does what a body does, for every i with begin <= i < end.
  using Loop = void(const void* const* arguments, uint64_t begin, uint64_t end);

  // Throws an Error if the image cannot be loaded.
  explicit CpuCode(const std::vector<std::byte>& image);
  ~CpuCode();
  CpuCode(const CpuCode&) = delete;
  CpuCode& operator=(const CpuCode&) = delete;

  // Throws an Error if there is no loop of this name.
  Loop* loop(const char* name) const;

 private:
  void* library_ = nullptr;
};

class CpuDevice {
 public:
  using Group = CpuGroup;
  using Code = CpuCode;  // code that is compiled while the program runs
  // When several threads read a piece of memory together, each reads this many bytes: here, a whole cache
  // line.
  static constexpr uint32_t kLaneBytes = 128;

  // `memory_limit` bounds the memory of the whole process, so the memory that it uses already is subtracted.
  // 0 stands for 80 % of what the machine can give.
  CpuDevice(uint64_t memory_limit, bool profile);

  std::string name() const { return "cpu"; }
  std::string text() const;
  Pool& pool() { return pool_; }
  const Profiler& profiler() const { return profiler_; }
  // Forgets what has been measured so far: the profile and the peak of memory start again.
  void restart_measuring() {
    pool_.trim();
    pool_.restart_peak();
    profiler_.restart();
  }
  // Returns how many (leaf cell, triangle) pairs a chunk should have if memory does not ask for fewer: enough
  // to feed every core, few enough to stay in the caches.
  uint64_t preferred_chunk_pairs() const { return uint64_t{1} << 20; }

  template <class T>
  Buffer<T> make(uint64_t size) {
    return Buffer<T>(pool_, size);
  }

  // Calls body(i) for every i < n, in any order. A body that reads memory at random may have a function
  // prefetch(i, stage). The loop calls it some iterations ahead, so that the reads of several iterations overlap:
  // with stage 0, then 1, and so on to kPrefetchStages - 1 if the body has this constant. The function objects of
  // select() and exclusive_scan() may have it, too. Throws Cancelled after a signal, as all loops over many bodies
  // do.
  template <class Body>
  void for_each(Work work, uint64_t n, const Body& body) {
    timed(work, n, [&] {
      for_parts(n, 512, [&](uint64_t from, uint64_t to) {
        for (uint64_t begin = from; begin < to; begin += kBlock) {
          throw_if_cancelled();
          const uint64_t end = std::min(to, begin + kBlock);
          for (uint64_t i = begin; i < end; ++i) {
            prefetch(body, i, to);
            body(i);
          }
        }
      });
    });
  }

  // Calls body(i) for every i < each * *count. The count, at most `most`, lies in the device's memory.
  template <class Body>
  void for_each_of(Work work, const uint32_t* count, uint64_t each, uint64_t /*most*/, const Body& body) {
    for_each(work, each * *count, body);
  }

  // Calls body(group, i) for every i < n, in any order, each by a group of 32 lanes. If the body has a
  // function prepare(i) (device.h), each lane of a GPU's group prepares one i, and the group
  // then works on the prepared values one after the other.
  template <class Body>
  void for_each_group(Work work, uint64_t n, const Body& body) {
    for_each(work, n, GroupBody<Body>{body});
  }

  // Calls body(block, i) for every i < n, in any order, each by a block of many threads that share a
  // `Shared`, which is not initialized (cpu_group.h).
  template <BlockMemory Shared, class Body>
  void for_each_block(Work work, uint64_t n, const Body& body) {
    timed(work, n, [&] {
      for_parts(n, 1, [&](uint64_t begin, uint64_t end) {
        Shared shared;
        for (uint64_t i = begin; i < end; ++i) body(CpuBlock<Shared>(&shared), i);
      });
    });
  }

  // Runs a loop of compiled code, with these arguments, for every i < n.
  template <class... Arguments>
  void launch(Work work, const Code& code, const char* name, uint64_t n, const Arguments&... arguments) {
    timed(work, n, [&] {
      CpuCode::Loop* loop = code.loop(name);
      const void* const list[] = {&arguments...};
      for_parts(n, 512, [&](uint64_t begin, uint64_t end) { loop(list, begin, end); });
    });
  }

  // Sets out[i] = count(0) + … + count(i − 1) for i <= n, and returns out[n]. Each count must fit in an Out.
  template <class Out, class Count>
  uint64_t exclusive_scan(Work work, uint64_t n, const Count& count, Out* out) {
    uint64_t total = 0;
    timed(work, n, [&] {
      std::vector<uint64_t> sums(blocks(n) + 1, 0);
      for_blocks(n, [&](uint64_t block, uint64_t begin, uint64_t end) {
        uint64_t sum = 0;
        for (uint64_t i = begin; i < end; ++i) {
          prefetch(count, i, end);
          out[i] = static_cast<Out>(count(i));
          sum += static_cast<uint64_t>(out[i]);
        }
        sums[block + 1] = sum;
      });
      for (size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
      for_blocks(n, [&](uint64_t block, uint64_t begin, uint64_t end) {
        uint64_t sum = sums[block];
        for (uint64_t i = begin; i < end; ++i) sum += std::exchange(out[i], static_cast<Out>(sum));
      });
      total = sums.back();
      out[n] = static_cast<Out>(total);
    });
    return total;
  }

  // Writes every i < n for which keep(i) is true to `out`, in ascending order. Returns how many there are.
  template <class Keep>
  uint64_t select(Work work, uint64_t n, const Keep& keep, uint32_t* out) {
    uint64_t total = 0;
    timed(work, n, [&] {
      std::vector<uint64_t> starts(blocks(n) + 1, 0), kept((n + 63) / 64);
      for_blocks(n, [&](uint64_t block, uint64_t begin, uint64_t end) {
        uint64_t count = 0;
        for (uint64_t first = begin; first < end; first += 64) {
          uint64_t bits = 0;
          for (uint64_t i = first; i < std::min(end, first + 64); ++i) {
            prefetch(keep, i, end);
            bits |= uint64_t{keep(i) ? 1u : 0u} << (i - first);
          }
          kept[first / 64] = bits;
          count += static_cast<uint64_t>(popcount(bits));
        }
        starts[block + 1] = count;
      });
      for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
      for_blocks(n, [&](uint64_t block, uint64_t begin, uint64_t end) {
        uint64_t at = starts[block];
        for (uint64_t first = begin; first < end; first += 64)
          for (uint64_t bits = kept[first / 64]; bits != 0; bits &= bits - 1)
            out[at++] = static_cast<uint32_t>(first + static_cast<uint64_t>(lowest_bit(bits)));
      });
      total = starts.back();
    });
    return total;
  }

  // Returns value(0) + … + value(n − 1), in 64 bits.
  template <class Value>
  uint64_t sum(Work work, uint64_t n, const Value& value) {
    std::atomic<uint64_t> total = 0;
    timed(work, n, [&] {
      for_parts(n, 4096, [&](uint64_t begin, uint64_t end) {
        uint64_t sum = 0;
        for (uint64_t i = begin; i < end; ++i) sum += static_cast<uint64_t>(value(i));
        total += sum;
      });
    });
    return total;
  }

  // Sets out[index[i]] = values[i] for every i < n. No index may occur twice.
  template <class T>
  void scatter(Work work, uint64_t n, const uint32_t* index, const T* values, T* out) {
    for_each(work, n, Scatter<T>{index, values, out});
  }

  // Adds 1 to counts[bin(i)] for every i < n. `counts` lies in the host's memory. `bins` is a few hundred at
  // most.
  template <class Bin>
  void histogram(Work work, uint64_t n, const Bin& bin, uint64_t* counts, uint64_t bins) {
    timed(work, n, [&] {
      std::vector<std::vector<uint64_t>> parts(blocks(n), std::vector<uint64_t>(bins));
      for_blocks(n, [&](uint64_t block, uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) ++parts[block][bin(i)];
      });
      for (const auto& part : parts)
        for (uint64_t b = 0; b < bins; ++b) counts[b] += part[b];
    });
  }

  // Sorts the first n pairs by the low `bits` bits of their keys. Pairs with equal keys keep their order.
  template <class Key, class Value>
  void sort_pairs(Work work, Buffer<Key>& keys, Buffer<Value>& values, uint64_t n, uint32_t bits) {
    sort(work, keys, values, n, bits);
  }

  // Sorts the first n keys by their low `bits` bits.
  template <class Key>
  void sort_keys(Work work, Buffer<Key>& keys, uint64_t n, uint32_t bits) {
    Buffer<NoValue> none;
    sort(work, keys, none, n, bits);
  }

  template <class T>
  void fill(T* to, uint64_t n, const T& value) {
    for_blocks(n, [&](uint64_t, uint64_t begin, uint64_t end) { std::fill(to + begin, to + end, value); });
  }
  template <class T>
  void upload(T* to, const T* from, uint64_t n) {
    if (n > 0) std::memcpy(to, from, n * sizeof(T));
  }
  template <class T>
  void download(T* to, const T* from, uint64_t n) {
    if (n > 0) std::memcpy(to, from, n * sizeof(T));
  }
  // Tells that download() will soon fill memory of the host. A GPU's device uses the time until then.
  template <class T>
  void expect(T*, uint64_t) {}
  template <class T>
  void copy(T* to, const T* from, uint64_t n) {
    if (n > 0) std::memcpy(to, from, n * sizeof(T));
  }
  void sync() {}

  // Returns how long f() takes, with everything that it starts on this device.
  template <class F>
  double seconds(const F& f) {
    Stopwatch watch;
    f();
    return watch.seconds();
  }

 private:
  static constexpr uint64_t kBlock = 1 << 14;

  template <class T>
  struct Scatter {
    const uint32_t* index;
    const T* values;
    T* out;
    void prefetch(uint64_t i, int stage) const {
      if (stage == 1) prefetch_line(out + index[i]);
    }
    void operator()(uint64_t i) const { out[index[i]] = values[i]; }
  };
  static_assert(PrefetchingBody<Scatter<uint32_t>>);

  struct NoValue {};  // stands for the value when keys are sorted alone
  template <class Key, class Value>
  void sort(Work work, Buffer<Key>& keys, Buffer<Value>& values, uint64_t n, uint32_t bits);

  template <class Body>
  struct GroupBody {
    static constexpr int kPrefetchStages = prefetch_stages<Body>();
    const Body& body;
    void operator()(uint64_t i) const { body(CpuGroup(), prepared(body, i)); }
    void prefetch(uint64_t i, int stage) const requires PrefetchingBody<Body> { body.prefetch(i, stage); }
  };

  template <class Body>
  static void prefetch(const Body& body, uint64_t i, uint64_t end) {
    constexpr uint64_t kAhead = 8;
    if constexpr (PrefetchingBody<Body>) {
      for (int stage = 0, stages = prefetch_stages<Body>(); stage < stages; ++stage) {
        const uint64_t later = i + static_cast<uint64_t>(stages - stage) * kAhead;
        if (later < end) body.prefetch(later, stage);
      }
    }
  }

  template <class F>
  void timed(const Work& work, uint64_t n, const F& f) {
    if (n == 0 && !profiler_.enabled()) return f();
    Stopwatch watch;
    f();
    if (profiler_.enabled()) profiler_.add(work, n, watch.seconds());
  }

  static uint64_t blocks(uint64_t n) { return (n + kBlock - 1) / kBlock; }
  template <class F>
  static void for_blocks(uint64_t n, const F& f) {
    parallel_for(uint64_t{0}, blocks(n), [&](uint64_t block) {
      throw_if_cancelled();
      f(block, block * kBlock, std::min(n, (block + 1) * kBlock));
    });
  }

  Pool pool_;
  Profiler profiler_;
};

// A radix sort that begins with the lowest digit. Each part of the input counts its digits, prefix sums of
// the counts say where the pairs go, and each part writes its own pairs there in order.
template <class Key, class Value>
void CpuDevice::sort(Work work, Buffer<Key>& keys, Buffer<Value>& values, uint64_t n, uint32_t bits) {
  timed(work, n, [&] {
    constexpr uint32_t kMaxDigitBits = 10;
    constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    const uint32_t passes = (bits + kMaxDigitBits - 1) / kMaxDigitBits;
    if (n < 2 || passes == 0) return;
    const uint32_t digit_bits = (bits + passes - 1) / passes, digits = 1u << digit_bits;
    const uint64_t parts =
        std::clamp<uint64_t>(n >> 14, 1, 4 * static_cast<uint64_t>(tbb::info::default_concurrency()));
    Buffer<Key> other_keys(pool_, keys.size());
    Buffer<Value> other_values;
    if constexpr (kHasValues) other_values = Buffer<Value>(pool_, values.size());
    std::vector<std::vector<uint64_t>> places(parts, std::vector<uint64_t>(digits));
    for (uint32_t pass = 0; pass < passes; ++pass) {
      const uint32_t shift = pass * digit_bits;
      const Key* from_keys = keys.data();
      const Value* from_values = values.data();
      Key* to_keys = other_keys.data();
      Value* to_values = other_values.data();
      // The last digit may be shorter, because bits of the key above `bits` do not count.
      const size_t mask = (size_t{1} << std::min(digit_bits, bits - shift)) - 1;
      auto digit = [&](uint64_t i) { return static_cast<size_t>(from_keys[i] >> shift) & mask; };
      parallel_for(uint64_t{0}, parts, [&](uint64_t part) {
        auto& counts = places[part];
        std::fill(counts.begin(), counts.end(), 0);
        for (uint64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) ++counts[digit(i)];
      });
      uint64_t place = 0;
      for (uint32_t d = 0; d < digits; ++d)
        for (auto& counts : places) place += std::exchange(counts[d], place);
      parallel_for(uint64_t{0}, parts, [&](uint64_t part) {
        auto& next = places[part];
        for (uint64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) {
          uint64_t to = next[digit(i)]++;
          to_keys[to] = from_keys[i];
          if constexpr (kHasValues) to_values[to] = from_values[i];
        }
      });
      keys.swap(other_keys);
      values.swap(other_values);
    }
  });
}

static_assert(DeviceType<CpuDevice>);

}  // namespace vox::device
