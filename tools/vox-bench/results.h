// What the results of all benchmarks share: which run they are of, and where they go.
#pragma once

#include <cxxopts.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "formats/io/overwrite.h"
#include "formats/pages/html_page.h"
#include "libvox/engine/engine.h"
#include "libvox/measure/results.h"

namespace vox {

// Which run it was.
struct BenchRun {
  std::string device, device_text;
  std::string command, generator, created;
};
BenchRun run_on(const Engine& engine, const std::string& command);

// At the root of the results, or at the end of the page. JSON has the device alone.
void set_run(measure::ResultGroup& results, const BenchRun& run);
void set_run(HtmlPage& page, const BenchRun& run);

struct ResultFiles {
  std::optional<std::filesystem::path> report, csv, html;
  Overwrite overwrite = Overwrite::OwnFiles;
};

// --output, --csv and --html, in the group "Results".
void add_result_options(cxxopts::Options& options);

// Throws UsageError.
ResultFiles read_result_options(const cxxopts::ParseResult& parsed, Overwrite overwrite);

// Before the work, not after it: can they be written where they are to go? Throws Error.
void check_targets(const ResultFiles& files);

// `rows` is what --csv writes.
void write_results(const ResultFiles& files, const measure::ResultGroup& results,
                   const measure::ResultTable& rows, const HtmlPage& page);

}  // namespace vox
