// The command vox-bench edit.
#include <fmt/format.h>

#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/scene/procedural/procedural.h"
#include "tools/vox-bench/commands.h"
#include "tools/vox-bench/edit_options.h"
#include "tools/vox-bench/edit_report.h"
#include "tools/vox-bench/kernel_report.h"
#include "tools/vox-bench/report.h"
#include "tools/vox-bench/scene_input.h"

namespace vox {
namespace {

dag::VoxelScene read_edit_scene(Engine& engine, const EditCommand& command) {
  return read_scene_input(engine, {.file = command.input,
                                   .resolution = command.resolution,
                                   .default_resolution = default_edit_resolution(engine.device()),
                                   .generate = [] { return scene::make_city({}); },
                                   .generated = "the city of vox-scene",
                                   .engine = command.engine})
      .scene;
}

}  // namespace

void run_edit(const CommandLine& arguments) {
  const EditCommand command = read_edit_command(arguments);
  check_targets(command.files);
  EngineOptions without_profile = command.engine;
  without_profile.profile = false;
  std::unique_ptr<Engine> engine = make_engine(without_profile);
  const dag::VoxelScene scene = read_edit_scene(*engine, command);
  log_info("{}: {} voxels in {}³, {} nodes, on {}", scene.source, format_count(scene.dag.voxels),
           scene.dag.resolution, format_count(scene.dag.unique_nodes()), engine->device_text());
  // Voxelizing has left its memory in the pool: edits begin as in vox-edit.
  engine.reset();
  engine = make_engine(without_profile);
  EditBenchRun run = {run_on(*engine, command.command), scene.source,
                      measure::bench_edit(*engine, scene.dag, command.bench)};
  engine.reset();
  if (command.engine.profile)
    measure::add_kernels(run.result, *make_engine(command.engine), scene.dag, command.bench);
  report(command, run, kernels_of(run.result.rows));
}

}  // namespace vox
