// Tables of voxel keys, and maps built on them, on the device that VOX_TEST_DEVICE names. All calls take and
// return vectors, so that tests are written once, in plain C++.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "libvox/base/bits.h"
#include "libvox/device/handle.h"
#include "libvox/hash/keyed/cuckoo_buckets.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/hash/keyed/keys.h"
#include "libvox/hash/keyed/lines.h"
#include "libvox/hash/keyed/maps.h"
#include "libvox/hash/keyed/slabset.h"

namespace vox {

template <class Cell>
class AnyKeyTable {
 public:
  virtual ~AnyKeyTable() = default;
  virtual hash::KeyTableBuild build(const std::vector<Cell>& cells) = 0;
  // Builds with a number of cells, without passing any: for numbers that must be refused.
  virtual void build_of_none(uint64_t n) = 0;
  // Builds with the keys 0, factor, 2 · factor, …; count_multiples() counts the stored keys among the
  // multiples from `first` on.
  virtual hash::KeyTableBuild build_multiples(uint64_t n, Cell factor) = 0;
  virtual uint64_t count_multiples(uint64_t first, uint64_t n, Cell factor) = 0;
  virtual std::optional<hash::KeyTableBuild> change(const std::vector<Cell>& erased,
                                                    const std::vector<Cell>& added) = 0;
  virtual std::vector<uint32_t> find(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> find_values(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> find_values_of_stored(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> count_sectors(const std::vector<Cell>& keys) = 0;
  // Returns all slots and the cell behind them. A slot that holds a link counts as empty, and bits that the
  // variant adds are removed.
  virtual std::vector<Cell> cells() = 0;
  virtual Cell cell_mask() = 0;
  virtual std::vector<uint64_t> probes_of_keys() = 0;
  virtual bool holds_apart() = 0;
  virtual uint64_t bytes() = 0;
};

template <class Cell>
class AnyGrowingKeyTable : public AnyKeyTable<Cell> {
 public:
  virtual void expect(uint64_t keys, uint32_t keys_per_bucket) = 0;
  virtual hash::KeyTableBuild insert(const std::vector<Cell>& cells) = 0;
  virtual hash::KeyTableBuild insert_counted(const std::vector<Cell>& cells) = 0;
  virtual uint64_t bytes_in_use() = 0;
};

// A map and the index of its keys.
template <class Cell>
class AnyMultiMap {
 public:
  virtual ~AnyMultiMap() = default;
  virtual hash::KeyTableBuild build(const std::vector<Cell>& keys, const std::vector<uint32_t>& values) = 0;
  virtual std::vector<hash::KeyRun> find(const std::vector<Cell>& keys) = 0;
  virtual std::vector<uint32_t> values() = 0;
  virtual std::vector<uint32_t> find_numbers(const std::vector<Cell>& keys) = 0;
  virtual std::vector<Cell> numbered_keys() = 0;
  virtual uint64_t bytes() = 0;
};

// The device's engine must outlive the table or the map.
template <class Cell, class Device>
std::unique_ptr<AnyKeyTable<Cell>> make_any_key_table_on(Device& device,
                                                         const hash::KeyTableOptions& options);
template <class Cell>
std::unique_ptr<AnyKeyTable<Cell>> make_any_key_table(const device::DeviceHandle& device,
                                                      const hash::KeyTableOptions& options);
template <class Cell, class Device>
std::unique_ptr<AnyGrowingKeyTable<Cell>> make_any_growing_key_table_on(Device& device,
                                                                        const hash::KeyTableOptions& options);
template <class Cell>
std::unique_ptr<AnyGrowingKeyTable<Cell>> make_any_growing_key_table(const device::DeviceHandle& device,
                                                                     const hash::KeyTableOptions& options);
template <class Cell, class Device>
std::unique_ptr<AnyMultiMap<Cell>> make_any_multi_map_on(Device& device, const hash::KeyTableOptions& options,
                                                         hash::RunOrder order);
template <class Cell>
std::unique_ptr<AnyMultiMap<Cell>> make_any_multi_map(const device::DeviceHandle& device,
                                                      const hash::KeyTableOptions& options,
                                                      hash::RunOrder order);
// Random keys for tests of tables of voxel keys.

// Returns `count` different keys of `bits` bits in random order.
template <class Cell>
std::vector<Cell> random_keys(uint64_t count, uint64_t seed, uint32_t bits = 8 * sizeof(Cell)) {
  std::vector<Cell> keys;
  for (uint64_t i = seed << 40; keys.size() < count; ++i) {
    keys.push_back(static_cast<Cell>(mix64(i) >> (64 - bits)));
    if (keys.size() < count) continue;
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed));
  return keys;
}

// Keys that a table whose hash functions have a known seed must put into the same few cells, so that its
// first attempt fails if a build can fail at all.

// The variants whose builds cannot fail: every key finds a place, wherever the others are.
inline bool is_built_always(const std::string& table) {
  return table == "open" || table == "sorted" || table == "slabset" || table == "perfect";
}

// Returns the number that mix64() maps to x.
inline uint64_t unmixed(uint64_t x) {
  const auto inverse = [](uint64_t odd) {
    uint64_t result = odd;  // correct in its lowest 3 bits, then in 6, 12, …
    for (int i = 0; i < 5; ++i) result *= 2 - odd * result;
    return result;
  };
  x ^= x >> 33;
  x *= inverse(0xc4ceb9fe1a85ec53);
  x ^= x >> 33;
  x *= inverse(0xff51afd7ed558ccd);
  return x ^ x >> 33;
}

// Returns the first `count` keys that are chosen.
template <class IsChosen>
std::vector<uint64_t> chosen_keys(uint64_t count, const IsChosen& is_chosen) {
  std::vector<uint64_t> keys;
  for (uint64_t i = 1; keys.size() < count; ++i)
    if (const uint64_t key = mix64(i) >> 1; is_chosen(key)) keys.push_back(key);
  return keys;
}

// Returns keys for a table of 64-bit cells without values, with its usual load factor and the options' seed.
inline std::vector<uint64_t> adversarial_keys(const hash::KeyTableOptions& options) {
  const std::string& table = options.table;
  const uint64_t seed = hash::attempt_seed(options, 1);
  if (table == "lines") {
    // The keys' blocks have equal turns: their hashes differ only in bits that do not count. 600 keys compete
    // for the 512 cells of 64 buckets.
    std::vector<uint64_t> keys;
    for (uint64_t high = 0; keys.size() < 600; ++high)
      if (const uint64_t block = unmixed(high << 32 | 0x12345678) - seed; block >> 60 == 0)
        keys.push_back(block * 16);
    return keys;
  }
  if (table == "cuckoo2009") {  // 1,000 keys get 3 buckets, and the first attempt divides by 3
    std::vector<uint64_t> keys;
    for (uint64_t i = 0; i < 1000; ++i) keys.push_back(3 * i);
    return keys;
  }
  if (table == "cuckoo2009-sized") {  // 2,000 keys get 3 buckets
    std::vector<uint64_t> keys;
    for (uint64_t i = 0; i < 2000; ++i) keys.push_back(3 * i);
    return keys;
  }
  if (table == "cuckoo2011") {  // 400 keys compete for a third of 500 cells and the stash
    const auto ref = hash::Cuckoo2011Ref<uint64_t>::with_seed(nullptr, 500, {}, seed);
    return chosen_keys(400, [&](uint64_t key) {
      for (uint32_t f = 0; f < ref.kFunctions; ++f)
        if (ref.slot(key, f) > 166) return false;
      return true;
    });
  }
  if (table == "cuckoo_buckets") {  // 160 keys compete for one bucket in each sub-table of 4
    const hash::CuckooBucketsRef<uint64_t> ref = {nullptr, nullptr, 4, seed, {}};
    return chosen_keys(160, [&](uint64_t key) {
      const auto pair = ref.buckets(key);
      return pair.first % 4 == 0 && pair.second % 4 == 0;
    });
  }
  if (table == "slabset") {  // 1,000 keys get 17 lists
    const hash::SlabSetRef<uint64_t> ref = {nullptr, nullptr, 17, seed, {}};
    return chosen_keys(1000, [&](uint64_t key) { return ref.first_slab(key) == 0; });
  }
  // 40 keys get 53 slots and look at the same ones, but no key's age may exceed 31.
  const hash::CoherentProbes coherent(53, seed);
  const hash::RandomProbes random(53, seed);
  return chosen_keys(40, [&](uint64_t key) {
    if (table == "robin") return coherent.start(key) == 5;
    const auto start = random.start(key);
    return start.first == 5 && start.step == 7;
  });
}

}  // namespace vox
