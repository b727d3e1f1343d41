// The command vox-bench match.
#include <fmt/format.h>

#include "formats/images/image.h"
#include "formats/images/png_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/match_options.h"
#include "tools/vox-bench/match_report.h"
#include "tools/vox-bench/report.h"

namespace vox {
namespace {

// Reads the pictures, or makes them. Returns what brings the query onto the reference, where that is known.
std::optional<measure::Similarity> fetch_pictures(const MatchCommand& command,
                                                  measure::MatchBenchOptions& bench) {
  if (command.pictures) {
    bench.query = read_image(command.pictures->query);
    bench.reference = read_image(command.pictures->reference);
    return std::nullopt;
  }
  measure::PicturePair pair = measure::make_picture_pair(command.pair);
  bench.query = std::move(pair.query);
  bench.reference = std::move(pair.reference);
  return pair.known;
}

scene::Image overlay_of(const measure::MatchBenchOptions& bench, const measure::MatchBenchResult& result) {
  std::optional<measure::Similarity> similarity;
  if (result.match) similarity = result.match->similarity;
  return measure::overlay_of(measure::grey_of(bench.query), measure::grey_of(bench.reference), bench.step,
                             similarity);
}

// The measurements are written before this: they show which table is wrong.
void throw_if_not_alike(const measure::MatchBenchResult& result) {
  for (const measure::MatchBenchRow& row : result.rows)
    if (row.time && !row.error.empty()) throw Error(row.table + ": " + row.error);
}

}  // namespace

void run_match(const CommandLine& arguments) {
  MatchCommand command = read_match_command(arguments);
  check_targets(command.files);
  if (command.overlay) check_writable(*command.overlay, OutputKind::Picture, command.files.overwrite);
  const std::optional<measure::Similarity> known = fetch_pictures(command, command.bench);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  log_info("{} x {} pixels in {} x {}, on {}", command.bench.query.width, command.bench.query.height,
           command.bench.reference.width, command.bench.reference.height, engine->device_text());
  MatchRun run = {run_on(*engine, command.command),
                  measure::bench_match(*engine, command.bench),
                  known,
                  command.bench.query.name,
                  command.bench.reference.name,
                  {}};
  if (command.overlay || command.files.html) run.overlay = overlay_of(command.bench, run.result);
  report(command, run, *engine);
  if (command.overlay)
    write_png(run.overlay, {{"Software", generator_text()}, {"Command", command.command}}, *command.overlay);
  throw_if_not_alike(run.result);
}

}  // namespace vox
