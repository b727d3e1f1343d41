// vox-convert, as far as bricks go.
#pragma once

#include <vector>

#include "libvox/bricks/build.h"
#include "tools/vox-convert/options.h"

namespace vox {

// By its extension, or because options say what a raw file holds that is not named as something else.
bool is_volume_input(const ConvertOptions& options);

// A volume to a scene file of bricks, or, by way of bricks, to .nrrd.
void convert_volume(const ConvertOptions& options);

// The bricks that --structure asks for of a scene. Adds to the kernels' times.
bricks::FrozenBricks scene_bricks(const dag::VoxelScene& scene, const ConvertOptions& options,
                                  std::vector<device::KernelTime>& kernels);

// --info, --verify or an export of a scene file that holds bricks alone.
void use_bricks_file(const ConvertOptions& options);

}  // namespace vox
