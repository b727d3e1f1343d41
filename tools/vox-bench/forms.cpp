// The command vox-bench forms.
#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/forms_options.h"
#include "tools/vox-bench/forms_report.h"
#include "tools/vox-bench/report.h"
#include "tools/vox-bench/scene_input.h"

namespace vox {
namespace {

// The measurements are written before this: they show which form is wrong.
void throw_if_different(const measure::FormsBenchResult& result) {
  for (const measure::FormsBenchRow& row : result.rows)
    if (!row.error.empty()) throw Error(fmt::format("{}, {}", result.forms[row.form].size.text, row.error));
}

}  // namespace

void run_forms(const CommandLine& arguments) {
  FormsCommand command = read_forms_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const SceneInput input =
      read_scene_input(*engine, {.file = command.input,
                                 .resolution = command.resolution,
                                 .default_resolution = default_forms_resolution(engine->device()),
                                 .generate = [] { return scene::make_village({}); },
                                 .generated = "the village of vox-scene",
                                 .engine = command.engine});
  command.bench.svdag_seconds = input.svdag_seconds;
  log_info("{}: {} voxels in {}³, on {}", input.scene.source, format_count(input.scene.dag.voxels),
           input.scene.dag.resolution, engine->device_text());
  const FormsBenchRun run = {run_on(*engine, command.command), input.scene.source,
                             measure::bench_forms(*engine, input.scene, command.bench)};
  report(command, run, *engine);
  throw_if_different(run.result);
}

}  // namespace vox
