// The command vox-bench machine, and its results.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/results/views.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/machine_bench.h"
#include "tools/common/command_line.h"
#include "tools/vox-bench/command_line.h"
#include "tools/vox-bench/reports.h"
#include "tools/vox-bench/results.h"

namespace vox {
namespace {

struct MachineCommand : BenchCommand {
  measure::MachineBenchOptions bench;
};

using MachineOptions = measure::MachineBenchOptions;
using measure::MachineTest;

enum MachineTrait : uint32_t { kInMemory = 1, kOnDisk = 2 };

constexpr const char* kAboutMachine =
    R"(Other benchmarks are compared with what this measures:
  copy      copies memory of the device; the rate counts the bytes that are read and those that are written
  read32    reads aligned pieces of 32 bytes at random places of the memory
  read128   the same with pieces of 128 bytes
  swap      adds 1 to 32-bit words at random places by compare-and-swap
  upload    copies from the host's memory to the device; download: back
  write     writes a file and flushes it to the disk
  read      reads the file, from the disk if the system drops it from its cache
  sort      sorts random 64-bit numbers by one thread of the host

Small memory fits into the caches, large memory does not. Every time is the median of the repetitions after a first
one that is not counted.
)";

OptionTopic machine_axes() {
  constexpr OptionRange kMebibytes = {1, MachineOptions::kMostMebibytes};
  return {
      .name = "axes",
      .title = "what is measured",
      .options = {names_option("tests", words_of(measure::kMachineTestNames),
                               joined(measure::kMachineTestNames), "Measure these limits."),
                  {.name = "memory",
                   .argument = "N,...",
                   .usual = on_each(joined(MachineOptions::default_mebibytes(true)),
                                    joined(MachineOptions::default_mebibytes(false))),
                   .range = kMebibytes,
                   .unit = "MiB",
                   .rules = {{kInMemory, "no test uses the device's memory"}},
                   .help = "Sizes of the memory."},
                  {.name = "disk",
                   .argument = "FOLDER",
                   .preset = ".",
                   .rules = {{kOnDisk, "it is for the tests write and read"}},
                   .help = "Write and read a file in this folder; it has no name and is gone at the end."},
                  {.name = "disk-size",
                   .argument = "N",
                   .preset = std::to_string(MachineOptions::kDiskMebibytes),
                   .range = kMebibytes,
                   .unit = "MiB",
                   .rules = {{kOnDisk, "it is for the tests write and read"}},
                   .help = "Size of that file."},
                  repetitions_option({1, MachineOptions::kMostRepetitions},
                                     std::to_string(MachineOptions().repetitions))}};
}

MachineCommand read_machine_command(const CommandLine& arguments) {
  return read_command_for_one(arguments, [](const CommandLine& given) {
    MachineCommand command;
    MachineOptions& bench = command.bench;
    bench.tests = given.choices<MachineTest>("tests");
    if (given.has("memory")) bench.mebibytes = given.axis("memory");
    bench.disk = given.text("disk");
    bench.disk_mebibytes = given.whole("disk-size");
    bench.repetitions = given.given_whole("repetitions").value_or(bench.repetitions);
    measure::check(bench);
    RunTraits run = {.bits = 0, .what = "what is measured"};
    for (const MachineTest test : bench.tests) {
      if (test < MachineTest::Write) run.bits |= kInMemory;
      if (test == MachineTest::Write || test == MachineTest::Read) run.bits |= kOnDisk;
    }
    check_effects(given.given_options(), run);
    return command;
  });
}

}  // namespace

ResultTable rows_table(const MachineRun& run) {
  using Row = measure::MachineBenchRow;
  const std::vector<Row>& rows = run.result.rows;
  ResultTable table;
  table
      .column(
          "test", "", rows,
          [](const Row& row) { return measure::kMachineTestNames[static_cast<size_t>(row.test)]; },
          both({"test"}),
          "Name of the test: `copy`, `read32`, `read128`, `swap`, `upload`, `download`, `write`, `read` or "
          "`sort`.")
      .column("memory_bytes", "bytes", rows, &Row::bytes, both({"of", Look::mib(), "MiB"}),
              "Size of the memory, of the file or of the list of numbers.")
      .column("operations", "", rows, &Row::operations,
              "Number of bytes copied, of reads, of swaps or of sorted numbers.")
      .column("per_second", "1/s", rows, &Row::per_second, both({"rate", Look::fixed(3, 1e-6), "M/s"}),
              "Number of operations per second.")
      .column("bytes_per_second", "bytes/s", rows, &Row::bytes_per_second,
              both({"bytes", Look::fixed(3, 1e-9), "GB/s"}),
              "Number of bytes read or written per second; a copy reads and writes each byte.");
  add_times(table, rows, both({"time", Look::fixed(3), "ms"}));
  return table;
}

std::string table_text(const MachineRun& run) {
  return fmt::format("{}\n{}", run.device_text, text_table(rows_table(run)).text());
}

void set_results(ResultGroup& group, const MachineRun& run) {
  group.set("repetitions", run.result.repetitions, "", "Number of repetitions.");
  set_seconds(group, run.result.seconds);
  group.put("rows", rows_table(run));
}

HtmlPage page_of(const MachineRun& run) {
  HtmlPage page("Limits of this machine",
                fmt::format("{}. Measured in {}.", run.device_text, format_seconds(run.result.seconds)));
  page.section("Limits").table("What other benchmarks are compared with", page_table(rows_table(run)));
  return page;
}

ToolDescription machine_bench_description() {
  return {
      .program = "vox-bench machine",
      .usage = "[options]",
      .about =
          "Measures the limits of this machine: copies, reads at random, atomic swaps, the way to the device "
          "and back, the disk, and a sort by one thread.\n",
      .examples = {"vox-bench machine                            all of them",
                   "vox-bench machine --tests read32,read128 --memory 1,16,256,4096",
                   "vox-bench machine --tests write,read --disk /data --disk-size 4096"},
      .basics = {"tests", "memory", "disk", "disk-size", "repetitions", "output", "csv", "html", "device"},
      .more = kAboutMachine,
      .topics = {machine_axes(), result_topic(), device_topic(), general_topic()}};
}

void run_machine(const CommandLine& arguments, const ReportSink& sink) {
  const MachineCommand command = read_machine_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  MachineRun run = {run_on(*engine, command.command), {}};
  run.result = measure::bench_machine(*engine, command.bench);
  report(command, run, engine->profile(), sink);
}

}  // namespace vox
