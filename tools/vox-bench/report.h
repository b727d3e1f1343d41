// How every benchmark ends: what was measured goes to the files that its command names, and to the screen.
#pragma once

#include <fmt/format.h>

#include "formats/results/json_text.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/profile.h"
#include "tools/vox-bench/results.h"

namespace vox {

template <class Command, class Run>
void report(const Command& command, const Run& run, const Engine& engine) {
  const measure::ResultGroup results = results_of(run);
  write_results(command.files, results, rows_table(run), page_of(run));
  fmt::print("{}", command.json ? json_text(results) + "\n" : table_text(run));
  if (command.engine.profile) print_profile(engine.profile());
  log_debug("measured in {}", format_seconds(run.result.seconds));
}

}  // namespace vox
