// Small work of several kinds, which loads the kernels that real work of the same kind launches.
#pragma once

#include "libvox/engine/engine.h"

namespace vox {

// Builds a scene with these options, but without paint.
void warm_up_build(Engine& engine, const voxelize::BuildOptions& options);
// Edits a small scene, and freezes it.
void warm_up_edit(Engine& engine);
// Takes a small picture with the options of a final picture.
void warm_up_render(Engine& engine, const render::RenderOptions& options);

}  // namespace vox
