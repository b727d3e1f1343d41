// Reads a scene from any file that contains one: a scene file with any form of its voxels, or a voxel file of
// another program.
#pragma once

#include <filesystem>
#include <vector>

#include "formats/io/overwrite.h"
#include "formats/scene/scene_file.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/handle.h"
#include "libvox/edit/script.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/volume/volume.h"

namespace vox {

// Returns which forms the file contains, as scene_file_parts() does. Voxel files of other programs count as a
// DAG.
SceneFileParts scene_parts(const std::filesystem::path& path);

// The form from which a scene is read if its file has several. Any takes the SVDAG if there is one; Svdag also takes the
// symmetric form if the file has no SVDAG. Symmetric is the same for a file that has the symmetric form, which read_symmetric()
// reads as it is.
enum class SceneForm { Any, Svdag, Hash, Bricks, Symmetric };

// The choice of a reader that finds an SVDAG with another digest than the one in its file. Pictures and statistics ignore
// it; whoever writes a scene again refuses it, or accepts it: then a warning and the scene's source say so, and the scene
// gets the digest and the counts of what it holds.
enum class Damage { Ignored, Refused, Accepted };
Damage damage_with(Overwrite overwrite);  // Refused, or Accepted if all files may be overwritten

// How a scene comes into memory. Instead of being read as a whole, it may stay in its file, and its words are read when
// they are used (read_paged_scene()). Walks over such a scene must suit it: dag/paged_level.h. Its content is compared with
// its digest unless damage is ignored; that reads the whole file once.
enum class Loading {
  Whole,     // always as a whole
  IfItFits,  // as a whole if it takes at most three quarters of the memory that the process may use

  // As a whole if it takes at most half of that memory, and at most 8 GiB: for those who copy it, or need only parts of a
  // large one.
  AsUsed,

  // As AsUsed, but a scene of more than 8 GiB is not compared with its digest, which takes minutes: the check sums of the
  // chunks that are read stand for it.
  ByChunks,

  // As it is used, unless it takes less than 64 MiB: for those who need few nodes and ignore damage.
  InParts,
};

// True if work on a scene with so many bytes of words is for a GPU: one that is named, or one that is found if the work
// outweighs the time that it takes to start.
bool is_for_gpu(const EngineOptions& options, uint64_t bytes);

// Returns IfItFits for a GPU, which needs the whole scene, and AsUsed for the processor.
Loading loading_onto(const EngineOptions& options);

// Reads a scene as read_scene() does. Of a spatial hash, and of bricks of a scene's materials, it makes the DAG, on
// an engine with these options. Throws Error where that is not the one whose digest the file has and damage is not
// accepted, and where the file does not hold the form, or only bricks of a volume.
//
// The call is collective. If there are several ranks, only Whole reads a scene as a whole, so that each rank reads no
// more than it uses; they compare the digest together.
dag::VoxelScene read_any_scene(const std::filesystem::path& path, const EngineOptions& options,
                               SceneForm form, Damage damage, Loading loading = Loading::Whole,
                               ranks::Ranks& ranks = ranks::alone());

// Gives a scene with colors materials (dag::with_palette()), and says so: "24-bit colors become a palette of 16 WHERE".
// For those who cannot show or hold colors. A scene without colors is returned as it is.
dag::VoxelScene in_palette(dag::VoxelScene scene, const char* where, const EngineOptions& options);

// Computes the digest of a scene that read_scene() has read from this file, and compares it with the file's. Throws Error
// if they differ and damage is refused. `memory` and `ranks` are those of dag::digests_of().
void check_content(dag::VoxelScene& scene, const std::filesystem::path& path, Damage damage,
                   uint64_t memory = UINT64_MAX, ranks::Ranks& ranks = ranks::alone());

// Does the same for a scene that is read onto a GPU, which verifies a large scene in a fraction of the time that a
// processor needs for the digest.
void check_content_on(device::DeviceHandle gpu, dag::VoxelScene& scene, const std::filesystem::path& path,
                      Damage damage, uint64_t memory);

// Returns how many bytes of memory the values of a level's nodes, such as their digests, may take beside a scene that is
// read as it is used (dag/level_values.h).
uint64_t memory_for_values(const EngineOptions& options);

// Reads the scenes that a script uses as brushes.

// Reads the files that the script names, in its order. A file that has materials when the scene has none, or
// the reverse, is an error at the first line that uses the file; if `on_error` returns, the file's scene is
// left empty.
std::vector<dag::VoxelScene> read_script_scenes(const edit::Script& script, const dag::VoxelScene& scene,
                                                Damage damage, const edit::OnScriptError& on_error = {});

// Verifies that a file contains what it should.

// Verifies the forms of a scene file after reading: everything that each form states about itself must be
// true, and the other forms must hold the scene's voxels. The SVDAG is checked on an engine with these
// options, or by several ranks together on their processors; rank 0 checks the other forms. All these functions throw
// Error that names the file.
void verify_scene(const dag::VoxelScene& scene, const OtherForms& forms, const std::filesystem::path& file,
                  const EngineOptions& options, ranks::Ranks& ranks = ranks::alone());
void verify_bricks(const bricks::FrozenBricks& bricks, const std::filesystem::path& file);

// Reads back a scene file that was written from this scene, or from its voxels in other forms alone.
void verify_written(const dag::VoxelScene& scene, const std::filesystem::path& file,
                    const EngineOptions& options);

// Reads back bricks or an NRRD file written from this volume, and compares them with the volume.
void verify_written(const volume::Volume& volume, const volume::ThresholdOptions& threshold,
                    const std::filesystem::path& file);

// Returns the bricks of a scene file that has an SVDAG, too. Throws Error if they differ from the scene in their size, type or
// number of voxels.
bricks::FrozenBricks bricks_beside(const dag::VoxelScene& scene, const std::filesystem::path& file);

}  // namespace vox
