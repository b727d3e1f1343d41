// The part of vox-convert that reads volumes and makes bricks.
#pragma once

#include <vector>

#include "libvox/bricks/build.h"
#include "tools/vox-convert/options.h"

namespace vox {

// True if the input is a volume: by its extension, or because options describe a raw file. A file with
// the extension of another type is no raw file.
bool is_volume_input(const ConvertOptions& options);

// Converts a volume to a scene file of bricks, or, by way of bricks, to .nrrd.
void convert_volume(const ConvertOptions& options);

// Makes the bricks of a scene that --structure asks for. Adds to the kernels' times.
bricks::FrozenBricks scene_bricks(const dag::VoxelScene& scene, const ConvertOptions& options,
                                  std::vector<device::KernelTime>& kernels);

// Does --info, --verify or an export of a scene file that holds bricks alone.
void use_bricks_file(const ConvertOptions& options);

}  // namespace vox
