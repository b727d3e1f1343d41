#include "libvox/dag/scene_volume.h"

#include "libvox/dag/dense_values.h"
#include "libvox/dag/walk.h"

namespace vox::dag {

volume::Volume scene_volume(const VoxelScene& scene) {
  const auto side = static_cast<int32_t>(scene.dag.resolution);
  const double step = scene.voxel_size;
  volume::VolumeInfo info;
  info.size = {side, side, side};
  info.spacing = {step, step, step};
  info.origin = scene.origin;
  info.source = scene.source;
  return {std::move(info),
          [&dag = scene.dag](const VoxelBox& box, std::byte* values) {
            write_dense(dag, box, reinterpret_cast<uint8_t*>(values));
          },
          [&dag = scene.dag](const VoxelBox& box) { return !has_filled(dag, box); }};
}

}  // namespace vox::dag
