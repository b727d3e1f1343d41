#include "tools/vox-convert/voxel_files.h"

#include <fmt/format.h>

#include "formats/images/palette_file.h"
#include "formats/voxels/read_voxels.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "tools/vox-convert/scenes.h"

namespace vox {

VoxelFileOptions voxel_file_options(const ConvertOptions& options) {
  VoxelFileOptions reading = {.materials = options.materials != scene::MaterialMode::None,
                              .palette = {},
                              .weights = {},
                              .memory_limit = options.engine.memory_limit};
  if (options.palette) reading.palette = read_palette(*options.palette);
  if (options.palette_weight) reading.weights.area_power = *options.palette_weight;
  return reading;
}

namespace {

// Only the file itself tells whether it has colours.
void refuse_palettes(const ConvertOptions& options) {
  if (options.palette || options.palette_weight || options.palette_out)
    throw UsageError(fmt::format("--palette, --palette-weight and --palette-out are for colours: {} has none",
                                 options.inputs[0].string()));
}

}  // namespace

bool is_voxels_input(const ConvertOptions& options) {
  return is_voxels_path(options.inputs[0]);
}

dag::VoxelScene convert_voxels(const ConvertOptions& options, Conversion& conversion) {
  if (options.inputs.size() > 1)
    throw UsageError("a file of voxels is one of several inputs: --res or --voxel-size says their grid");
  if (options.materials == scene::MaterialMode::Mesh)
    throw UsageError("--materials mesh is for meshes: voxels have colours (texture), or none");
  check_targets(options);
  const ThreadLimit threads(options.engine.threads);
  const Stopwatch watch;
  ScenePlusError read = read_voxels(options.inputs[0], voxel_file_options(options));
  if (!read.scene.dag.materials) refuse_palettes(options);
  conversion.seconds.load = watch.seconds();
  conversion.palette_error = read.error;
  conversion.device = "cpu";
  if (read.scene.dag.voxels == 0) log_warning("no voxel is filled");
  sign(read.scene, options);
  if (options.grid.resolution > 0) make_coarser(read.scene, options);
  return std::move(read.scene);
}

}  // namespace vox
