#include "tools/vox-convert/scenes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "formats/results/json_text.h"
#include "formats/scene/scene_file.h"
#include "formats/voxels/export.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "libvox/dag/coarser.h"
#include "tools/common/bricks_report.h"
#include "tools/common/profile.h"
#include "tools/common/scene_report.h"
#include "tools/common/targets.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/verify.h"
#include "tools/vox-convert/volumes.h"

namespace vox {
namespace {

// The clip box in voxels, every voxel it touches: of exports.
std::optional<VoxelBox> clip_voxels(const VoxelScene& scene, const ConvertOptions& options) {
  const std::optional<Box>& clip = options.grid.clip;
  if (!clip || !is_export_path(options.output)) return std::nullopt;
  const double last = scene.dag.resolution;
  auto low = [&](double world, double origin) {
    return static_cast<int32_t>(std::clamp(std::floor((world - origin) / scene.voxel_size), 0.0, last));
  };
  auto high = [&](double world, double origin) {
    return static_cast<int32_t>(std::clamp(std::ceil((world - origin) / scene.voxel_size), 0.0, last));
  };
  const Vec3d &a = clip->min, &b = clip->max, &o = scene.origin;
  const VoxelBox box = {{low(a.x, o.x), low(a.y, o.y), low(a.z, o.z)},
                        {high(b.x, o.x), high(b.y, o.y), high(b.z, o.z)}};
  if (box.empty()) throw Error("--clip lies outside of the scene");
  return box;
}

bool wants_coarser(const ConvertOptions& options) {
  return options.grid.resolution > 0;
}

void check_scene_output(const ConvertOptions& options) {
  check_verifiable(options);
  const OutputKind kind = kind_of_output(options.output);
  if (wants_coarser(options) && !options.names_output)
    throw UsageError("--res makes a coarser scene of a scene file: -o says where to");
  if (wants_coarser(options))
    return check_target({"the coarser scene", options.output, kind}, options.inputs[0], options.overwrite);
  if (!is_export_path(options.output) && !wants_bricks(options))
    throw UsageError("a scene file needs -o with .nrrd, .vox or .binvox, --structure, --info, or --verify");
  if (options.structure == Structure::Bricks)
    return check_target({"the bricks", options.output, kind}, options.inputs[0], options.overwrite);
  check_writable(options.output, kind, options.overwrite);
}

// How often the scene's resolution has to be halved.
uint32_t halvings_to(uint32_t wanted, uint32_t resolution) {
  const std::vector<uint32_t> levels = coarser_resolutions(resolution);
  if (levels.empty())
    throw UsageError(
        fmt::format("--res is {}, but a scene of {} voxels has no coarser level", wanted, resolution));
  const auto distance = [&](uint32_t level) { return std::abs(int64_t{level} - int64_t{wanted}); };
  const auto nearest = std::ranges::min_element(levels, {}, distance);
  if (*nearest != wanted)
    throw UsageError(
        fmt::format("--res is {}, but the coarser levels of a scene of {} voxels are {}; the nearest is {}",
                    wanted, resolution, fmt::join(levels, ", "), *nearest));
  return static_cast<uint32_t>(nearest - levels.begin()) + 1;
}

void make_coarser(VoxelScene& scene, const ConvertOptions& options) {
  const Stopwatch watch;
  const uint32_t before = scene.dag.resolution;
  scene =
      coarser(std::move(scene), halvings_to(options.grid.resolution, before), options.engine.memory_limit);
  scene.generator = generator_text();
  scene.command = options.command;
  scene.created = timestamp();
  log_info("{}³ voxels become {}³, of {:.4g} units, in {:.2f} s", before, scene.dag.resolution,
           scene.voxel_size, watch.seconds());
}

}  // namespace

bool wants_bricks(const ConvertOptions& options) {
  return options.structure && *options.structure != Structure::Dag;
}

bool is_scene_input(const ConvertOptions& options) {
  const bool has_grid = options.grid.resolution > 0 || options.grid.voxel_size > 0;
  return (options.verify && !has_grid) || options.info || options.inputs[0].extension() == ".h5" ||
         is_scene_file(options.inputs[0]);
}

bool writes_file(const ConvertOptions& options) {
  return !options.info &&
         (!options.verify || wants_bricks(options) || (wants_coarser(options) && options.names_output));
}

void check_verifiable(const ConvertOptions& options) {
  if (options.verify && is_export_path(options.output))
    throw UsageError("--verify reads scene files back: name one that ends in .h5 with -o");
}

void write_output(const Output& output, const ConvertOptions& options, const std::optional<VoxelBox>& clip) {
  throw_if_cancelled();
  if (is_export_path(options.output)) {
    export_scene(output.scene, options.output, clip, options.binvox);
  } else if (options.structure == Structure::Bricks) {
    write_bricks(*output.bricks, {generator_text(), options.command, timestamp()}, options.output,
                 &output.scene);
  } else {
    write_scene(output.scene, options.output, output.bricks ? &*output.bricks : nullptr);
  }
}

void use_scene_file(const ConvertOptions& options) {
  if (options.inputs.size() > 1)
    throw UsageError("a scene file is converted alone, but there are several inputs");
  const ThreadLimit threads(options.engine.threads);
  const SceneFileParts parts = scene_file_parts(options.inputs[0]);
  if (parts.bricks && !parts.dag) return use_bricks_file(options);
  const bool writes = writes_file(options), coarse = wants_coarser(options);
  if (writes) check_scene_output(options);
  const std::string name = (coarse ? options.output : options.inputs[0]).string();
  Stopwatch watch;
  Output output = {.scene = read_scene(options.inputs[0]), .bricks = {}};
  const VoxelScene& scene = output.scene;
  if (parts.bricks && !writes) output.bricks = read_bricks(options.inputs[0]);
  if (options.verify) verify_scene(scene, output.bricks ? &*output.bricks : nullptr, options.inputs[0]);
  if (writes) {
    if (coarse) make_coarser(output.scene, options);
    if (coarse && parts.bricks && !wants_bricks(options) && !is_export_path(options.output))
      log_info("the bricks are left out: --structure both makes those of the coarser scene");
    std::vector<KernelTime> kernels;
    if (wants_bricks(options)) output.bricks = scene_bricks(scene, options, kernels);
    write_output(output, options, clip_voxels(scene, options));
    if (options.verify) verify_written(scene, options.output);
    if (options.engine.profile) print_profile(kernels);
    if (coarse) log_info("{}", summary_line(scene));
    if (output.bricks) log_info("{}", bricks_line(*output.bricks));
    log_info("{}: {}, {:.2f} s", options.output.string(),
             format_bytes(std::filesystem::file_size(options.output)), watch.seconds());
  }
  if (options.json) {
    ResultGroup results;
    results.set("file", name);
    if (options.verify) results.set("verified", true);
    set_scene(results, scene);
    if (output.bricks) set_bricks(results, *output.bricks);
    fmt::print("{}\n", json_text(results));
  } else if (options.info) {
    fmt::print("{}{}", describe_scene(scene), output.bricks ? describe_bricks(*output.bricks) : "");
  } else if (options.verify) {
    fmt::print("{}: correct: {}\n", (writes ? options.output : options.inputs[0]).string(),
               summary_line(scene));
  }
}

}  // namespace vox
