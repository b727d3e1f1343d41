// Measures hash tables that hold a scene, on one device.
#pragma once

#include "libvox/base/progress.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/levels.h"
#include "libvox/measure/hash_bench.h"

namespace vox::measure {

// Throws Error unless the scene read back from the store is the same, word for word.
template <class Device>
void check_store(Device& device, const dag::DagStore<Device>& store, uint32_t root,
                 const dag::FrozenDag& dag) {
  dag::FrozenDag back = dag::empty_dag(dag.resolution, dag.materials);
  dag::Freezer(device, store, back).run(root);
  bool same = back.digest == dag.digest;
  for (size_t level = 0; level < dag.levels.size(); ++level)
    same = same && back.levels[level].words == dag.levels[level].words;
  if (!same)
    throw Error("the scene that was read back from the hash table differs: digest " +
                dag::to_string(back.digest) + " instead of " + dag::to_string(dag.digest))
        .hint("a verification of the file says more");
}

template <class Device>
TableReport measure_table(Device& device, const dag::FrozenDag& dag, const hash::TableOptions& options,
                          const TablesQuery& query) {
  TableReport report;
  report.table = options.table;
  report.load_factor = options.load_factor;
  const Stopwatch watch;
  dag::DagStore<Device> store(device, options);
  dag::DagLoader<Device> loader(device, store, dag);
  const dag::StoreWork inserted = loader.insert();
  device.sync();
  report.build_seconds = watch.seconds();
  for (const dag::LevelWork& level : inserted.levels)
    report.levels.push_back({level.items, level.inserted, level.seconds, 0});
  if (query.times) {
    const dag::StoreWork found = loader.find();
    for (size_t level = 0; level < found.levels.size(); ++level)
      report.levels[level].find_seconds = found.levels[level].seconds;
  }
  report.sizes = store.tables().memory();
  for (const hash::TableMemory& size : report.sizes)
    report.prediction.push_back(store.tables().predicted(size));
  if (query.verify) check_store(device, store, inserted.root, dag);
  return report;
}

// Returns the memory that the table would take, which follows from the number of nodes of each size.
template <class Device>
TableReport predicted_table(Device& device, const dag::FrozenDag& dag, const hash::TableOptions& options) {
  TableReport report;
  report.table = options.table;
  report.load_factor = options.load_factor;
  report.built = false;
  hash::SizeCounts items = {};
  for (const dag::DagLevel& level : dag.levels) {
    const hash::SizeCounts here = level.places.sizes();
    for (size_t words = 0; words < items.size(); ++words) items[words] += here[words];
  }
  const auto tables = hash::make_tables(device, options);
  for (uint32_t words = 0; words < items.size(); ++words) {
    if (items[words] == 0) continue;
    hash::TableMemory size;
    size.item_words = words;
    size.items = items[words];
    size.buckets = (size.items + options.load_factor - 1) / options.load_factor;
    report.prediction.push_back(tables->predicted(size));
  }
  return report;
}

template <class Device>
TableReport measured_or_predicted(Device& device, const dag::FrozenDag& dag,
                                  const hash::TableOptions& options, const TablesQuery& query) {
  if (!query.predicts) return measure_table(device, dag, options, query);
  if (dag.paged) return predicted_table(device, dag, options);
  try {
    return measure_table(device, dag, options, query);
  } catch (const OutOfMemory&) {
    device.pool().trim();
    return predicted_table(device, dag, options);
  }
}

template <class Device>
std::vector<TableReport> measure_tables_on(Device& device, const dag::FrozenDag& dag,
                                           const TablesQuery& query) {
  std::vector<TableReport> reports;
  Progress progress("building tables", query.tables.size() * query.load_factors.size());
  for (const std::string& name : query.tables)
    for (const uint32_t load_factor : query.load_factors) {
      const std::string what = "table " + name + ", load factor " + std::to_string(load_factor);
      try {
        reports.push_back(
            measured_or_predicted(device, dag, {.table = name, .load_factor = load_factor}, query));
      } catch (const Cancelled&) {
        throw;
      } catch (OutOfMemory& error) {
        error.hint("allow more memory or take a smaller scene").at(what);
        throw;
      } catch (Error& error) {
        error.at(what);
        throw;
      }
      device.pool().trim();  // the next table has buffers of other sizes
      progress.update(reports.size(), what);
    }
  return reports;
}

}  // namespace vox::measure
