// vox-bench hash.
#include <fmt/format.h>

#include "formats/csv.h"
#include "libvox/base/atomic_file.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/profile.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/hash_options.h"
#include "tools/vox-bench/hash_report.h"

namespace vox {
namespace {

// Before the work, not after it: can the results be written where they are to go?
void check_targets(const HashCommand& command) {
  if (command.report) const AtomicFile report(*command.report);
  if (command.csv) const AtomicFile csv(*command.csv);
  if (command.html) const AtomicFile html(*command.html);
}

}  // namespace

void run_hash(int argc, char** argv) {
  const HashCommand command = parse_hash_command(argc, argv);
  check_targets(command);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const HashBenchSizes sizes = sizes_of(command.bench, engine->device());
  log_info("{} items, batches of {}, on {}", format_count(sizes.fill), format_count(sizes.batch),
           engine->device_text());
  const HashBenchRun run = {engine->bench_hash(command.bench),
                            engine->device(),
                            engine->device_text(),
                            command.command,
                            generator_text(),
                            timestamp()};
  if (command.report) write_report(hash_report(run), *command.report);
  if (command.csv) write_csv(rows_table(run.result), *command.csv);
  if (command.html) {
    HtmlPage page = page_of(run);
    page.made_by({{"command", run.command}, {"generator", run.generator}, {"created", run.created}});
    write_html(page, *command.html);
  }
  fmt::print("{}", command.json ? json_text(run) + "\n" : table_text(run));
  if (command.engine.profile) print_profile(engine->profile());
  log_debug("measured in {}", format_seconds(run.result.seconds));
}

}  // namespace vox
