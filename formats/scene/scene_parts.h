// A scene whose words lie in several files, so that several processes can write one scene side by side: scene.h5 is
// the head, which has everything but words, and scene.parts/000.h5, 001.h5, … have runs of the nodes of each level,
// one behind the other. In the head the words of a level are a virtual dataset over the parts, which other programs
// read as one array.
//
// Each process calls write_scene_part(); when all are done, one of them calls write_scene_head().
#pragma once

#include <filesystem>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "libvox/dag/dag_part.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// Where part `number` of a scene file lies.
std::filesystem::path scene_part_path(const std::filesystem::path& scene, uint32_t number);

// Which part of which scene file, which need not be there yet.
struct ScenePartPlace {
  std::filesystem::path scene;
  uint32_t number = 0;
  bool materials = true;  // whether leaves hold them
};

// The part appears complete or not at all.
void write_scene_part(const dag::DagPart& part, const ScenePartPlace& place,
                      const Compression& compression = {});

// Writes the head over the parts 0 to count - 1, which are there. The levels of the scene's DAG have counts, but no
// words. Throws Error that names a part that is missing, or that does not follow on the one before.
void write_scene_head(const dag::VoxelScene& scene, uint32_t count, const std::filesystem::path& path,
                      const Compression& compression = {});

// Whether the group of a file's SVDAG has its words in parts.
bool has_parts(const h5::Object& svdag);

// Reads the parts of a DAG that has as many levels. Throws Error that names a part that is missing, or another than
// the one that the head was written for.
std::vector<dag::DagPart> read_scene_parts(const h5::Object& svdag, const dag::FrozenDag& dag);

}  // namespace vox
