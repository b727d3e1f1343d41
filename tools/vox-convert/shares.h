// The part of vox-convert that builds the scene of a mesh, alone or with others, and writes each rank's result as a
// part of one scene if --parts asks for it.
#pragma once

#include "libvox/engine/engine.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// The input that all ranks build.
struct MeshWork {
  const scene::Scene& scene;
  const scene::IndexedScene& indexed;
  const voxelize::Grid& grid;
  const voxelize::BuildOptions& build;
};

// A collective call if a launcher has started several processes. On rank 0 the result has the words of the whole
// scene, or, with --parts, none: they are in the parts' files.
voxelize::BuildResult built_together(Engine& engine, const MeshWork& work, const ConvertOptions& options,
                                     Conversion& conversion);

// With --parts: writes the head file, which makes a whole of the parts.
void write_head(const dag::VoxelScene& scene, const ConvertOptions& options, Conversion& conversion);

}  // namespace vox
