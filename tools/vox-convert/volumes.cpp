#include "tools/vox-convert/volumes.h"

#include <fmt/format.h>

#include "formats/file_types.h"
#include "formats/mesh/mesh.h"
#include "formats/results/json_text.h"
#include "formats/scene/scene_file.h"
#include "formats/scene/verify_file.h"
#include "formats/volume/nrrd.h"
#include "formats/volume/volume_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/memory.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "libvox/dag/scene_volume.h"
#include "libvox/measure/make_bricks.h"
#include "tools/common/bricks_report.h"
#include "tools/common/profile.h"
#include "tools/common/terminal.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

bool is_nrrd(const std::filesystem::path& path) {
  return kind_of_output(path) == OutputKind::Nrrd;
}

void write_output(const bricks::FrozenBricks& bricks, const ConvertOptions& options) {
  if (is_nrrd(options.output)) {
    write_nrrd(bricks::bricks_volume(bricks), options.output);
  } else {
    write_bricks(bricks, {generator_text(), options.command, timestamp()}, options.output, nullptr,
                 options.compression);
  }
}

void check_options(const ConvertOptions& options) {
  if (options.inputs.size() > 1)
    throw UsageError("a volume is converted alone, but there are several inputs");
}

struct WriteSeconds {
  double write = 0, verify = 0, total = 0;
};

std::string result_text(const ConvertOptions& options, const bricks::BricksResult& result,
                        const WriteSeconds& seconds, const Engine& engine) {
  measure::ResultGroup results;
  results.set("file", options.output.string());
  if (options.verify) results.set("verified", true);
  set_bricks(results, result.bricks);
  results.group("seconds")
      .set("read", result.read_seconds, "s")
      .set("build", result.seconds, "s")
      .set("write", seconds.write, "s")
      .set("verify", seconds.verify, "s")
      .set("total", seconds.total, "s");
  results.set("peak_memory_bytes", peak_resident_bytes(), "bytes")
      .set("peak_device_bytes", result.peak_device_bytes, "bytes")
      .set("device", engine.device());
  set_profile(results, engine.profile());
  return json_text(results);
}

bricks::BricksResult built_bricks(Engine& engine, const volume::Volume& volume,
                                  const bricks::BricksOptions& bricks, const ConvertOptions& options) {
  return measure::make_bricks(engine, volume, measure::recipe_for(options.optimize, bricks, options.slope));
}

}  // namespace

bool is_volume_input(const ConvertOptions& options) {
  const std::filesystem::path& input = options.inputs[0];
  return is_volume_path(input) ||
         (options.raw.any() && !is_mesh_path(input) && !has_role(input, FileRole::Scene));
}

void convert_volume(const ConvertOptions& options) {
  check_options(options);
  check_writable(options.output, kind_of_output(options.output), options.overwrite);
  const ThreadLimit threads(options.engine.threads);
  Stopwatch total, watch;
  const volume::Volume volume = open_volume(options.inputs[0], options.raw, options.channel);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  log_info("{} x {} x {} voxels of {}, on {}", volume.info.size.x, volume.info.size.y, volume.info.size.z,
           volume::value_type_name(volume.info.type), engine->device_text());
  bricks::BricksResult result = built_bricks(*engine, volume, options.bricks, options);
  result.bricks.info.source = options.inputs[0].filename().string();
  if (result.bricks.filled == 0) log_warning("no voxel is filled: all values are below the threshold or 0");
  watch.lap();
  write_output(result.bricks, options);
  WriteSeconds seconds = {.write = watch.lap()};
  if (options.verify) verify_written(volume, options.bricks.threshold, options.output);
  seconds.verify = watch.seconds();
  seconds.total = total.seconds();
  if (options.engine.profile) print_profile(engine->profile());
  if (options.json) {
    print_result(result_text(options, result, seconds, *engine) + "\n");
    return;
  }
  log_info("{}", bricks_line(result.bricks));
  log_info("read {:.2f} s, build {:.2f} s, write {:.2f} s, total {:.2f} s; peak {}", result.read_seconds,
           result.seconds, seconds.write, seconds.total, format_bytes(peak_resident_bytes()));
  if (options.verify) log_info("read back and compared with the volume: correct, {:.2f} s", seconds.verify);
  log_info("{}: {}", options.output.string(), format_bytes(std::filesystem::file_size(options.output)));
}

bricks::FrozenBricks scene_bricks(const dag::VoxelScene& scene, const ConvertOptions& options,
                                  std::vector<device::KernelTime>& kernels) {
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  bricks::BricksOptions bricks = options.bricks;
  bricks.threshold = {};  // it was for the volume that has become the scene
  bricks::BricksResult result = built_bricks(*engine, dag::scene_volume(scene), bricks, options);
  const std::vector<device::KernelTime> rows = engine->profile();
  kernels.insert(kernels.end(), rows.begin(), rows.end());
  return std::move(result.bricks);
}

void use_bricks_file(const ConvertOptions& options) {
  const std::string name = options.inputs[0].string();
  const bricks::FrozenBricks bricks = read_bricks(options.inputs[0]);
  if (options.verify) verify_bricks(bricks, options.inputs[0]);
  if (!options.verify && !options.info) {
    if (!is_nrrd(options.output))
      throw UsageError("a file of bricks needs -o with .nrrd, or --info, or --verify");
    check_writable(options.output, OutputKind::Nrrd, options.overwrite);
    write_nrrd(bricks::bricks_volume(bricks), options.output);
    log_info("{}: {}", options.output.string(), format_bytes(std::filesystem::file_size(options.output)));
  }
  if (options.json) {
    measure::ResultGroup results;
    results.set("file", name);
    if (options.verify) results.set("verified", true);
    set_bricks(results, bricks);
    print_result(json_text(results) + "\n");
  } else if (options.info) {
    print_result(describe_bricks(bricks));
  } else if (options.verify) {
    print_result(fmt::format("{}: correct: {}\n", name, bricks_line(bricks)));
  }
}

}  // namespace vox
