// The parts that the results of all benchmarks share: the run that they belong to, and the files that hold them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
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

// The run that results belong to.
struct BenchRun {
  std::string device, device_text;
  RunOrigin origin;
};
BenchRun run_on(const Engine& engine, const std::string& command);

// Sets the run at the root of the results, or at the end of the page. JSON has only the device.
void set_run(ResultGroup& results, const BenchRun& run);
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

// Checks before the work, not after it, that the files can be written, and that they differ from each other and from the
// run's other results. Throws Error.
void check_targets(const ResultFiles& files, NamedFiles others = {});

// Writes the results; `rows` is the table for --csv.
void write_results(const ResultFiles& files, const ResultGroup& results, const ResultTable& rows,
                   const HtmlPage& page);

// The comparison of a benchmark with an earlier run of it, for people and for programs.

struct Against {
  std::string file;                   // the file of the earlier run
  std::string device_before, device;  // in words
  std::vector<AgainstRow> rows;

  bool same_device() const { return device_before == device; }
};

Against compared_with(const EarlierRun& earlier, const ResultTable& rows, const ComparedColumns& columns,
                      const BenchRun& run);

// The number of rows that became slower, and the rows that changed or did other work. All rows are in JSON, as the group
// `against`, and on the page.
std::string against_text(const Against& against);
void set_against(ResultGroup& results, const Against& against);
void add_against(HtmlPage& page, const Against& against);

// The conditions of a run that are not in its command: the machine, the build and the contents of the files that it reads.
// A report holds them, and vox-bench replay says which of them are others now.

struct MachineFact {
  std::string name, text, about;
};

struct InputFile {
  std::string file;
  uint64_t bytes = 0;
  std::string digest;
};

struct RunConditions {
  std::vector<MachineFact> machine;
  std::vector<InputFile> inputs;
};

// Returns the conditions here and now. `command` is a command line of vox-bench; those of its operands that are files are
// the inputs, which are read.
RunConditions conditions_of(const std::string& command);

// Sets them in the groups /machine and /inputs of a report.
void set_conditions(ResultGroup& results, const RunConditions& conditions);

// Returns a line for each fact of the report that is not as it is now, and for each input that has other content.
std::vector<std::string> changed_conditions(const ReadResults& report, const RunConditions& now);

// The end of every benchmark: its results go to the files that the command names, and to the screen.

template <class Command, class Run>
void report(const Command& command, const Run& run, const std::vector<device::KernelTime>& kernels) {
  ResultGroup results = results_of(run);
  const ResultTable rows = rows_table(run);
  HtmlPage page = page_of(run);
  std::string text = table_text(run);
  if (command.files.against) {
    const Against against = compared_with(*command.files.against, rows, compared_columns(run), run);
    set_against(results, against);
    add_against(page, against);
    text += "\n" + against_text(against);
  }
  if (command.files.report) set_conditions(results, conditions_of(run.origin.command));
  write_results(command.files, results, rows, page);
  print_result(command.json ? json_text(results) + "\n" : text);
  if (command.engine.profile) print_profile(kernels);
  log_debug("measured in {}", format_seconds(run.result.seconds));
}

template <class Command, class Run>
void report(const Command& command, const Run& run, const Engine& engine) {
  report(command, run, engine.profile());
}

}  // namespace vox
