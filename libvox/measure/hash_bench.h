// Measures hash tables in the way that an editor of a DAG uses them (Molenaar & Eisemann 2024, §6.1, Table
// 2 and Figure 8). A table is filled with items, it is searched for a batch of items of which a given share
// is stored, and a batch of new items is inserted. Each time is the median of the repetitions after an
// uncounted first one. The results are checked in every repetition.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/hash/table_set.h"
#include "libvox/measure/timing.h"

namespace vox {
class Engine;
}  // namespace vox

namespace vox::measure {

// The axes of the benchmark, with their defaults and their limits.
struct HashBenchOptions {
  static constexpr uint64_t kFill = 1 << 25, kBatch = 1 << 23;  // number of items at scale 1
  static constexpr double kGpuScale = 1, kCpuScale = 1.0 / 128;
  static constexpr uint32_t kFewestRepetitions = 7, kMostRepetitions = 1000;
  static constexpr uint32_t kMostLoadFactor = 1 << 16;
  static constexpr uint32_t kFewestWords = 1, kMostWords = 10;  // words in an item
  // A table whose buckets hold a fixed number of keys is filled to at most this share of its slots. DyCuckoo
  // is designed for it.
  static constexpr double kMostFull = 0.85;
  static constexpr uint32_t kFigure8Words = 6;
  static constexpr std::array<uint32_t, 9> kFigure8LoadFactors = {16, 32, 64, 96, 128, 192, 256, 384, 512};

  std::vector<std::string> tables;  // empty: all
  std::vector<uint32_t> item_words = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<uint32_t> load_factors = {96};       // items per bucket, after the insertion
  std::vector<uint32_t> hit_rates = {25, 50, 75};  // percent of the searched items that are stored
  std::optional<double> scale;          // factor for kFill and kBatch; the device's default if absent
  std::optional<uint64_t> fill, batch;  // number of items, independent of the scale
  uint32_t repetitions = kFewestRepetitions;
};

// Returns the names of all tables that the benchmark measures: first the growing tables of voxel keys, which
// stand for other authors' tables in Table 2, then those that hold a DAG.
std::vector<std::string> hash_bench_tables();
// True if a table can hold items of this many words.
bool holds_items_of(const std::string& table, uint32_t words);

// Throws UsageError unless every axis has values and all of them make sense.
void check(const HashBenchOptions& options);

struct HashBenchSizes {
  uint64_t fill, batch;  // number of items
};

// Returns the numbers of items for the device with this name. Throws UsageError if there is nothing to
// measure, or if there are more items than 32-bit pointers can address.
HashBenchSizes sizes_of(const HashBenchOptions& options, const std::string& device);

// The number of reads per second, of `bytes_each` aligned bytes each, that the device can do at random places
// of a buffer. No table that keeps its items in memory can be faster.
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
  uint32_t load_factor = 0;  // 0 if the table has none
  std::string op;            // fill, search, insert, duplicates
  uint32_t hit_rate = 0;     // for search: percent that are stored; for duplicates: percent that are copies
  uint64_t items = 0;        // number of items in one repetition
  Timing time;
  uint32_t repetitions = 0;
  uint64_t bytes = 0;            // size of the table afterwards (TableMemory::total_bytes()); 0: not counted
  uint64_t allocated_bytes = 0;  // TableMemory::allocated_bytes()
  double bytes_per_op = 0;       // bytes of the 32-byte sectors touched per searched or inserted item
  // The rate at which 32 or 128 bytes are touched, as a share of the ceiling for random reads of that size
  // from as much memory. The first exceeds 1 if sectors lie side by side. The second is below 1 if they do
  // not.
  double ceiling_share = 0, ceiling_share_128 = 0;
  // The mean numbers of slabs that a search reads, and of items that it compares in vain. They are 0 except
  // for searches in tables that hold items.
  double slabs_per_search = 0, false_candidates = 0;
};

struct HashBenchResult {
  HashBenchSizes sizes = {};
  std::vector<RandomReadCeiling> ceilings;  // the first two are for the memory of one table
  std::vector<HashBenchRow> rows;
  double seconds = 0;  // for the whole benchmark
};

// The result of a search and the expected result.
struct SearchOutcome {
  uint64_t hits = 0, expected_hits = 0;
  uint64_t wrong = 0;  // pointers to other items, and items that were wrongly found or missed
};

// Throws Error unless exactly the stored items were found. `what` names the search.
void check_search(const std::string& what, const SearchOutcome& outcome);

// Measures the chosen hash tables, or all of them, on the engine's device.
HashBenchResult bench_hash(Engine& engine, const HashBenchOptions& options);

// The same for a device of this type.
template <class Device>
HashBenchResult bench_hash_on(Device& device, const HashBenchOptions& options);

// The hash tables whose memory and time are measured for a given scene.
struct TablesQuery {
  std::vector<std::string> tables;            // names from table_names()
  std::vector<uint32_t> load_factors = {96};  // items per bucket
  bool times = false;                         // also search for the items of each level, and keep the times
  bool verify = false;                        // read each table back and compare it with the scene
  // Only predict the size of a table that does not fit into memory. Otherwise it is an error.
  bool predicts = false;
};

// The nodes of one level of the scene. They are inserted after those of the levels below.
struct LevelTimes {
  uint64_t items = 0;
  uint64_t inserted = 0;      // items that are not equal to a node of the levels below
  double insert_seconds = 0;  // time of the insertion
  double find_seconds = 0;    // time of a search for all items in the finished tables; 0: not measured
};

struct TableReport {
  std::string table;
  uint32_t load_factor = 0;
  // False for a table that does not fit into memory. Then there are only predictions.
  bool built = true;
  std::vector<hash::TableMemory> sizes;       // measured, one for each item size that occurs
  std::vector<hash::TableMemory> prediction;  // predicted from the numbers of items and buckets
  double build_seconds = 0;                   // from the scene in host memory to the tables
  std::vector<LevelTimes> levels;             // from the root's level down
};

// Adds up the sizes of all tables of a set; item_words of the result is 0.
hash::TableMemory sum(std::span<const hash::TableMemory> sizes);

// Builds each table with each load factor from the scene, one after the other, on the engine's device. The
// DAG must be one that check_structure() accepts. If it is read as it is used, the query must allow predictions.
std::vector<TableReport> measure_tables(Engine& engine, const dag::FrozenDag& dag, const TablesQuery& query);

// The same for a device of this type.
template <class Device>
std::vector<TableReport> measure_tables_on(Device& device, const dag::FrozenDag& dag,
                                           const TablesQuery& query);

}  // namespace vox::measure
