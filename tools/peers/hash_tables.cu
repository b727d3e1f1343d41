// Measures hash tables of other libraries as `vox-bench keys --ops build,find,age,find-aged --hit-rates 50` measures ours:
// random keys are inserted at once, then as many random keys are searched, of which half are stored. Then, in tables that
// can erase, half of the keys are erased and as many others inserted, ten times, and the table is searched again. Keys and
// values have 32 bits each, so a slot takes 8 bytes as a cell of our tables does. measure.sh compiles this file once for
// each library, which PEER names. Each table and load factor has a process of its own: none can spoil the next.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
#include <bght/iht.hpp>
#include <bght/p2bht.hpp>
#elif defined(PEER_warpspeed) || defined(PEER_warpspeed_locked)
// As in WarpSpeed's own test of phases: nothing is searched while it changes, so tables need no locks. They are measured
// with their locks, too, because some lose keys without.
#ifdef PEER_warpspeed
#define LOAD_CHEAP 1
#else
#define PEER_warpspeed
#define LOAD_CHEAP 0
#endif
#define COUNT_PROBES 0
#define LARGE_MD_LOAD 1
#define LARGE_BUCKET_MODS 0
#include <gallatin/allocators/global_allocator.cuh>
#include <gallatin/data_structs/ds_utils.cuh>
using gallatin::utils::typed_atomic_write;  // which the tables do not find by themselves in newer compilers
#include <warpSpeed/helpers/probe_counts.cuh>
#include <warpSpeed/tables/cuckoo.cuh>
#include <warpSpeed/tables/double_hashing.cuh>
#include <warpSpeed/tables/double_hashing_metadata.cuh>
#include <warpSpeed/tables/iht_metadata.cuh>
#include <warpSpeed/tables/iht_p2.cuh>
#include <warpSpeed/tables/p2_hashing.cuh>
#include <warpSpeed/tables/p2_hashing_metadata.cuh>
#endif

constexpr uint32_t kEmpty = UINT32_MAX;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
class Array {
 public:
  explicit Array(uint64_t size) { check(cudaMalloc(&data_, size * sizeof(T))); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(data_); }
  T* data() { return data_; }
  T first() {
    T value;
    check(cudaMemcpy(&value, data_, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
  }

 private:
  T* data_ = nullptr;
};

template <class F>
__global__ void run_for_each(uint64_t n, F f) {
  const uint64_t i = blockIdx.x * uint64_t{blockDim.x} + threadIdx.x;
  if (i < n) f(i);
}
template <class F>
void for_each(uint64_t n, const F& f) {
  run_for_each<<<static_cast<uint32_t>((n + 255) / 256), 256>>>(n, f);
  check(cudaGetLastError());
}

// A bijection of the 32-bit numbers, so that different numbers become different keys. Of the first 850 million, only 0
// becomes a key that some table reserves.
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
// A bijection of the numbers of some bits, another one for each seed.
__host__ __device__ inline uint32_t shuffled(uint32_t number, uint32_t bits, uint32_t seed) {
  const uint32_t mask = (1u << bits) - 1;
  for (uint32_t round = 0; round < 3; ++round) {
    number = (number + key_of(seed + round + 1)) * 0x9e3779b1u & mask;
    number ^= number >> (bits / 2 + 1);
  }
  return number;
}

// The tables. A table has room for `slots` keys. insert() and clear() may be called again; insert() returns false if some
// key found no place.

#if defined(PEER_cuco)
using Pair = cuco::pair<uint32_t, uint32_t>;
class CucoTable {
 public:
  static std::string name() { return "cuCollections static_map"; }
  explicit CucoTable(uint64_t slots)
      : map_(slots, cuco::empty_key<uint32_t>{kEmpty}, cuco::empty_value<uint32_t>{kEmpty}) {}
  void clear() { map_.clear_async(); }
  bool insert(const Pair* pairs, uint64_t n) {
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
class CcclTable {
 public:
  static std::string name() { return "CCCL fixed_capacity_map"; }
  explicit CcclTable(uint64_t slots)
      : map_(cuda::stream_ref{cudaStream_t{}}, cuda::device_default_memory_pool(cuda::device_ref{0}), slots,
             cudax::cuco::empty_key(kEmpty), cudax::cuco::empty_value(kEmpty)) {}
  void clear() { map_.clear_async(cuda::stream_ref{cudaStream_t{}}); }
  bool insert(const Pair* pairs, uint64_t n) {
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
// No table of BGHT can erase.
template <class Map, const char* kKind>
class BghtTable {
 public:
  static std::string name() {
    return std::string("BGHT ") + kKind + ", buckets of " + std::to_string(Map::bucket_size);
  }
  explicit BghtTable(uint64_t slots) : slots_(slots), map_(slots, kEmpty, kEmpty) {}
  void clear() { map_.clear(); }
  bool insert(const Pair* pairs, uint64_t n) { return map_.insert(pairs, pairs + n); }
  void find(const uint32_t* keys, uint64_t n, uint32_t* values) { map_.find(keys, keys + n, values); }
  uint64_t slots() { return slots_; }

 private:
  uint64_t slots_;
  Map map_;
};
constexpr char kBcht[] = "bcht", kP2bht[] = "p2bht", kIht[] = "iht";
#elif defined(PEER_warpspeed)
struct Pair {
  uint32_t key, value;
};
template <class Map, unsigned kTile, class What>
__global__ void run_by_tiles(Map* map, uint64_t n, What what) {
  const auto tile = cooperative_groups::tiled_partition<kTile>(cooperative_groups::this_thread_block());
  const uint64_t i = (blockIdx.x * uint64_t{blockDim.x} + threadIdx.x) / kTile;
  if (i < n) what(map, tile, i);
}
// With the sizes of tiles and buckets of WarpSpeed's own test.
template <template <class, class, unsigned, unsigned> class Kind, unsigned kTile, unsigned kBucket>
class WarpSpeedTable {
  using Map = Kind<uint32_t, uint32_t, kTile, kBucket>;
  using Tile = typename Map::tile_type;

 public:
  static std::string name() {
    return "WarpSpeed " + Map::get_name() + ", buckets of " + std::to_string(kBucket) +
           (LOAD_CHEAP ? "" : ", with locks");
  }
  explicit WarpSpeedTable(uint64_t slots) : slots_(slots), failed_(1), map_(made(slots)) {}
  ~WarpSpeedTable() { Map::free_on_device(map_); }
  WarpSpeedTable(const WarpSpeedTable&) = delete;
  WarpSpeedTable& operator=(const WarpSpeedTable&) = delete;

  void clear() {
    Map::free_on_device(map_);
    map_ = made(slots_);
  }
  bool insert(const Pair* pairs, uint64_t n) {
    check(cudaMemset(failed_.data(), 0, sizeof(uint64_t)));
    run(n, [=, count = reinterpret_cast<unsigned long long*>(failed_.data())] __device__(
               Map * map, const Tile& tile, uint64_t i) {
      const bool inserted = map->upsert_replace(tile, pairs[i].key, pairs[i].value);
      if (!inserted && tile.thread_rank() == 0) atomicAdd(count, 1ull);
    });
    return failed_.first() == 0;
  }
  void find(const uint32_t* keys, uint64_t n, uint32_t* values) {
    run(n, [=] __device__(Map * map, const Tile& tile, uint64_t i) {
      uint32_t value = kEmpty;
      const bool found = map->find_with_reference(tile, keys[i], value);
      if (tile.thread_rank() == 0) values[i] = found ? value : kEmpty;
    });
  }
  void erase(const uint32_t* keys, uint64_t n) {
    run(n, [=] __device__(Map * map, const Tile& tile, uint64_t i) { map->remove(tile, keys[i]); });
  }
  uint64_t slots() { return slots_; }

 private:
  static Map* made(uint64_t slots) {
    Map* const map = Map::generate_on_device(slots, 42);
    check(cudaGetLastError());
    return map;
  }
  template <class What>
  void run(uint64_t n, const What& what) {
    run_by_tiles<Map, kTile><<<static_cast<uint32_t>((n * kTile + 255) / 256), 256>>>(map_, n, what);
    check(cudaGetLastError());
  }

  uint64_t slots_;
  Array<uint64_t> failed_;
  Map* map_;
};
#endif

template <class Table>
concept Erases = requires(Table& table, const uint32_t* keys) {
  table.erase(keys, 0);
};

double milliseconds(const auto& run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaEventRecord(begin));
  run();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float time = 0;
  check(cudaEventElapsedTime(&time, begin, end));
  return time;
}
double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}
// The median of seven times, after one that is not counted. Each is that of run(), after prepare().
double median_milliseconds(const auto& prepare, const auto& run) {
  std::vector<double> times;
  for (int i = 0; i < 8; ++i) {
    prepare();
    times.push_back(milliseconds(run));
  }
  times.erase(times.begin());
  return median(std::move(times));
}

// The keys that a table should hold. Place p of n has keys 1 + p, 1 + p + n, 1 + p + 2 n, … one after the other.
class Held {
 public:
  static constexpr uint32_t kRounds = 10;
  explicit Held(uint32_t log2) : log2_(log2), n_(uint64_t{1} << log2), turns_(n_) {
    check(cudaMemset(turns_.data(), 0, n_));
  }
  void write_pairs(Pair* pairs) {
    for_each(n_, [=] __device__(uint64_t i) {
      const uint32_t key = key_of(static_cast<uint32_t>(1 + i));
      pairs[i] = Pair{key, value_of(key)};
    });
  }
  // Writes keys to search for, of which half are held, and what a search should find.
  void write_searches(uint32_t seed, uint32_t* keys, uint32_t* values) {
    for_each(n_, [=, n = n_, log2 = log2_, turns = turns_.data()] __device__(uint64_t i) {
      const uint32_t random = key_of(static_cast<uint32_t>(i) * 2654435761u + seed);
      const uint32_t place = random & static_cast<uint32_t>(n - 1);
      const bool held = (key_of(random + seed) & 1) != 0;
      keys[i] = key_of(static_cast<uint32_t>(1 + place + n * (held ? turns[place] : kRounds + 1)));
      values[i] = held ? value_of(keys[i]) : kEmpty;
    });
  }
  // Chooses half of the places, and writes the keys that leave them and the pairs that come.
  void write_round(uint32_t round, uint32_t* erased, Pair* added) {
    for_each(n_ / 2, [=, n = n_, log2 = log2_, turns = turns_.data()] __device__(uint64_t i) {
      const uint32_t place = shuffled(static_cast<uint32_t>(i), log2, round * 7);
      erased[i] = key_of(static_cast<uint32_t>(1 + place + n * turns[place]));
      ++turns[place];
      const uint32_t key = key_of(static_cast<uint32_t>(1 + place + n * turns[place]));
      added[i] = Pair{key, value_of(key)};
    });
  }

 private:
  uint32_t log2_;
  uint64_t n_;
  Array<uint8_t> turns_;
};

uint64_t wrong_values(const uint32_t* found, const uint32_t* expected, uint64_t n) {
  Array<uint64_t> wrong(1);
  check(cudaMemset(wrong.data(), 0, sizeof(uint64_t)));
  for_each(n, [=, count = reinterpret_cast<unsigned long long*>(wrong.data())] __device__(uint64_t i) {
    if (found[i] != expected[i]) atomicAdd(count, 1ull);
  });
  return wrong.first();
}

template <class Table>
void measure(uint32_t log2, double load_factor) {
  const uint64_t n = uint64_t{1} << log2;
  Held held(log2);
  Array<Pair> pairs(n);
  Array<uint32_t> searched(n), expected(n), found(n);
  held.write_pairs(pairs.data());
  held.write_searches(1, searched.data(), expected.data());
  check(cudaDeviceSynchronize());
  size_t free_before = 0, free_after = 0, total = 0;
  check(cudaMemGetInfo(&free_before, &total));
  Table table(static_cast<uint64_t>(static_cast<double>(n) / load_factor));
  check(cudaMemGetInfo(&free_after, &total));
  int failures = 0;
  const double build =
      median_milliseconds([&] { table.clear(); }, [&] { failures += !table.insert(pairs.data(), n); });
  const auto search = [&] {
    return median_milliseconds([] {}, [&] { table.find(searched.data(), n, found.data()); });
  };
  const double find = search();
  std::printf(
      "{\"table\": \"%s\", \"keys\": %llu, \"load_factor\": %.3f, \"bytes_per_slot\": %.2f, \"build_ms\": "
      "%.3f, "
      "\"find_ms\": %.3f, \"builds_per_second\": %.3g, \"finds_per_second\": %.3g, \"failed_builds\": %d, "
      "\"wrong\": %llu",
      Table::name().c_str(), static_cast<unsigned long long>(n),
      static_cast<double>(n) / static_cast<double>(table.slots()),
      static_cast<double>(free_before - free_after) / static_cast<double>(table.slots()), build, find,
      static_cast<double>(n) / build * 1e3, static_cast<double>(n) / find * 1e3, failures,
      static_cast<unsigned long long>(wrong_values(found.data(), expected.data(), n)));
  std::fflush(stdout);
  if constexpr (Erases<Table>) {
    std::vector<double> erasures, insertions;
    failures = 0;
    for (uint32_t round = 0; round < Held::kRounds; ++round) {
      held.write_round(round, searched.data(), pairs.data());
      erasures.push_back(milliseconds([&] { table.erase(searched.data(), n / 2); }));
      insertions.push_back(milliseconds([&] { failures += !table.insert(pairs.data(), n / 2); }));
    }
    held.write_searches(2, searched.data(), expected.data());
    const double aged = search(), erase = median(erasures), insert = median(insertions);
    std::printf(
        ", \"rounds\": %u, \"erase_ms\": %.3f, \"insert_ms\": %.3f, \"last_insert_ms\": %.3f, "
        "\"erased_and_inserted_per_second\": %.3g, \"aged_find_ms\": %.3f, \"aged_finds_per_second\": %.3g, "
        "\"failed_insertions\": %d, \"wrong_aged\": %llu",
        Held::kRounds, erase, insert, insertions.back(), static_cast<double>(n) / (erase + insert) * 1e3,
        aged, static_cast<double>(n) / aged * 1e3, failures,
        static_cast<unsigned long long>(wrong_values(found.data(), expected.data(), n)));
  }
  std::printf("}\n");
  std::fflush(stdout);
}

// Measures in a process of its own, which ends after some seconds even if a kernel does not.
template <class Table>
void measure_apart(uint32_t log2, const char* chosen) {
  if (chosen != nullptr && Table::name().find(chosen) == std::string::npos) return;
  for (const double load_factor : {0.8, 0.95}) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      alarm(12);
      int status = 0;
      try {
        measure<Table>(log2, load_factor);
      } catch (const std::exception& error) {
        std::printf("%s at %.2f: %s\n", Table::name().c_str(), load_factor, error.what());
        status = 1;
      }
      std::fflush(nullptr);
      _exit(status);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || WIFSIGNALED(status))
      std::printf("\n%s at %.2f did not end by itself\n", Table::name().c_str(), load_factor);
  }
}

int main(int argc, char** argv) {
  const uint64_t keys = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 33554432;
  const char* chosen = argc > 2 ? argv[2] : nullptr;
  if (keys < 1024 || keys > uint64_t{1} << 26 || (keys & (keys - 1)) != 0) {
    std::fprintf(stderr, "error: the number of keys must be a power of two from 2^10 to 2^26\n");
    return 2;
  }
  uint32_t log2 = 0;
  while (uint64_t{1} << log2 < keys) ++log2;
#if defined(PEER_cuco)
  measure_apart<CucoTable>(log2, chosen);
#elif defined(PEER_cccl)
  measure_apart<CcclTable>(log2, chosen);
#elif defined(PEER_bght)
  measure_apart<BghtTable<bght::bcht8<uint32_t, uint32_t>, kBcht>>(log2, chosen);
  measure_apart<BghtTable<bght::bcht16<uint32_t, uint32_t>, kBcht>>(log2, chosen);
  measure_apart<BghtTable<bght::bcht32<uint32_t, uint32_t>, kBcht>>(log2, chosen);
  measure_apart<BghtTable<bght::p2bht16<uint32_t, uint32_t>, kP2bht>>(log2, chosen);
  measure_apart<BghtTable<bght::p2bht32<uint32_t, uint32_t>, kP2bht>>(log2, chosen);
  measure_apart<BghtTable<bght::iht16<uint32_t, uint32_t>, kIht>>(log2, chosen);
#elif defined(PEER_warpspeed)
  namespace ws = warpSpeed::tables;
  measure_apart<WarpSpeedTable<ws::p2_ext_generic, 8, 32>>(log2, chosen);
  measure_apart<WarpSpeedTable<ws::md_p2_generic, 4, 32>>(log2, chosen);
  measure_apart<WarpSpeedTable<ws::double_generic, 8, 8>>(log2, chosen);
  measure_apart<WarpSpeedTable<ws::md_double_generic, 4, 32>>(log2, chosen);
  measure_apart<WarpSpeedTable<ws::iht_p2_generic, 8, 32>>(log2, chosen);
  measure_apart<WarpSpeedTable<ws::iht_metadata_generic, 4, 32>>(log2, chosen);
  measure_apart<WarpSpeedTable<ws::cuckoo_generic, 4, 8>>(log2, chosen);
#endif
}
