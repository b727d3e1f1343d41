// The parts that the results of all benchmarks share: the run that they belong to, and the files that hold them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/io/overwrite.h"
#include "formats/pages/html_page.h"
#include "formats/results/json_rows.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/against.h"
#include "libvox/measure/results.h"

namespace vox {

// The run that results belong to.
struct BenchRun {
  std::string device, device_text;
  std::string command, generator, created;
};
BenchRun run_on(const Engine& engine, const std::string& command);

// Sets the run at the root of the results, or at the end of the page. JSON has only the device.
void set_run(measure::ResultGroup& results, const BenchRun& run);
void set_run(HtmlPage& page, const BenchRun& run);

// The results of an earlier run of the same command, which --json printed.
struct EarlierRun {
  std::filesystem::path file;
  ReadResults results;
};

struct ResultFiles {
  std::optional<std::filesystem::path> report, csv, html;
  Overwrite overwrite = Overwrite::OwnFiles;
  std::optional<EarlierRun> against = {};
};

// Checks before the work, not after it, that the files can be written. Throws Error.
void check_targets(const ResultFiles& files);

// Writes the results; `rows` is the table for --csv.
void write_results(const ResultFiles& files, const measure::ResultGroup& results,
                   const measure::ResultTable& rows, const HtmlPage& page);

}  // namespace vox
