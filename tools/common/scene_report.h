// The figures on a scene that programs show on screen and write into JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libvox/dag/voxel_scene.h"
#include "libvox/measure/results.h"

namespace vox {

// A scene and how many words its levels have, which may have been left unread.
struct SceneFigures {
  SceneFigures(const dag::VoxelScene& scene);  // one that has its words
  SceneFigures(const dag::VoxelScene& scene, std::vector<uint64_t> level_words)
      : scene(scene), level_words(std::move(level_words)) {}

  uint64_t level_bytes(size_t level) const { return level_words[level] * sizeof(uint32_t); }
  uint64_t bytes() const;  // the bytes of all levels

  const dag::VoxelScene& scene;
  std::vector<uint64_t> level_words;
};

// Names and texts: "resolution", "4096 voxels along the longest side, cube of 4096"; "voxels", …
std::vector<std::pair<std::string, std::string>> scene_facts(const SceneFigures& figures);

// Describes size, palette with shares, and nodes of each level on one screen.
std::string describe_scene(const SceneFigures& figures);

// Sets digest, resolution, voxels, unique_nodes, svo_nodes and similar values.
void set_scene(measure::ResultGroup& results, const SceneFigures& figures);

// "1,234,567 voxels, 45,678 unique nodes of 234,567, digest …"
std::string summary_line(const SceneFigures& figures);

}  // namespace vox
