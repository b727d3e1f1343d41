// The part of vox-convert that writes scenes, and uses scene files.
#pragma once

#include <optional>

#include "formats/scene/scene_file.h"
#include "libvox/base/voxel_box.h"
#include "tools/vox-convert/options.h"

namespace vox {

struct Output {
  dag::VoxelScene scene;
  std::optional<bricks::FrozenBricks> bricks;  // if --structure asks for them
  std::optional<spatial::FrozenHash> hash;     // likewise

  OtherForms forms() const { return {bricks ? &*bricks : nullptr, hash ? &*hash : nullptr}; }
};

bool wants_bricks(const ConvertOptions& options);
bool wants_hash(const ConvertOptions& options);

// Makes the spatial hash that --structure asks for. Adds to the kernels' times.
spatial::FrozenHash scene_hash(const dag::VoxelScene& scene, const ConvertOptions& options,
                               std::vector<device::KernelTime>& kernels);

// The clip box of exports in voxels: every voxel that it touches.
std::optional<VoxelBox> clip_voxels(const dag::VoxelScene& scene, const ConvertOptions& options);

// Makes the level of the scene that --res asks for.
void make_coarser(dag::VoxelScene& scene, const ConvertOptions& options);

// Throws UsageError if the output could not be read back.
void check_verifiable(const ConvertOptions& options);

// Writes the output. Exports hold only the part inside `clip`.
void write_output(const Output& output, const ConvertOptions& options, const std::optional<VoxelBox>& clip);

// True if the first input is taken for a scene file, because of its name or content, or because it is to be
// shown.
bool is_scene_input(const ConvertOptions& options);

// True if a file is made of a scene file, instead of showing or verifying it.
bool writes_file(const ConvertOptions& options);

// Does --info, --verify, an export of a scene file, or bricks for it.
void use_scene_file(const ConvertOptions& options);

}  // namespace vox
