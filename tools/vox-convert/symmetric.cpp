// The part of vox-convert that makes the symmetric form of a scene.

#include <memory>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/engine/engine.h"
#include "tools/vox-convert/scenes.h"

namespace vox {

dag::SymmetricDag scene_symmetric(const dag::VoxelScene& scene, const ConvertOptions& options,
                                  std::vector<device::KernelTime>& kernels) {
  if (scene.dag.materials)
    throw Error(
        "the symmetric form holds geometry alone, and the materials are in the leaves, which would not be "
        "equal")
        .at(options.inputs[0].string())
        .hint("convert the mesh with --materials colors, or with none");
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  dag::SymmetricDag made = dag::symmetric_dag(engine->handle(), scene.dag);
  const std::vector<device::KernelTime> rows = engine->profile();
  kernels.insert(kernels.end(), rows.begin(), rows.end());
  return made;
}

}  // namespace vox
