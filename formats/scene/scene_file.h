// Reads and writes a VoxelScene as an HDF5 scene file (docs/formats.md), version 2:
//
//   /                      attributes format "vox-scene", version 2, generator, command, created, digest
//   /scene                 attributes resolution, depth, origin[3], voxel_size, up "x" | "y" | "z",
//                          coverage "conservative" | "thin", solid 0 | 1, material_bits 0 | 4, voxels, source
//   /palette               attribute count; datasets colors uint8 [16, 3] (sRGB), names (text [16]),
//                          share float64 [16]: of the meshes' surface when they were voxelized. Edits leave
//                          it as it was, and it is 0 for entries that they add; vox-stats says the shares of
//                          the voxels as they are. With the names of a mesh: members uint8, these names in the
//                          mesh's order, each up to a zero byte, and member_entries uint8 [members]
//   /svdag/level_NN/words  uint32, 00 the root … the leaves last; attributes nodes, svo_nodes, child_bytes
//   /svdag/level_NN/starts uint64, the words at which the nodes 0, 4096, 8192, … of the level begin
//   /history               datasets time, digest (texts), script_end (uint64): one row for each run of
//                          vox-edit, with the digest after it; script (uint8): the texts of all runs, up to
//                          where the file was saved, one behind the other, each up to its script_end
//
//   /attributes            colors apart from the SVDAG, which has no materials then, and normals: formats/scene/groups.h
//   /bricks                hybrid bricks of the same voxels or of a volume: formats/scene/groups.h
//   /hash                  a spatial hash of the same voxels: formats/scene/groups.h
//   /symmetric             the SVDAG merged under the symmetries of the cube: formats/scene/groups.h
//
// In files of version 1, a child pointer is a word offset and not a number, and there are neither child_bytes
// nor starts. Such files are read, and written on request. A file without an SVDAG has version 1. The words
// may lie in parts: formats/scene/scene_parts.h.
//
// A file of a volume has only /bricks and no digest; a file of a scene's materials as bricks also has
// /palette. A file of a scene as a spatial hash, or in symmetric form alone, has everything except /svdag. Texts have fixed lengths (h5py:
// bytes; .decode() gives a str). Equal scenes give equal bytes on one machine and equal words on all
// machines.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "libvox/attributes/packed_values.h"
#include "libvox/base/paged_memory.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/dag/symmetric_dag.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox {

// The forms of a scene's voxels besides the SVDAG, and their normals. A form is null if the file is not to have it.
struct OtherForms {
  const bricks::FrozenBricks* bricks = nullptr;
  const spatial::FrozenHash* hash = nullptr;
  const dag::SymmetricDag* symmetric = nullptr;
  const attributes::PackedValues* normals = nullptr;  // of all voxels (attributes/octahedral.h)
};

// Throws Error if this machine cannot compress scene files in this way. The functions that write files
// throw it too, but only after the work.
void check_compression(const Compression& compression);

inline constexpr uint32_t kOldestSceneVersion = 1, kSceneVersion = 2;

// Writes the scene and then replaces the file at `path`. Throws Error that names the file, for instance if
// that version cannot hold the scene.
void write_scene(const dag::VoxelScene& scene, const std::filesystem::path& path,
                 const OtherForms& forms = {}, const Compression& compression = {},
                 uint32_t version = kSceneVersion);

// Writes a scene without its SVDAG. `forms` must have a spatial hash or the symmetric form of the same voxels.
void write_scene_without_dag(const dag::VoxelScene& scene, const std::filesystem::path& path,
                             const OtherForms& forms, const Compression& compression = {});

// The origin of a file: the program, its command line and the time.
struct FileOrigin {
  std::string generator, command, created;
};
// `scene` is the scene whose materials the bricks hold, or null for a volume, which may have coarser levels.
void write_bricks(const bricks::FrozenBricks& bricks, const FileOrigin& origin,
                  const std::filesystem::path& path, const dag::VoxelScene* scene = nullptr,
                  const Compression& compression = {}, std::span<const bricks::FrozenBricks> coarser = {});

// Reads a scene. Checks everything that keeps a walk inside the DAG; verify() checks the rest. Throws Error that names
// the file and the defect. If the file has no SVDAG, returns the one that its symmetric form represents.
dag::VoxelScene read_scene(const std::filesystem::path& path);

// Reads a scene whose SVDAG stays in the file: its words are read when they are used, and within this budget. The file
// must not change meanwhile. Returns nothing if the file cannot be read in this way: it has version 1, its words are
// compressed with Zstandard, or it has no SVDAG. If the scene has colors, these stay there in place of the SVDAG.
std::optional<dag::VoxelScene> read_paged_scene(const std::filesystem::path& path,
                                                const std::shared_ptr<PagedBudget>& budget);

// Reads a scene except for the words of its SVDAG, which the file need not have. The levels are empty; counts
// and digest are the scene's.
dag::VoxelScene read_scene_without_dag(const std::filesystem::path& path);

// The size of the symmetric form of a scene.
struct SymmetricSize {
  uint64_t nodes = 0, bytes = 0;  // bytes of words
};

// The size of a scene's colors or normals in memory, and their digest if it is known.
struct AttributeInfo {
  uint64_t bytes = 0;
  std::optional<dag::Digest> digest = {};
};

// Facts that a file with an SVDAG or its symmetric form states in attributes and in sizes of datasets. Nothing that
// takes long is read or checked.
struct SceneInfo {
  dag::VoxelScene scene;              // its levels have counts, but no words
  std::vector<uint64_t> level_words;  // the number of words of each level in memory
  uint32_t version = kSceneVersion;
  std::optional<AttributeInfo> colors = {}, normals = {};
  std::optional<SymmetricSize> symmetric = {};
};
SceneInfo read_scene_info(const std::filesystem::path& path);

// Reads a level of bricks. Level 0 has the volume's own resolution, and each further level half that of the one before.
bricks::FrozenBricks read_bricks(const std::filesystem::path& path, uint32_t level = 0);
// Returns the bytes that the bricks of each level take in memory, without reading them.
std::vector<uint64_t> brick_level_bytes(const std::filesystem::path& path);

// Reads the symmetric form, and checks everything that a walk relies on; dag::check_same_nodes() checks the rest.
dag::SymmetricDag read_symmetric(const std::filesystem::path& path);

// Reads the normals of the file's voxels, whose DAG is in memory as a whole; nothing if it has none.
std::optional<attributes::PackedValues> read_normals(const std::filesystem::path& path,
                                                     const dag::FrozenDag& dag);

// Checks everything that searches rely on; spatial::verify() checks the rest.
spatial::FrozenHash read_hash(const std::filesystem::path& path);

// Returns the palette of a scene's or its bricks' materials. A volume has none, and neither has a scene
// without materials.
std::optional<scene::Palette> scene_palette(const std::filesystem::path& path);

// The forms that a scene file contains. Throws Error if the file is not a scene file.
struct SceneFileParts {
  bool dag = false, bricks = false, hash = false;  // `dag`: an SVDAG, or the symmetric form of one
  bool colors = false, normals = false;            // apart from the voxels' geometry
  bool svdag = false, symmetric = false;
};
SceneFileParts scene_file_parts(const std::filesystem::path& path);

// True if the file begins with HDF5's signature. False if it cannot be read.
bool is_scene_file(const std::filesystem::path& path);

// True if vox wrote this file as a scene or as bricks.
bool is_scene_of_vox(const std::filesystem::path& path);

}  // namespace vox
