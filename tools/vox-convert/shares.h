// The part of vox-convert that builds the scene of a mesh, alone or with others, and writes what each has built as parts
// of one scene where --parts asks for it.
#pragma once

#include "libvox/engine/engine.h"
#include "tools/vox-convert/conversion.h"
#include "tools/vox-convert/options.h"

namespace vox {

// What all ranks are given to build.
struct MeshWork {
  const scene::Scene& scene;
  const scene::IndexedScene& indexed;
  const voxelize::Grid& grid;
  const voxelize::BuildOptions& build;
};

// Collective where a launcher has started several processes. On rank 0 the result has the words of the whole scene, or,
// with --parts, none: they are in the parts' files.
voxelize::BuildResult built_together(Engine& engine, const MeshWork& work, const ConvertOptions& options,
                                     Conversion& conversion);

// With --parts: makes a whole of the parts.
void write_head(const dag::VoxelScene& scene, const ConvertOptions& options, Conversion& conversion);

}  // namespace vox
