// The scene that vox-bench forms or edit measures: a scene file, a mesh, or one that is generated.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "libvox/dag/voxel_scene.h"
#include "libvox/engine/engine.h"
#include "libvox/scene/scene.h"

namespace vox {

struct SceneRequest {
  std::optional<std::filesystem::path> file;  // a scene file or a mesh; without one, the scene is generated
  // Of a mesh; without one, the default. Of a scene file a coarser level; without one, its own.
  std::optional<uint32_t> resolution;
  uint32_t default_resolution;
  std::function<scene::Scene()> generate;
  std::string generated;  // "the village of vox-scene"
  EngineOptions engine;   // of the one that is made for a file without an SVDAG
};

struct SceneInput {
  dag::VoxelScene scene;
  std::optional<double> svdag_seconds;  // of making the SVDAG, where it was made
};

// Throws UsageError where the file is neither a scene file nor a mesh.
SceneInput read_scene_input(Engine& engine, const SceneRequest& request);

}  // namespace vox
