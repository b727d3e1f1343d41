// The results of a conversion to a scene besides the scene: times, figures and what was left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/points/point_cloud.h"
#include "formats/scene/kept_rounds.h"
#include "formats/scene/replaced_parts.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/work.h"
#include "libvox/scene/color_histogram.h"
#include "libvox/scene/scene.h"
#include "tools/common/rank_report.h"
#include "tools/vox-convert/options.h"
#include "tools/vox-convert/painting.h"

namespace vox {

struct ConversionSeconds {
  double load = 0, paint = 0, palette = 0, voxelize = 0, build = 0, bricks = 0, hash = 0, write = 0,
         verify = 0, total = 0;
};

struct Conversion {
  ConversionSeconds seconds;
  std::string device;
  uint64_t triangles = 0, chunks = 0, peak_device_bytes = 0;
  voxelize::SolidCounts solid;
  scene::DroppedTriangles dropped;
  CloudSurvey points;
  std::optional<scene::PaletteError> palette_error;  // for --materials texture
  std::optional<PaintingFigures> painting;           // with --paint
  std::vector<device::KernelTime> kernels;
  std::vector<RankFigures> ranks;  // where several have built the scene
  std::optional<rounds::RoundsFigures> spill;
  std::optional<KeptRounds> rounds;     // with --resume; it goes last, and others may then build this scene
  std::optional<PartsLock> parts_lock;  // with --parts and without --resume, which has the lock itself
  // With --parts: the check sums of the parts, on rank 0, and those that go if no head comes to be.
  std::vector<uint64_t> parts;
  NewParts new_parts;
};

// Says in the scene where it comes from.
void sign(dag::VoxelScene& scene, const ConvertOptions& options);

// Warns of what --solid has found in a mesh whose inside is not clear.
void warn_of_solid(const voxelize::SolidCounts& counts);

// Checks before the work, not after it, whether the results can be written where they are to go.
void check_targets(const ConvertOptions& options);

}  // namespace vox
