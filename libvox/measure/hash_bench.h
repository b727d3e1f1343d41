// Measures the hash tables as one uses them to edit a DAG (Molenaar & Eisemann 2024, §6.1, Table 2 and Figure
// 8): a table is filled with items, a batch is searched of which a given share is stored, a batch of new
// items is inserted. Every time is the median of several repetitions after one that does not count; what is
// found is checked in every one of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libvox/measure/timing.h"

namespace vox {
class Engine;
}  // namespace vox

namespace vox::measure {

// The axes of the benchmark, with their defaults and what is allowed on them.
struct HashBenchOptions {
  static constexpr uint64_t kFill = 1 << 25, kBatch = 1 << 23;  // items, at scale 1
  static constexpr double kGpuScale = 1, kCpuScale = 1.0 / 64;
  static constexpr uint32_t kFewestRepetitions = 7, kMostRepetitions = 1000;
  static constexpr uint32_t kMostLoadFactor = 1 << 16;
  static constexpr uint32_t kFewestWords = 1, kMostWords = 10;  // in an item
  // A table whose buckets hold a fixed number of keys is filled to this share of them at most, which is what
  // DyCuckoo is made for.
  static constexpr double kMostFull = 0.85;
  static constexpr uint32_t kFigure8Words = 6;
  static constexpr std::array<uint32_t, 9> kFigure8LoadFactors = {16, 32, 64, 96, 128, 192, 256, 384, 512};

  std::vector<std::string> tables;  // empty: all
  std::vector<uint32_t> item_words = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<uint32_t> load_factors = {96};       // items per bucket, after the insertion
  std::vector<uint32_t> hit_rates = {25, 50, 75};  // per cent of the items searched
  std::optional<double> scale;                     // of kFill and kBatch; absent: the device's default
  std::optional<uint64_t> fill, batch;             // items, whatever the scale
  uint32_t repetitions = kFewestRepetitions;
};

// The names of all tables that the benchmark measures: those that hold a DAG, and before them those of voxel
// keys that grow, which stand for the tables of other authors in Table 2.
std::vector<std::string> hash_bench_tables();
// Whether a table can hold items of so many words.
bool holds_items_of(const std::string& table, uint32_t words);

// Throws UsageError unless every axis has values and all of them make sense.
void check(const HashBenchOptions& options);

struct HashBenchSizes {
  uint64_t fill, batch;  // items
};

// How many items are used on the device of this name. Throws UsageError where there is nothing to measure, or
// more than 32-bit pointers reach.
HashBenchSizes sizes_of(const HashBenchOptions& options, const std::string& device);

// How often a second the device reads `bytes_each` aligned bytes from random places of a buffer. No table
// that keeps its items in memory can exceed this.
struct RandomReadCeiling {
  uint32_t bytes_each = 0;
  uint64_t buffer_bytes = 0;
  double reads_per_second = 0;
  Timing time;
  uint32_t repetitions = 0;
};

struct HashBenchRow {
  std::string table;
  uint32_t item_words = 0;
  uint32_t load_factor = 0;  // 0: it has none
  std::string op;            // fill, search, insert, duplicates
  uint32_t hit_rate = 0;     // search: per cent that are stored; duplicates: per cent that are copies
  uint64_t items = 0;        // worked on by one repetition
  Timing time;
  uint32_t repetitions = 0;
  uint64_t bytes = 0;            // of the table afterwards, as TableMemory::total_bytes(); 0: not counted
  uint64_t allocated_bytes = 0;  // TableMemory::allocated_bytes()
  double bytes_per_op = 0;       // in the 32-byte sectors that one item's search or insertion touches
  // How often a second 32 or 128 bytes are touched, as a share of the ceiling of such reads from as much
  // memory. The first exceeds 1 where sectors lie side by side, the second falls short of 1 where they do
  // not.
  double ceiling_share = 0, ceiling_share_128 = 0;
};

struct HashBenchResult {
  HashBenchSizes sizes = {};
  std::vector<RandomReadCeiling> ceilings;  // the first two: 32 and 128 bytes, in as much as a table takes
  std::vector<HashBenchRow> rows;
  double seconds = 0;  // of the whole benchmark
};

// What a search found, and what it had to find.
struct SearchOutcome {
  uint64_t hits = 0, expected_hits = 0;
  uint64_t wrong = 0;  // pointers that do not lead to the item, items found or missed that should not be
};

// Throws Error unless all that is stored was found, and nothing else. `what` names the search.
void check_search(const std::string& what, const SearchOutcome& outcome);

// Measures hash tables, all or those that are named, on the engine's device.
HashBenchResult bench_hash(Engine& engine, const HashBenchOptions& options);

// The same on this device; compiled for each in hash_bench_cpu.cpp and hash_bench_cuda.cu.
template <class Device>
HashBenchResult bench_hash_on(Device& device, const HashBenchOptions& options);

}  // namespace vox::measure
