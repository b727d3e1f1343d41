// Where the results of a benchmark go: the same for all of them.
#pragma once

#include <cxxopts.hpp>
#include <filesystem>
#include <optional>

#include "formats/html_page.h"
#include "formats/report_file.h"

namespace vox {

struct ResultFiles {
  std::optional<std::filesystem::path> report, csv, html;
};

// --output, --csv and --html, in the group "Results".
void add_result_options(cxxopts::Options& options);

// Throws UsageError.
ResultFiles read_result_options(const cxxopts::ParseResult& parsed);

// Before the work, not after it: can they be written where they are to go? Throws Error.
void check_targets(const ResultFiles& files);

void write_results(const ResultFiles& files, const Report& report, const ReportGroup& rows,
                   const HtmlPage& page);

}  // namespace vox
