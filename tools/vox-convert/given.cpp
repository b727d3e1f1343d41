#include "tools/vox-convert/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "formats/io/read_file.h"
#include "formats/points/points.h"
#include "formats/scene/scene_file.h"
#include "formats/volume/volume_file.h"
#include "libvox/base/error.h"
#include "libvox/engine/group_engine.h"
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

uint32_t output_bits(const ConvertOptions& options) {
  switch (kind_of_output(options.output)) {
    case OutputKind::Scene:
      return kWrites | kWritesH5 | (!options.structure || options.structure->dag ? kWritesSvdag : 0u);
    case OutputKind::Binvox:
      return kWrites | kExports | kWritesBinvox;
    case OutputKind::Nvdb:
      return kWrites | kExports | kWritesNvdb;
    case OutputKind::PlyMesh:
      return kWrites | kExports | kWritesPly;
    case OutputKind::VtkHdf:
      return kWrites | kExports | kWritesVtk;
    default:
      return kWrites | kExports;
  }
}

uint32_t other_forms(const ConvertOptions& options) {
  return (wants_bricks(options) ? kBricks : 0u) | (wants_hash(options) ? kHash : 0u);
}

uint32_t volume_bits(const std::filesystem::path& path) {
  return has_volume_header(path) ? kHeaderVolume : kRawVolume;
}

RunTraits of_volume(const ConvertOptions& options) {
  const uint32_t bits = output_bits(options) | volume_bits(options.inputs[0]);
  if (is_volume_scene(options)) {
    const uint32_t forms = (bits & kWritesH5) != 0 ? other_forms(options) : 0u;
    const uint32_t colors = options.materials != scene::MaterialMode::None ? kColors : 0u;
    return {bits | kVolumeScene | forms | colors, "a volume that becomes a scene"};
  }
  if (bits & kWritesH5) return {(bits & ~kWritesSvdag) | kVolumeBricks | kBricks, "a volume"};
  return {bits | kVolumeBricks, "a volume that is written as .nrrd"};
}

RunTraits of_scene_file(const ConvertOptions& options) {
  const SceneFileParts parts = scene_file_parts(options.inputs[0]);
  const bool is_scene = parts.dag || parts.hash;
  const std::string what = is_scene ? "a scene file" : "a file of bricks";
  if (!writes_file(options)) return {0, (options.info ? "--info of " : "--verify of ") + what};
  uint32_t bits = output_bits(options);
  if (!is_scene) return {bits & ~kWritesSvdag, what};
  bits |= kWholeScene | other_forms(options);
  if ((bits & kBricks) != 0) return {bits, "bricks of " + what};
  return {bits, (bits & kHash) != 0 ? "a spatial hash of " + what : what};
}

RunTraits of_mesh(const ConvertOptions& options) {
  for (const auto& input : options.inputs) {
    refuse_foreign(input);
    if (is_points_path(input))
      throw UsageError(input.string() +
                       " holds points: with meshes they need --res or --voxel-size, for the grid of all");
  }
  uint32_t bits = kMesh | output_bits(options);
  if ((bits & kWritesH5) != 0) bits |= other_forms(options);
  if (options.materials != scene::MaterialMode::None) bits |= kColors;
  return {bits, "a mesh"};
}

RunTraits of_voxels(const ConvertOptions& options) {
  if (options.info) return {0, "--info of a file of voxels"};
  uint32_t bits = kVoxels | output_bits(options);
  if ((bits & kWritesH5) != 0) bits |= other_forms(options);
  if (options.materials != scene::MaterialMode::None) bits |= kColors;
  return {bits, "a file of voxels"};
}

RunTraits of_points(const ConvertOptions& options) {
  uint32_t bits = kPoints | output_bits(options);
  if ((bits & kWritesH5) != 0) bits |= other_forms(options);
  if (options.materials != scene::MaterialMode::None) bits |= kColors;
  for (const auto& input : options.inputs)
    if (is_splats_path(input)) bits |= kSplats;
  return {bits, "a cloud of points"};
}

RunTraits of_mixed(const ConvertOptions& options) {
  for (const auto& input : options.inputs) refuse_foreign(input);
  uint32_t bits = kMixed | kVoxels | output_bits(options) | (has_mesh_input(options) ? kMesh : 0u);
  for (const auto& input : options.inputs)
    bits |= (is_points_path(input) ? kPoints : 0u) | (is_splats_path(input) ? kSplats : 0u) |
            (is_volume_path(input) ? volume_bits(input) : 0u);
  if ((bits & kWritesH5) != 0) bits |= other_forms(options);
  if (options.materials != scene::MaterialMode::None) bits |= kColors;
  return {bits, "inputs of different kinds on one grid"};
}

void check_volume_materials(const ConvertOptions& options) {
  if (!options.volume_materials) return;
  if (!is_volume_input(options) && !std::ranges::any_of(options.inputs, is_volume_path))
    throw UsageError("--materials bins and labels are for volumes: they are made of values");
  if (!is_mixed_input(options) && !is_volume_scene(options))
    throw UsageError(
        "--materials has no effect on bricks of a volume: --structure svdag makes a scene of it");
}

void check_devices(const ConvertOptions& options, const RunTraits& run) {
  if (!names_several(options.engine.device)) return;
  listed_devices(options.engine.device);
  if ((run.bits & (kMesh | kBricks | kHash)) != kMesh)
    throw UsageError("--device names several: they build the SVDAG of a mesh together, all else runs on one");
}

// A build in rounds runs on one device from start to end.
void check_spill(const ConvertOptions& options, const RunTraits& run) {
  if (!options.spill) return;
  if ((run.bits & kMixed) != 0) throw UsageError("--spill is for meshes alone, not with other inputs");
  if (options.ranks || names_several(options.engine.device))
    throw UsageError("--spill is for one device: several share out the scene among them");
}

// Only SVDAGs are written in parts.
void check_parts(const ConvertOptions& options, const RunTraits& run) {
  if (!options.parts) return;
  if ((run.bits & kMixed) != 0 || (run.bits & kWritesSvdag) == 0)
    throw UsageError("--parts is for scene files of meshes: all else is written as one file");
  if ((run.bits & (kBricks | kHash)) != 0)
    throw UsageError("--parts is for SVDAGs alone: bricks and a spatial hash are made of a file afterwards");
  if (options.file_version == 1) throw UsageError("--parts needs --file-version 2");
}

// A file that is read is replaced only where the command line says so.
void check_default_output(const ConvertOptions& options, const RunTraits& run) {
  if (options.names_output || (run.bits & kWrites) == 0) return;
  for (const std::filesystem::path& input : options.inputs) {
    std::error_code absent;
    if (std::filesystem::equivalent(options.output, input, absent))
      throw UsageError(
          fmt::format("without -o, '{}' would be replaced, which is read: -o says where to write",
                      options.output.string()));
  }
}

void check_resume(const ConvertOptions& options, const RunTraits& run) {
  if (!options.resume) return;
  if ((run.bits & kMixed) != 0) throw UsageError("--resume is for scenes of meshes alone");
  if (options.spill) throw UsageError("--resume keeps nothing of what --spill builds: leave one of them out");
}

}  // namespace

void check_given(const ConvertOptions& options) {
  check_volume_materials(options);
  const RunTraits run = is_mixed_input(options)    ? of_mixed(options)
                        : is_volume_input(options) ? of_volume(options)
                        : is_voxels_input(options) ? of_voxels(options)
                        : is_scene_input(options)  ? of_scene_file(options)
                        : is_points_input(options) ? of_points(options)
                                                   : of_mesh(options);
  check_effects(options.given, run);
  check_default_output(options, run);
  check_devices(options, run);
  check_spill(options, run);
  check_parts(options, run);
  check_resume(options, run);
  if (options.ranks && (run.bits & (kMesh | kMixed)) != kMesh)
    throw UsageError(fmt::format("several processes build a scene of meshes alone; on {}, {} were started",
                                 run.what, options.ranks->count()));
}

}  // namespace vox
