// The parts of vox-convert that make scenes and write them, one for each kind of input.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/points/points.h"
#include "formats/results/results.h"
#include "formats/scene/scene_file.h"
#include "formats/scene/scene_parts.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/build/build_scene.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/device/profiler.h"
#include "libvox/engine/engine.h"
#include "libvox/painting/paint_scene.h"
#include "libvox/ranks/ranks.h"
#include "libvox/scene/auto_palette.h"
#include "libvox/scene/scene.h"
#include "libvox/voxelize/combine.h"
#include "libvox/voxelize/grid.h"
#include "libvox/voxelize/inside.h"
#include "libvox/voxelize/mesh_faults.h"
#include "tools/common/reports.h"
#include "tools/vox-convert/options.h"

namespace vox {

// A scene that is to be written, with its other forms.
struct Output {
  dag::VoxelScene scene;
  std::optional<bricks::FrozenBricks> bricks;  // present if --structure asks for them
  std::optional<spatial::FrozenHash> hash = {};
  std::optional<dag::SymmetricDag> symmetric = {};
  std::optional<attributes::PackedValues> normals = {};  // of the scene's voxels

  OtherForms forms() const {
    return {bricks ? &*bricks : nullptr, hash ? &*hash : nullptr, symmetric ? &*symmetric : nullptr,
            normals ? &*normals : nullptr};
  }
};

bool wants_bricks(const ConvertOptions& options);
bool wants_hash(const ConvertOptions& options);
bool wants_symmetric(const ConvertOptions& options);

// Makes the spatial hash that --structure asks for. Adds to the kernels' times.
spatial::FrozenHash scene_hash(const dag::VoxelScene& scene, const ConvertOptions& options,
                               std::vector<device::KernelTime>& kernels);

// Makes the symmetric form that --structure asks for. Throws Error if the scene has materials in its leaves. Adds to the
// kernels' times.
dag::SymmetricDag scene_symmetric(const dag::VoxelScene& scene, const ConvertOptions& options,
                                  std::vector<device::KernelTime>& kernels);

// Returns the voxels that the box of --clip touches.
std::optional<VoxelBox> clip_voxels(const dag::VoxelScene& scene, const ConvertOptions& options);

// Keeps only the part inside --clip of a scene that is written as a scene file. The part keeps its place in the grid.
void cut_scene(dag::VoxelScene& scene, const ConvertOptions& options);

// Reduces colors by --palette-size and --color-error. If these are given, the scene must have colors.
void reduce_colors(dag::VoxelScene& scene, const ConvertOptions& options);

// Puts a palette in the place of 24-bit colors: that of --palette, or one that is chosen from them.
dag::VoxelScene with_chosen_palette(dag::VoxelScene scene, const ConvertOptions& options);

// Makes the level of the scene that --res asks for. Collective; rank 0 gets the result.
void make_coarser(dag::VoxelScene& scene, const ConvertOptions& options,
                  ranks::Ranks& ranks = ranks::alone());

// Throws UsageError if the output could not be read back.
void check_verifiable(const ConvertOptions& options);

// Writes the output. Exports hold only the part inside `clip`. For exports it is collective; else rank 0 writes alone.
void write_output(const Output& output, const ConvertOptions& options, const std::optional<VoxelBox>& clip,
                  ranks::Ranks& ranks = ranks::alone());

// Logs how many layers before the first voxel and after the last one are empty, and the --clip that leaves them out, if these
// are most of the layers that have been written.
void log_empty_layers(const dag::VoxelScene& scene, const ConvertOptions& options,
                      const std::optional<VoxelBox>& clip);

// True if a file is made from a scene file, which otherwise is shown or verified.
bool writes_file(const ConvertOptions& options);

// Runs --info, --verify, an export of a scene file, or the making of bricks for it.
void use_scene_file(const ConvertOptions& options);

// The figures of a painting: strokes on meshes.
struct PaintingFigures {
  uint64_t strokes = 0, size = 0, texels = 0, bytes = 0, rebuilds = 0, updates = 0, queries = 0;
  double seconds = 0, table_seconds = 0;
};

// Paints the strokes of --paint. Warns of strokes that paint nothing.
painting::Painting paint_strokes(Engine& engine, const scene::Scene& scene, const painting::Strokes& strokes,
                                 const ConvertOptions& options);

PaintingFigures figures_of(const painting::Painting& painting, const painting::Strokes& strokes);

// Sets the group `painting`.
void set_painting(ResultGroup& results, const PaintingFigures& figures);

// Returns "3 strokes on 1,024,000 of 65536² texels in 19.53 MiB, 0.42 s"
std::string painting_line(const PaintingFigures& figures);

// The results of a conversion to a scene, except for the scene: times, figures, and notes on what was left out.

struct ConversionSeconds {
  double load = 0, paint = 0, palette = 0, voxelize = 0, build = 0, bricks = 0, hash = 0, symmetric = 0,
         write = 0, verify = 0, total = 0;
};

struct Conversion {
  ConversionSeconds seconds;
  std::string device;
  uint64_t triangles = 0, chunks = 0, peak_device_bytes = 0;
  voxelize::SolidCounts solid;
  voxelize::ClosedHoles holes;
  scene::DroppedTriangles dropped;
  CloudSurvey points;
  std::optional<scene::PaletteError> palette_error;  // for --materials texture
  std::optional<PaintingFigures> painting;           // with --paint
  std::optional<attributes::PackedValues> normals;   // with --normals
  std::vector<device::KernelTime> kernels;
  std::vector<RankFigures> ranks;  // the ranks' work if several built the scene
  std::optional<build::BuildFigures> spill;
  std::optional<std::array<voxelize::SideCounts, 2>> combined;  // with --combine: for each mesh
  // With --resume: the rounds of each run of meshes. They are removed last; then another process may build this scene.
  std::list<KeptRounds> rounds;
  std::optional<PartsLock> parts_lock;  // with --parts and without --resume, which has the lock itself
  // With --parts: the checksums of the parts, on rank 0, and the parts that are removed if no head is written.
  std::vector<uint64_t> parts;
  NewParts new_parts;
};

// A conversion of a volume to bricks; times in s.
struct VolumeConversion {
  double read = 0, build = 0, write = 0, verify = 0, total = 0;
  uint64_t peak_device_bytes = 0;
  std::string device;
  std::vector<device::KernelTime> kernels;
};

// The figures of --lossy.
struct LossyFigures {
  uint64_t changed_voxels = 0, replaced_leaves = 0, replaced_nodes = 0, bytes_before = 0;
};

// The figures of a file, and of the conversion that made it, as far as they are known.
struct ConvertResults {
  std::filesystem::path file;  // the file that was written, or read if none is written
  bool verified = false;
  std::optional<SceneFigures> scene = {};
  OtherForms forms = {};
  const Conversion* conversion = nullptr;
  const VolumeConversion* volume = nullptr;
  std::optional<LossyFigures> lossy = {};
};
ResultGroup results_of(const ConvertResults& shown);

// Prints the results that --json, --info or --verify asks for.
void print_results(const ConvertOptions& options, const ConvertResults& shown);

std::vector<NamedSeconds> seconds_of(const ConversionSeconds& seconds);
std::vector<NamedSeconds> seconds_of(const VolumeConversion& volume);

// These log the other forms of a scene, and the end of a conversion: its times, and the file with its size.
void log_forms(const OtherForms& forms);
void log_end(const std::vector<NamedSeconds>& seconds, const std::filesystem::path& file, uint64_t bytes);

// Warns of names of a mesh that have no number of their own, and of rules of --assign that match no name.
void warn_of_names(const scene::IndexedScene& mesh, std::span<const scene::AssignRule> rules,
                   const ConvertOptions& options);

// Records the scene's origin in it.
void sign(dag::VoxelScene& scene, const ConvertOptions& options);

// Finds the faults of the mesh, logs them, and writes them if --report asks for it.
voxelize::MeshFaults reported_faults(const scene::Scene& scene, const voxelize::Grid& grid,
                                     const ConvertOptions& options);

// With --solid and --inside winding: closes the holes of the mesh, and logs their number.
voxelize::ClosedHoles holes_closed(scene::Scene& scene, scene::IndexedScene& indexed,
                                   const voxelize::Grid& grid, const ConvertOptions& options,
                                   const voxelize::MeshFaults& faults = {});

// The most colors that the palette of a surface may have, so that those of --interior and --shell can join it.
uint32_t colors_for_surface(const ConvertOptions& options);

// Returns what --inside, --interior and --shell ask for. Their colors join the palette.
voxelize::Inside inside_of(const ConvertOptions& options, const voxelize::Grid& grid,
                           scene::Palette& palette);

// Completes what an engine has built of a solid, or of a mesh whose voxels get normals: fills what the host fills, makes
// the colors and normals beside the DAG, and tells what is unclear. `input` is what the result was built of.
void complete_mesh(voxelize::BuildResult& result, const voxelize::Inside& inside, Engine& engine,
                   const build::SceneInput& input, const ConvertOptions& options, Conversion& conversion);

// Fills what --fill or --carve asks for; one of them must be given. New voxels have the material that most voxels have,
// or the colors that voxels inside solids have. `normals` are those of the scene's voxels.
void fill_space(dag::VoxelScene& scene, std::optional<attributes::PackedValues>& normals,
                const ConvertOptions& options);

// Checks, before the work, that the results can be written to their files.
void check_targets(const ConvertOptions& options);

// Builds the scene of a mesh in shares: on several devices or ranks, in rounds, or as parts. With --parts it writes each
// rank's result as a part of one scene. Collective if a launcher has started several processes. On rank 0 the result has
// the words of the whole scene; with --parts it has none, because they are in the parts' files.
voxelize::BuildResult built_together(Engine& engine, const build::SceneInput& input,
                                     const ConvertOptions& options, Conversion& conversion);

// With --parts: writes the head file, which joins the parts to one scene.
void write_head(const dag::VoxelScene& scene, const ConvertOptions& options, Conversion& conversion);

// Returns, in words, the facts that decide which voxels vox-convert makes from meshes. Equal facts make equal scenes.
BuildFacts build_facts(const build::SceneInput& input, const ConvertOptions& options);

// Reads --spill: a folder, or `host` for the host's memory. Throws UsageError if there is no such folder.
build::SpillOptions parse_spill(const std::string& text);

// Sets the group `spill`.
void set_spill(ResultGroup& results, const build::BuildFigures& figures);

// Returns "3 rounds of 1,024,000 nodes, 23.44 MiB: built in 1.30 s, spilled in 0.10 s, merged in 0.42 s, …"
std::string spill_line(const build::BuildFigures& figures);

// Voxelizes a mesh, with what --inside, --interior and --shell ask for, whose colors join the palette. `atlas` is the paint
// on it, or nullptr. Adds its figures to `conversion`.
voxelize::BuildResult built_mesh(Engine& engine, const scene::Scene& scene, scene::IndexedScene& indexed,
                                 const voxelize::Grid& grid, const painting::FrozenAtlas* atlas,
                                 const ConvertOptions& options, Conversion& conversion);

// Makes a scene from meshes: reads them, paints them, chooses the palette and voxelizes. Sets `conversion`.
dag::VoxelScene convert_meshes(const ConvertOptions& options, Conversion& conversion);

// Throws UsageError if --sdf does not go with the other options.
void check_distances(const ConvertOptions& options);
void convert_distances(const ConvertOptions& options);

// Makes a scene from clouds of points: reads all inputs, and fills the voxels in which points lie.
dag::VoxelScene convert_points(const ConvertOptions& options, Conversion& conversion);

// The next functions are steps of convert_points(). This one logs that the sizes of splats are ignored, if they are.
void tell_ignored_sizes(const ConvertOptions& options);
// Surveys a cloud, and warns of its faults. Splats that are too large for the cloud become small. Throws Error if the cloud
// has no points.
CloudSurvey surveyed(PointCloud& cloud, const std::filesystem::path& path, const ConvertOptions& options);
// Returns the radius within which points fill voxels; 0 for splats with sizes.
double radius_of(const PointCloud& cloud, const CloudSurvey& found, const ConvertOptions& options);
// Returns the box of the voxels that points in `box` fill.
voxelize::Box around_points(const voxelize::Box& box, double radius);
ScenePlusError voxels_of(PointCloud cloud, const voxelize::Grid& grid, double radius,
                         const ConvertOptions& options);

// Makes a scene from another program's voxel file: reads it, and makes the level that --res asks for.
dag::VoxelScene convert_voxels(const ConvertOptions& options, Conversion& conversion);

// Returns the options by which the colors of voxels or points become materials.
VoxelFileOptions voxel_file_options(const ConvertOptions& options);

// Converts a volume to bricks, and writes a scene file, .nrrd or .npy.
void convert_volume(const ConvertOptions& options);

// Makes the bricks of a scene that --structure asks for. Adds to the kernels' times.
bricks::FrozenBricks scene_bricks(const dag::VoxelScene& scene, const ConvertOptions& options,
                                  std::vector<device::KernelTime>& kernels);

// True if bricks that are alone in their file are shown, verified or written as a dense grid. Otherwise a scene is made of
// them, if they are a scene's, or the conversion is refused.
bool keeps_bricks(const ConvertOptions& options, const SceneFileParts& parts);

// Runs --info, --verify or an export for a scene file whose bricks are kept.
void use_bricks_file(const ConvertOptions& options);

// Makes a scene from a volume: reads it and chooses its materials.
dag::VoxelScene scene_of_volume(const std::filesystem::path& path, const ConvertOptions& options);

// Does the same for the only input, and makes the level that --res asks for.
dag::VoxelScene convert_volume_to_scene(const ConvertOptions& options, Conversion& conversion);

// True if one of the inputs is a mesh.
bool has_mesh_input(const ConvertOptions& options);

// Puts meshes, clouds of points, volumes, other programs' voxels and scene files on one grid. If several inputs fill
// a voxel, the last one counts. Consecutive meshes are one input. All inputs share one palette, which is chosen from
// at most 16 colors of each input.
dag::VoxelScene convert_mixed(const ConvertOptions& options, Conversion& conversion);

}  // namespace vox
