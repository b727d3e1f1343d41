// What vox-convert does with a scene: write it, and read it again.
#pragma once

#include <optional>

#include "libvox/base/voxel_box.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/voxel_scene.h"
#include "tools/vox-convert/options.h"

namespace vox {

struct Output {
  dag::VoxelScene scene;
  std::optional<bricks::FrozenBricks> bricks;  // where --structure asks for them
};

bool wants_bricks(const ConvertOptions& options);

// Throws UsageError where what is written could not be read back.
void check_verifiable(const ConvertOptions& options);

// Of exports, only what lies inside of `clip`.
void write_output(const Output& output, const ConvertOptions& options, const std::optional<VoxelBox>& clip);

// Whether the first input is taken for a scene file: by its name or content, or because it is to be shown.
bool is_scene_input(const ConvertOptions& options);

// Of a scene file: whether anything is made of it, instead of showing or verifying it.
bool writes_file(const ConvertOptions& options);

// --info, --verify, an export of a scene file, or bricks for it.
void use_scene_file(const ConvertOptions& options);

}  // namespace vox
