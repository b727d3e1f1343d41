#include "tools/vox-bench/results.h"

#include <fmt/format.h>

#include "formats/results/csv.h"
#include "formats/results/report_file.h"
#include "libvox/base/error.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

std::optional<std::filesystem::path> given(const cxxopts::ParseResult& parsed, const char* option) {
  if (parsed.count(option) == 0) return std::nullopt;
  return parsed[option].as<std::string>();
}

}  // namespace

BenchRun run_on(const Engine& engine, const std::string& command) {
  return {engine.device(), engine.device_text(), command, generator_text(), timestamp()};
}

void set_run(measure::ResultGroup& results, const BenchRun& run) {
  results.set(measure::in_report("generator"), run.generator)
      .set(measure::in_report("command"), run.command)
      .set(measure::in_report("created"), run.created)
      .set("device", run.device)
      .set("device_text", run.device_text);
}

void set_run(HtmlPage& page, const BenchRun& run) {
  page.made_by({{"command", run.command}, {"generator", run.generator}, {"created", run.created}});
}

void add_result_options(cxxopts::Options& options) {
  const auto path = [] { return cxxopts::value<std::string>(); };
  options.add_options("Results")("o,output", "Write them as HDF5", path(), "FILE.h5")(
      "csv", "Write the rows as comma-separated values", path(), "FILE.csv")(
      "html", "Write a page with charts: one file, for a browser or for paper", path(), "FILE.html")(
      "against",
      "Compare with what an earlier run has printed with --json: mark what became slower by more than its "
      "spread",
      path(), "FILE.json");
}

ResultFiles read_result_options(const cxxopts::ParseResult& parsed, Overwrite overwrite) {
  ResultFiles files = {given(parsed, "output"), given(parsed, "csv"), given(parsed, "html"), overwrite, {}};
  if (const auto earlier = given(parsed, "against")) files.against = {*earlier, read_results(*earlier)};
  if (files.report && files.report->extension() != ".h5")
    throw UsageError(fmt::format("-o is '{}', expected a name that ends in .h5", files.report->string()));
  return files;
}

void check_targets(const ResultFiles& files) {
  if (files.report) check_writable(*files.report, OutputKind::Report, files.overwrite);
  if (files.csv) check_writable(*files.csv, OutputKind::Rows, files.overwrite);
  if (files.html) check_writable(*files.html, OutputKind::Page, files.overwrite);
}

void write_results(const ResultFiles& files, const measure::ResultGroup& results,
                   const measure::ResultTable& rows, const HtmlPage& page) {
  if (files.report) write_report(results, *files.report);
  if (files.csv) write_csv(rows, *files.csv);
  if (files.html) write_html(page, *files.html);
}

}  // namespace vox
