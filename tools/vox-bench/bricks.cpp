// The command vox-bench bricks.
#include <fmt/format.h>

#include "formats/scene/scene_file.h"
#include "formats/volume/any_volume.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/bricks_options.h"
#include "tools/vox-bench/bricks_report.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/report.h"

namespace vox {
void run_bricks(const CommandLine& arguments) {
  const BricksCommand command = read_bricks_command(arguments);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const measure::BricksBenchSizes sizes = measure::sizes_of(command.bench, engine->device());
  const AnyVolume input(command.input, command.raw, sizes.voxels);
  const Int3 box = measure::measured_box(input.volume.info.size, sizes.voxels).size();
  const bool part = box != input.volume.info.size;
  log_info("{}{} x {} x {} voxels of {}, {}, on {}", part ? "the middle, " : "", box.x, box.y, box.z,
           volume::value_type_name(input.volume.info.type), format_count(sizes.repetitions, "repetition"),
           engine->device_text());
  const BricksBenchRun run = {run_on(*engine, command.command),
                              measure::bench_bricks(*engine, input.volume, command.bench)};
  report(command, run, *engine);
  if (run.result.interrupted) throw Cancelled();
}

}  // namespace vox
