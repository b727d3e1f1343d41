// vox-bench bricks.
#include <fmt/format.h>

#include "formats/results/json_text.h"
#include "formats/scene/scene_file.h"
#include "formats/volume/volume_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/dag/coarser.h"
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

  // Of a scene that has more voxels than are measured, the finest level that has not: what lies in its middle
  // may well be nothing.
  Input(const BricksCommand& command, uint64_t most_voxels) {
    std::string source = command.input.filename().string();
    if (command.input.extension() != ".h5") {
      volume = open_volume(command.input, command.raw);
    } else if (!scene_file_parts(command.input).dag) {
      bricks = read_bricks(command.input);
      volume = bricks_volume(bricks);
    } else {
      scene = read_scene(command.input);
      if (const uint32_t halvings = halvings_for(scene.dag.resolution, most_voxels); halvings > 0) {
        scene = coarser(std::move(scene), halvings);
        source += fmt::format(" at --res {}", scene.dag.resolution);
      }
      volume = scene_volume(scene);
    }
    volume.info.source = source;
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

 private:
  static uint32_t halvings_for(uint32_t resolution, uint64_t most_voxels) {
    uint32_t halvings = 0;
    if (most_voxels == 0) return halvings;
    for (const uint64_t level : coarser_resolutions(resolution)) {
      if (uint64_t{resolution} * resolution * resolution <= most_voxels) break;
      resolution = static_cast<uint32_t>(level);
      ++halvings;
    }
    return halvings;
  }
};

}  // namespace

void run_bricks(int argc, char** argv) {
  const BricksCommand command = parse_bricks_command(argc, argv);
  check_targets(command.files);
  const std::unique_ptr<Engine> engine = make_engine(command.engine);
  const BricksBenchSizes sizes = sizes_of(command.bench, engine->device());
  const Input input(command, sizes.voxels);
  const Int3 box = measured_box(input.volume.info.size, sizes.voxels).size();
  const bool part = box != input.volume.info.size;
  log_info("{}{} x {} x {} voxels of {}, {}, on {}", part ? "the middle, " : "", box.x, box.y, box.z,
           value_type_name(input.volume.info.type), format_count(sizes.repetitions, "repetition"),
           engine->device_text());
  const BricksBenchRun run = {run_on(*engine, command.command),
                              bench_bricks(*engine, input.volume, command.bench)};
  const ResultGroup results = results_of(run);
  write_results(command.files, results, rows_table(run.result), page_of(run));
  fmt::print("{}", command.json ? json_text(results) + "\n" : table_text(run));
  if (command.engine.profile) print_profile(engine->profile());
  if (run.result.interrupted) throw Cancelled();
  log_debug("measured in {}", format_seconds(run.result.seconds));
}

}  // namespace vox
