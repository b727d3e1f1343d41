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
  // The resolution of a mesh, or none for the default; a coarser level of a scene file, or none for its own.
  std::optional<uint32_t> resolution;
  uint32_t default_resolution;
  std::function<scene::Scene()> generate;
  std::string generated;  // "the village of vox-scene"
  EngineOptions engine;   // the engine that makes the SVDAG of a file without one
};

struct SceneInput {
  dag::VoxelScene scene;
  std::optional<double> svdag_seconds;  // the time of making the SVDAG, if it was made
};

// Throws UsageError if the file is neither a scene file nor a mesh, and Error if it is missing.
SceneInput read_scene_input(Engine& engine, const SceneRequest& request);

}  // namespace vox
