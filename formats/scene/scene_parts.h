// A scene whose words lie in several files, so that several processes can write one scene side by side: scene.h5 is
// the head, which has everything but words, and scene.parts/ has parts, runs of the nodes of each level, one behind the
// other. In the head the words of a level are a virtual dataset over the parts, which other programs read as one array.
//
// Each process calls write_scene_part(); when all are done, one of them calls write_scene_head(). A part is named after
// its content, so that parts of several scenes lie side by side: a head that is there already, and its parts, stay whole
// until the new head takes its place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "libvox/dag/dag_part.h"
#include "libvox/dag/voxel_scene.h"

namespace vox {

// The folder beside a scene file in which its parts are.
std::filesystem::path parts_folder(const std::filesystem::path& scene);
// Throws Error where the folder cannot be one: before the work, not after it.
void check_parts_folder(const std::filesystem::path& scene);
// Where part `number` of a scene file lies, of which this is the check sum.
std::filesystem::path scene_part_path(const std::filesystem::path& scene, uint32_t number, uint64_t check);

// Whether the parts that are written have such names: 000-88e6655ea6c26d31.h5.
bool is_part_name(const std::string& name);

// Which part of which scene file, which need not be there yet.
struct ScenePartPlace {
  std::filesystem::path scene;
  uint32_t number = 0;
  bool materials = true;  // whether leaves hold them
};

struct WrittenPart {
  uint64_t check = 0;   // a sum over its words
  bool is_new = false;  // whether there was none of that content before
};

// The part appears complete or not at all.
WrittenPart write_scene_part(const dag::DagPart& part, const ScenePartPlace& place,
                             const Compression& compression = {});

// Writes the head over parts that are there, in this order. The levels of the scene's DAG have counts, but no words.
// Throws Error that names a part that is missing, or that does not follow on the one before. In the end it
// removes the parts that no head names, so that the caller has the folder's lock (replaced_parts.h).
void write_scene_head(const dag::VoxelScene& scene, std::span<const uint64_t> checks,
                      const std::filesystem::path& path, const Compression& compression = {});

// The parts that the file at this path names, if it is a scene in parts, as files of its folder.
std::vector<std::filesystem::path> named_parts(const std::filesystem::path& path);

}  // namespace vox
