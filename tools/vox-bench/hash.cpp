// The command vox-bench hash.
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/hash_options.h"
#include "tools/vox-bench/hash_report.h"
#include "tools/vox-bench/report.h"

namespace vox {

void run_hash(const CommandLine& arguments) {
  const HashCommand command = read_hash_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const measure::HashBenchSizes sizes = measure::sizes_of(command.bench, engine->device());
  log_info("{} items, batches of {}, on {}", format_count(sizes.fill), format_count(sizes.batch),
           engine->device_text());
  const HashBenchRun run = {run_on(*engine, command.command), measure::bench_hash(*engine, command.bench)};
  report(command, run, *engine);
}

}  // namespace vox
