// Measures how much memory and time hash tables take to hold a given scene.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libvox/dag/frozen_dag.h"
#include "libvox/hash/table_memory.h"

namespace vox {
class Engine;
}  // namespace vox

namespace vox::measure {

struct TablesQuery {
  std::vector<std::string> tables;            // names from table_names()
  std::vector<uint32_t> load_factors = {96};  // items per bucket
  bool times = false;                         // also search for the items of each level, and keep the times
  bool verify = false;                        // read each table back and compare it with the scene
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
  std::vector<hash::TableMemory> sizes;       // measured, one for each item size that occurs
  std::vector<hash::TableMemory> prediction;  // predicted from the numbers of items and buckets
  double build_seconds = 0;                   // from the scene in host memory to the tables
  std::vector<LevelTimes> levels;             // from the root's level down
};

// Adds up the sizes of all tables of a set; item_words of the result is 0.
hash::TableMemory sum(std::span<const hash::TableMemory> sizes);

// Builds each table with each load factor from the scene, one after the other, on the engine's device. The
// DAG must be one that check_structure() accepts.
std::vector<TableReport> measure_tables(Engine& engine, const dag::FrozenDag& dag, const TablesQuery& query);

// The same for a device of this type; compiled in measure_tables_cpu.cpp and measure_tables_cuda.cu.
template <class Device>
std::vector<TableReport> measure_tables_on(Device& device, const dag::FrozenDag& dag,
                                           const TablesQuery& query);

}  // namespace vox::measure
