// Included by measure_tables_cpu.cpp and measure_tables_cuda.cu, which only say which device.
#pragma once

#include <cmath>

#include "libvox/base/progress.h"
#include "libvox/base/stopwatch.h"
#include "libvox/dag/freeze.h"
#include "libvox/dag/load.h"
#include "libvox/hash/table_list.h"
#include "libvox/measure/predict_slabs.h"
#include "libvox/measure/table_report.h"

namespace vox {

// Of tables of slabs in linked lists.
template <class Device, class Scheme>
TableMemory predict_slabs(const SlabTables<Device, Scheme>&, const TableMemory& measured) {
  const auto buckets = static_cast<double>(measured.buckets);
  const double items_per_bucket = static_cast<double>(measured.items) / buckets;
  const double slabs = buckets * expected_slabs(items_per_bucket, Scheme::kSlots);
  // Few items: as many slabs as hold them, at least.
  const uint64_t fewest = (measured.items + Scheme::kSlots - 1) / Scheme::kSlots;
  TableMemory memory =
      SlabTable<Device, Scheme>::layout_memory(measured.item_words, measured.items, measured.buckets,
                                               std::max(fewest, static_cast<uint64_t>(std::llround(slabs))));
  for (const double share : slabs_of_a_bucket(items_per_bucket, Scheme::kSlots))
    memory.chain_lengths.push_back(static_cast<uint64_t>(std::llround(share * buckets)));
  while (!memory.chain_lengths.empty() && memory.chain_lengths.back() == 0) memory.chain_lengths.pop_back();
  return memory;
}

// Of the table `sector`, filled in one batch: a bucket with x items has a run of x in its line, rounded up to
// granules, and what does not fit there in overflow sectors. Batch by batch there are more granules begun.
template <class Device>
TableMemory predict_slabs(const SectorTables<Device>&, const TableMemory& measured) {
  const auto buckets = static_cast<double>(measured.buckets);
  double slots = 0, sectors = 0;
  std::vector<double> lengths;
  for (const PoissonShare& share : poisson_shares(static_cast<double>(measured.items) / buckets)) {
    const auto items = static_cast<uint32_t>(share.items);
    const uint32_t in_line = run_length<SectorLine>(std::min(items, SectorLine::kSlots), 0, 0, 0);
    uint32_t left = items - std::min(items, SectorLine::kSlots), in_sectors = 0;
    size_t length = 1;
    for (; left > 0; ++length) {
      const uint32_t run = run_length<SectorOverflow>(left, 0, 0, 0);
      in_sectors += run;
      left -= std::min(left, run);
    }
    slots += buckets * share.share * (in_line + in_sectors);
    sectors += buckets * share.share * static_cast<double>(length - 1);
    lengths.resize(std::max(lengths.size(), length + 1));
    lengths[length] += buckets * share.share;
  }
  const auto whole_slots = std::max(measured.items, static_cast<uint64_t>(std::llround(slots)));
  TableMemory memory =
      SectorTable<Device>::layout_memory(measured.item_words, measured.items, whole_slots, measured.buckets,
                                         static_cast<uint64_t>(std::llround(sectors)));
  for (const double count : lengths)
    memory.chain_lengths.push_back(static_cast<uint64_t>(std::llround(count)));
  while (!memory.chain_lengths.empty() && memory.chain_lengths.back() == 0) memory.chain_lengths.pop_back();
  return memory;
}

// Throws unless the store gives the scene back, word for word.
template <class Device, class Store>
void check_store(Device& device, const Store& store, uint32_t root, const FrozenDag& dag) {
  FrozenDag back = empty_dag(dag.resolution, dag.materials);
  Freezer(device, store, back).run(root);
  bool same = back.digest == dag.digest;
  for (size_t level = 0; level < dag.levels.size(); ++level)
    same = same && back.levels[level].words == dag.levels[level].words;
  if (!same)
    throw Error("what the hash table gives back is not the scene: " + to_string(back.digest) +
                " instead of " + to_string(dag.digest))
        .hint("is the file correct? vox-convert --verify says");
}

template <class Tables, class Device>
TableReport measure_table(Device& device, const FrozenDag& dag, uint32_t load_factor,
                          const TablesQuery& query) {
  TableReport report;
  report.load_factor = load_factor;
  const Stopwatch watch;
  using Store = DagStore<Device, Tables>;
  Store store(device, TableOptions{.load_factor = load_factor});
  DagLoader<Device, Store> loader(device, store, dag);
  const StoreWork inserted = loader.insert();
  device.sync();
  report.build_seconds = watch.seconds();
  for (const LevelWork& level : inserted.levels)
    report.levels.push_back({level.items, level.inserted, level.seconds, 0});
  if (query.times) {
    const StoreWork found = loader.find();
    for (size_t level = 0; level < found.levels.size(); ++level)
      report.levels[level].find_seconds = found.levels[level].seconds;
  }
  report.sizes = store.tables().memory();
  for (const TableMemory& size : report.sizes)
    report.prediction.push_back(predict_slabs(store.tables(), size));
  if (query.verify) check_store(device, store, inserted.root, dag);
  return report;
}

template <class Device>
std::vector<TableReport> measure_tables(Device& device, const FrozenDag& dag, const TablesQuery& query) {
  std::vector<TableReport> reports;
  Progress progress("building tables", query.tables.size() * query.load_factors.size());
  for (const std::string& name : query.tables)
    for (const uint32_t load_factor : query.load_factors) {
      const std::string what = "table " + name + ", load factor " + std::to_string(load_factor);
      try {
        with_table(name, [&](auto type) {
          using Tables = typename decltype(type)::template Tables<Device>;
          reports.push_back(measure_table<Tables>(device, dag, load_factor, query));
        });
      } catch (const Cancelled&) {
        throw;
      } catch (OutOfMemory& error) {
        error.hint("raise --memory-limit or take a smaller scene").at(what);
        throw;
      } catch (Error& error) {
        error.at(what);
        throw;
      }
      reports.back().table = name;
      device.pool().trim();  // the next one has other sizes
      progress.update(reports.size(), what);
    }
  return reports;
}

}  // namespace vox
