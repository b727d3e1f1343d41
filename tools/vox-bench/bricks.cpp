// vox-bench bricks.
#include <fmt/format.h>

#include "formats/scene_file.h"
#include "formats/volume_file.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/volume/scene_volume.h"
#include "tools/common/profile.h"
#include "tools/common/tool.h"
#include "tools/vox-bench/bricks_options.h"
#include "tools/vox-bench/bricks_report.h"
#include "tools/vox-bench/commands.h"

namespace vox {
namespace {

// A volume, whatever the file holds; what it is read from is kept with it.
struct Input {
  FrozenBricks bricks;
  VoxelScene scene;
  Volume volume;

  explicit Input(const BricksCommand& command) {
    if (command.input.extension() != ".h5") {
      volume = open_volume(command.input, command.raw);
    } else if (scene_file_parts(command.input).bricks) {
      bricks = read_bricks(command.input);
      volume = bricks_volume(bricks);
    } else {
      scene = read_scene(command.input);
      volume = scene_volume(scene);
    }
    volume.info.source = command.input.filename().string();
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
};

}  // namespace

void run_bricks(int argc, char** argv) {
  const BricksCommand command = parse_bricks_command(argc, argv);
  check_targets(command.files);
  const Input input(command);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  log_info("{} voxels of {}, on {}", format_count(input.volume.info.box().voxels()),
           value_type_name(input.volume.info.type), engine->device_text());
  const BricksBenchRun run = {run_on(*engine, command.command),
                              bench_bricks(*engine, input.volume, command.bench)};
  write_results(command.files, bricks_report(run), rows_table(run.result), page_of(run));
  fmt::print("{}", command.json ? json_text(run) + "\n" : table_text(run));
  if (command.engine.profile) print_profile(engine->profile());
  log_debug("measured in {}", format_seconds(run.result.seconds));
}

}  // namespace vox
