#include "tools/vox-convert/volume_scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/file_types.h"
#include "formats/images/palette_file.h"
#include "formats/volume/volume_file.h"
#include "formats/voxels/export.h"
#include "formats/voxels/volumes/volume_voxels.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/thread_limit.h"
#include "tools/vox-convert/scenes.h"
#include "tools/vox-convert/volumes.h"

namespace vox {
namespace {

using Kind = VolumeMaterials::Kind;

bool has_threshold(const ConvertOptions& options) {
  return options.bricks.threshold.share || options.bricks.threshold.raw;
}

void check_materials(const ConvertOptions& options) {
  const bool is_given = std::ranges::find(options.given, "materials", &Option::name) != options.given.end();
  if (is_given && !options.volume_materials && options.materials != scene::MaterialMode::None)
    throw UsageError("--materials of a volume is bins, labels or none: it has no textures");
  if (options.volume_materials && options.volume_materials->kind == Kind::Labels && has_threshold(options))
    throw UsageError("--threshold is for amounts: of --materials labels, 0 alone is empty");
}

// If the command line does not choose, small numbers that are equal to those beside them are labels.
VolumeMaterials chosen_materials(const StoredVolume& stored, const ConvertOptions& options) {
  if (options.volume_materials) return *options.volume_materials;
  if (options.materials == scene::MaterialMode::None) return {.kind = Kind::None};
  if (!has_threshold(options) && seem_labels(stored)) {
    log_info("the values seem to be labels, which become materials: --materials bins makes bins of them");
    return {.kind = Kind::Labels};
  }
  return {.kind = Kind::Bins};
}

ValueEntries entries_of(const StoredVolume& stored, const ConvertOptions& options) {
  const VolumeMaterials materials = chosen_materials(stored, options);
  std::optional<scene::Palette> palette;
  if (options.palette) palette = read_palette(*options.palette);
  if (materials.kind == Kind::Labels) return labels_of(stored, materials, palette);
  return bins_of(stored, materials, options.bricks.threshold, palette);
}

void say_what_is_made(const StoredInfo& info, const VoxelFile& voxels) {
  const Vec3d& step = info.spacing;
  log_info(
      "{} x {} x {} values of {}, {:.4g} x {:.4g} x {:.4g} units apart, become {}³ voxels of {:.4g} units",
      info.size.x, info.size.y, info.size.z, stored_type_name(info.type), std::abs(step.x), std::abs(step.y),
      std::abs(step.z), voxels.resolution, voxels.voxel_size);
}

}  // namespace

bool is_volume_scene(const ConvertOptions& options) {
  if (!is_volume_input(options)) return false;
  if (is_export_path(options.output)) return kind_of_output(options.output) != OutputKind::Nrrd;
  return options.structure && (options.structure->dag || options.structure->hash);
}

dag::VoxelScene scene_of_volume(const std::filesystem::path& path, const ConvertOptions& options) {
  check_materials(options);
  const StoredVolume stored = open_stored_volume(path, options.raw, options.channel);
  const ValueEntries entries = entries_of(stored, options);
  const VoxelFile voxels = voxels_of_volume(stored, entries);
  say_what_is_made(stored.info, voxels);
  const VoxelFileOptions reading = {.memory_limit = options.engine.memory_limit};
  dag::VoxelScene scene = scene_of_voxels(voxels, reading, path).scene;
  if (scene.dag.voxels == 0) log_warning("no voxel is filled: all values are below the threshold or 0");
  return scene;
}

dag::VoxelScene convert_volume_to_scene(const ConvertOptions& options, Conversion& conversion) {
  if (options.inputs.size() > 1)
    throw UsageError(
        "several inputs, of which one is a volume, need --res or --voxel-size: they share a grid");
  check_targets(options);
  const ThreadLimit threads(options.engine.threads);
  const Stopwatch watch;
  dag::VoxelScene scene = scene_of_volume(options.inputs[0], options);
  conversion.seconds.load = watch.seconds();
  conversion.device = "cpu";
  sign(scene, options);
  if (options.grid.resolution > 0) make_coarser(scene, options);
  return scene;
}

}  // namespace vox
