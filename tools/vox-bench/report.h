// The end of every benchmark: its results go to the files that the command names, and to the screen.
#pragma once

#include <fmt/format.h>

#include "formats/results/json_text.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/profile.h"
#include "tools/common/terminal.h"
#include "tools/vox-bench/against_report.h"
#include "tools/vox-bench/results.h"

namespace vox {

template <class Command, class Run>
void report(const Command& command, const Run& run, const std::vector<device::KernelTime>& kernels) {
  measure::ResultGroup results = results_of(run);
  const measure::ResultTable rows = rows_table(run);
  HtmlPage page = page_of(run);
  std::string text = table_text(run);
  if (command.files.against) {
    const Against against = compared_with(*command.files.against, rows, compared_columns(run), run);
    set_against(results, against);
    add_against(page, against);
    text += "\n" + against_text(against);
  }
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
