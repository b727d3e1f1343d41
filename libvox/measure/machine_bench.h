// Measures the limits of a machine: copies, random reads, atomic swaps, transfers to the device and back, the disk, and
// a sort by one thread. The rows of other benchmarks are compared with these.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "libvox/measure/timing.h"

namespace vox {
class Engine;
}

namespace vox::measure {

enum class MachineTest : uint8_t { Copy, Read32, Read128, Swap, Upload, Download, Write, Read, Sort };
inline constexpr std::array<std::string_view, 9> kMachineTestNames = {
    "copy", "read32", "read128", "swap", "upload", "download", "write", "read", "sort"};

struct MachineBenchOptions {
  static constexpr uint32_t kMostMebibytes = 1 << 20, kMostRepetitions = 1000;
  static constexpr uint32_t kDiskMebibytes = 256;
  static constexpr uint64_t kSortedKeys = 1 << 22;

  std::vector<MachineTest> tests;
  std::vector<uint32_t> mebibytes;           // sizes of the memory; the device's defaults if empty
  std::filesystem::path disk = ".";          // the folder of the file that is written and read
  uint32_t disk_mebibytes = kDiskMebibytes;  // size of that file
  uint64_t sorted_keys = kSortedKeys;
  uint32_t repetitions = 7;

  static std::vector<uint32_t> default_mebibytes(bool gpu) {
    return gpu ? std::vector<uint32_t>{16, 4096} : std::vector<uint32_t>{1, 256};
  }
};

// Throws UsageError unless all options make sense.
void check(const MachineBenchOptions& options);

struct MachineBenchRow {
  MachineTest test;
  uint64_t bytes = 0;       // size of the memory, the file or the list of keys
  uint64_t operations = 0;  // bytes copied or moved, reads, swaps, or sorted keys
  uint32_t bytes_each = 1;  // bytes that an operation reads or writes; copies read and write
  Timing time;

  double per_second() const { return static_cast<double>(operations) / time.median; }
  double bytes_per_second() const { return per_second() * bytes_each; }
};

struct MachineBenchResult {
  std::vector<MachineBenchRow> rows;  // by test, then by size
  uint32_t repetitions = 0;
  double seconds = 0;
};

// All data that is copied, swapped, read back or sorted is checked. Throws Error if it is wrong, if there is not enough
// memory, or if the folder cannot be written.
MachineBenchResult bench_machine(Engine& engine, const MachineBenchOptions& options);

template <class Device>
MachineBenchResult bench_machine_on(Device& device, const MachineBenchOptions& options);

// Runs the tests that need only the host.
MachineBenchRow bench_disk(MachineTest test, const MachineBenchOptions& options);
MachineBenchRow bench_sort(const MachineBenchOptions& options);

}  // namespace vox::measure
