// The command vox-bench hash.
#include <fmt/format.h>

#include "formats/results/json_text.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/profile.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/hash_options.h"
#include "tools/vox-bench/hash_report.h"

namespace vox {

void run_hash(int argc, char** argv) {
  const HashCommand command = parse_hash_command(argc, argv);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const measure::HashBenchSizes sizes = measure::sizes_of(command.bench, engine->device());
  log_info("{} items, batches of {}, on {}", format_count(sizes.fill), format_count(sizes.batch),
           engine->device_text());
  const HashBenchRun run = {run_on(*engine, command.command), measure::bench_hash(*engine, command.bench)};
  const measure::ResultGroup results = results_of(run);
  write_results(command.files, results, rows_table(run.result), page_of(run));
  fmt::print("{}", command.json ? json_text(results) + "\n" : table_text(run));
  if (command.engine.profile) print_profile(engine->profile());
  log_debug("measured in {}", format_seconds(run.result.seconds));
}

}  // namespace vox
