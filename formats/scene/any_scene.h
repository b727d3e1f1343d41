// Tells the kind of any input, and reads a scene or a volume from any file that contains one: a scene file with any form of
// its voxels, or a file of another program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/io/output_file.h"
#include "formats/scene/scene_file.h"
#include "formats/volume/stored_volume.h"
#include "formats/volume/volume_formats.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/handle.h"
#include "libvox/edit/script.h"
#include "libvox/engine/engine.h"
#include "libvox/ranks/ranks.h"
#include "libvox/volume/volume.h"

namespace vox {

// Returns the forms that the file contains, as scene_file_parts() does. Voxel files of other programs count
// as a DAG.
SceneFileParts scene_parts(const std::filesystem::path& path);

// The form from which a scene is read if its file has several. Any takes the SVDAG if there is one. Svdag takes the
// symmetric form if the file has no SVDAG. Symmetric is like Svdag, but the file must have the symmetric form, which
// read_symmetric() reads unchanged.
enum class SceneForm { Any, Svdag, Hash, Bricks, Symmetric };

// The choice if an SVDAG's digest differs from the one in its file. Pictures and statistics ignore this. Programs that
// write the scene again refuse or accept it. If they accept it, a warning and the scene's source say so, and the scene
// gets the digest and the counts of its content.
enum class Damage { Ignored, Refused, Accepted };
Damage damage_with(Overwrite overwrite);  // Refused, or Accepted if all files may be overwritten

// The way in which a scene is read. Instead of being read as a whole, it may stay in its file, and its words are read
// when they are used (read_paged_scene()). Walks over such a scene must follow dag/paged_level.h. Unless damage is
// ignored, its content is compared with its digest, for which the whole file is read once.
enum class Loading {
  Whole,     // always as a whole
  IfItFits,  // as a whole if it takes at most three quarters of the memory that the process may use

  // The scene is read as a whole if it takes at most half of that memory, and at most 8 GiB. This is for work that
  // copies the scene, or that needs only parts of a large one.
  AsUsed,

  // As AsUsed, but as it is used from 128 MiB on, and then not compared with its digest, which takes longer than all
  // else: the check sums of the chunks that are read stand for it.
  ByChunks,

  // The scene stays in its file unless it takes less than 64 MiB. This is for work that needs few nodes and ignores
  // damage.
  InParts,
};

// True if work on a scene with so many bytes of words should run on a GPU: the user names one, or one is found and the
// work is worth the time that it takes to start.
bool is_for_gpu(const EngineOptions& options, uint64_t bytes);

// Returns IfItFits for a GPU, which needs the whole scene, and AsUsed for the processor.
Loading loading_onto(const EngineOptions& options);

// Reads a scene as read_scene() does. From a spatial hash or from bricks of a scene's materials it makes the DAG,
// on an engine with these options. Throws Error if this DAG has another digest than the file and damage is not
// accepted, if the file lacks the form, or if it holds only a volume's bricks.
//
// Collective. If there are several ranks, only Whole reads a scene as a whole; otherwise each rank reads no more than
// it uses. They compare the digest together.
dag::VoxelScene read_any_scene(const std::filesystem::path& path, const EngineOptions& options,
                               SceneForm form, Damage damage, Loading loading = Loading::Whole,
                               ranks::Ranks& ranks = ranks::alone());

// Warns that with_palette() will leave out the names of a scene's materials, if it will. It does so with another palette.
void warn_of_lost_names(const dag::VoxelScene& scene, bool has_other_palette);

// Gives a scene with colors materials (dag::with_palette()), and logs it: "24-bit colors become a palette of 16
// WHERE". For uses that cannot show or store colors. A scene without colors is returned unchanged.
dag::VoxelScene in_palette(dag::VoxelScene scene, const char* where, const EngineOptions& options);

// Computes the digest of a scene that read_scene() has read from this file, and compares it with the file's. Throws
// Error if they differ and damage is refused. `memory` and `ranks` are passed to dag::digests_of().
void check_content(dag::VoxelScene& scene, const std::filesystem::path& path, Damage damage,
                   uint64_t memory = UINT64_MAX, ranks::Ranks& ranks = ranks::alone());

// Does the same for a scene that a GPU will use. The GPU verifies a large scene in a fraction of the time that a
// processor needs for the digest.
void check_content_on(device::DeviceHandle gpu, dag::VoxelScene& scene, const std::filesystem::path& path,
                      Damage damage, uint64_t memory);

// Returns the number of bytes that values of a level's nodes, such as their digests, may take in addition to a scene
// that is read as it is used (dag/level_values.h).
uint64_t memory_for_values(const EngineOptions& options);

// Reads the scenes that a script uses as brushes, from the files that it names, in its order. A file that has
// materials when the scene has none, or
// the reverse, is an error at the first line that uses the file; if `on_error` returns, the file's scene is
// left empty.
std::vector<dag::VoxelScene> read_script_scenes(const edit::Script& script, const dag::VoxelScene& scene,
                                                Damage damage, const edit::OnScriptError& on_error = {});

// The following functions verify the content of a file.

// Verifies the forms of a scene file that has been read: the facts that each form states about itself must be true,
// and the other forms must hold the scene's voxels. The SVDAG is checked on an engine with these options, or by
// several ranks together on their processors; rank 0 checks the other forms. All these functions throw Error that
// names the file.
void verify_scene(const dag::VoxelScene& scene, const OtherForms& forms, const std::filesystem::path& file,
                  const EngineOptions& options, ranks::Ranks& ranks = ranks::alone());
void verify_bricks(const bricks::FrozenBricks& bricks, const std::filesystem::path& file);

// Reads back a scene file that was written from this scene, or from its voxels in other forms alone, with these normals if
// they are not null.
void verify_written(const dag::VoxelScene& scene, const std::filesystem::path& file,
                    const EngineOptions& options, const attributes::PackedValues* normals = nullptr);

// Reads back bricks or an NRRD file written from this volume, and compares them with the volume.
void verify_written(const volume::Volume& volume, const volume::ThresholdOptions& threshold,
                    const std::filesystem::path& file);

// Returns the bricks of a scene file that also has an SVDAG. Throws Error if they differ from the scene in size, type
// or number of voxels.
bricks::FrozenBricks bricks_beside(const dag::VoxelScene& scene, const std::filesystem::path& file);

// The kind of a file that a program reads. The file's name decides, or its content if files with such names may be
// of several kinds. Programs ask once for each input and pass the answer on.

enum class InputKind : uint8_t {
  Mesh,       // also a file of unknown kind: the reader of meshes examines it or tells what is wrong
  Points,     // a cloud of points
  Splats,     // points with sizes and opacities
  Volume,     // values that the file describes
  RawVolume,  // values that the file's name or the user describes
  Voxels,     // another program's voxels
  Scene,      // a scene file: an SVDAG, a spatial hash or bricks
};

// Decides the kind of a file. If `raw` describes values, a file with an unknown extension is a raw volume. A missing
// file has the kind that its name stands for.
InputKind kind_of_input(const std::filesystem::path& path, const RawOptions& raw = {});

// Decides the kind of each of several files, in their order.
std::vector<InputKind> kinds_of_inputs(std::span<const std::filesystem::path> paths, const RawOptions& raw);

// Returns the files' names without folders, for a scene's source: "house.obj, garden.obj".
std::string names_of_inputs(std::span<const std::filesystem::path> paths);

// True if the file holds points of any kind.
constexpr bool is_cloud(InputKind kind) {
  return kind == InputKind::Points || kind == InputKind::Splats;
}

constexpr bool is_volume(InputKind kind) {
  return kind == InputKind::Volume || kind == InputKind::RawVolume;
}

// True if the file has voxels, so that their size is given.
constexpr bool has_own_grid(InputKind kind) {
  return is_volume(kind) || kind == InputKind::Voxels || kind == InputKind::Scene;
}

// Opens files of volumes by extension: .raw (.raw.gz), .nrrd, .nhdr, .npy, .mhd, .mha, .dat, .nii (.nii.gz), .hdr.

// Opens a volume and reads only its header. A path with an unknown extension counts as raw. If the voxels
// have several values, `channel` selects one, counted from 0. Throws Error that names the file.
StoredVolume open_stored_volume(const std::filesystem::path& path, const RawOptions& raw,
                                std::optional<uint32_t> channel = std::nullopt);

// Does the same and converts the values to a type that kernels support (stored_volume.h), for which it may
// have to read all of them.
volume::Volume open_volume(const std::filesystem::path& path, const RawOptions& raw,
                           std::optional<uint32_t> channel = std::nullopt);

// A volume from any kind of file that contains one, together with the bricks or the scene from which it is read.
struct AnyVolume {
  volume::Volume volume;
  bricks::FrozenBricks bricks;
  dag::VoxelScene scene;

  // Opens the volume of a file of this kind (kind_of_input()). From a scene file it takes the scene's materials, or the bricks if
  // the file has nothing else. A scene with more than `most_voxels` (0: no limit) is read at the finest level
  // that has no more voxels. A coarser whole is better than a part of the scene, because the middle of a
  // scene may well be empty.
  AnyVolume(const std::filesystem::path& path, InputKind kind, const RawOptions& raw, uint64_t most_voxels);
  AnyVolume(const AnyVolume&) = delete;
  AnyVolume& operator=(const AnyVolume&) = delete;
};

}  // namespace vox
