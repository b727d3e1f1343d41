#include "tools/vox-bench/results.h"

#include "formats/results/csv.h"
#include "formats/results/report_file.h"
#include "tools/common/tool.h"

namespace vox {

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
