// Counts how many of many builds of a table of voxel keys, usually small ones, need several attempts or fail
// (García et al. 2011, §4.1; Alcantara et al. 2009, §7).
#pragma once

#include <algorithm>
#include <string>

#include "libvox/base/cancel.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/measure/key_sets.h"
#include "libvox/measure/keys_bench.h"

namespace vox::measure {

// Each build uses other keys and other hash functions.
template <hash::CellWord Cell, class Device>
KeyFailuresRow count_failures(Device& device, const KeysBenchOptions& options, const std::string& table,
                              double load_factor, uint32_t key_bits) {
  KeyFailuresRow row;
  row.table = table;
  row.set = kKeySetNames[static_cast<size_t>(KeySetKind::Random)];
  row.key_bits = key_bits;
  row.value_bits = options.value_bits;
  row.cell_bits = hash::CellFormat<Cell>::kBits;
  row.load_factor = load_factor;
  // Keys of few bits have fewer different values.
  row.keys = std::min(options.failure_keys, uint64_t{1} << std::min(key_bits - 1, 63u));
  row.builds = options.failure_builds;
  const hash::CellFormat<Cell> format = {options.value_bits};
  const auto cells = device.template make<Cell>(row.keys);
  for (uint64_t build = 0; build < row.builds; ++build) {
    throw_if_cancelled();
    device.for_each("write keys", row.keys,
                    keys::WriteRandomCells<Cell>{format, key_bits, build * row.keys, cells.data()});
    try {
      const auto made = hash::make_key_table<Device, Cell>(
          device,
          {.table = table, .load_factor = load_factor, .value_bits = options.value_bits, .seed = build});
      const hash::KeyTableBuild result = made->build(cells.data(), row.keys);
      if (result.keys != row.keys) throw Error("the table has lost keys");
      row.retried += result.attempts > 1 ? 1 : 0;
      row.most_attempts = std::max(row.most_attempts, result.attempts);
      row.most_probes = std::max(row.most_probes, result.most_probes);
      row.restarts += result.restarts;
      row.parts += result.parts;
    } catch (const Cancelled&) {
      throw;
    } catch (const UsageError& error) {  // the table does not support this load factor
      row.builds = 0;
      row.error = error.what();
    } catch (const Error& error) {
      ++row.failed;
      if (row.error.empty()) row.error = error.what();
    }
  }
  return row;
}

}  // namespace vox::measure
