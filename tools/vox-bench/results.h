// The parts that the results of all benchmarks share: the run to which they belong, and the files that hold them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/io/overwrite.h"
#include "formats/pages/html_page.h"
#include "formats/results/compare.h"
#include "formats/results/files.h"
#include "formats/results/results.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/engine/engine.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {

// The run to which results belong.
struct BenchRun {
  std::string device, device_text;
  RunOrigin origin;
};
BenchRun run_on(const Engine& engine, const std::string& command);

// Sets the run at the root of the results. JSON gets only the device.
void set_run(ResultGroup& results, const BenchRun& run);

// The results of an earlier run of the same command, as --json printed them.
struct EarlierRun {
  std::filesystem::path file;
  ReadResults results;
};

struct ResultFiles {
  std::optional<std::filesystem::path> report, csv, html;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::optional<EarlierRun> against = {};
};

// Checks, before the work, that the files can be written, and that they differ from each other and from the run's other
// results. Throws Error.
void check_targets(const ResultFiles& files, NamedFiles others = {});

// The comparison of a benchmark with an earlier run, for people and for programs.

struct Against {
  std::string file;                   // the file of the earlier run
  std::string device_before, device;  // in words
  std::vector<AgainstRow> rows;

  bool same_device() const { return device_before == device; }
};

// Sets the number of rows of each change, and all rows.
void set_against(ResultGroup& results, const Against& against);

// The report of a benchmark: its results for people and for programs.

struct BenchReport {
  BenchRun run;
  ResultGroup results;
  ResultTable rows;          // for --csv, and for the comparison with an earlier run
  ComparedColumns compared;  // the columns by which they are compared
  HtmlPage page;
  std::string text;
  // The options that say where the results go.
  ResultFiles files = {};
  bool json = false;
  std::optional<std::vector<device::KernelTime>> profile = {};  // with --profile
  double seconds = 0;
};
using ReportSink = std::function<void(BenchReport)>;

// Adds a comparison with an earlier run to the results.
void compare(BenchReport& report, const EarlierRun& earlier);

// Writes the results to the files that the command names, and prints them.
void show_report(BenchReport report);

}  // namespace vox
