#include "tools/vox-convert/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "formats/io/read_file.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/device/devices.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

// Volumes are written as dense grids without these options.
constexpr uint32_t kOfScenes = kWritesRaw | kWritesPieces;

uint32_t bits_of_kind(const ConvertOptions& options) {
  constexpr std::pair<OutputKind, uint32_t> kExportBits[] = {
      {OutputKind::Binvox, kWritesBinvox}, {OutputKind::Nvdb, kWritesNvdb},
      {OutputKind::PlyMesh, kWritesPly},   {OutputKind::VtkHdf, kWritesVtk},
      {OutputKind::Slices, kWritesSlices}, {OutputKind::Raw, kWritesRaw},
      {OutputKind::Tiles, kWritesTiles}};
  const OutputKind kind = kind_of_output(options.output);
  if (kind == OutputKind::Scene)
    return kWrites | kWritesH5 | (!options.structure || options.structure->dag ? kWritesSvdag : 0u);
  const auto* const found = std::ranges::find(kExportBits, kind, &std::pair<OutputKind, uint32_t>::first);
  return kWrites | kExports | (found == std::end(kExportBits) ? 0u : found->second);
}

uint32_t output_bits(const ConvertOptions& options) {
  return bits_of_kind(options) | (is_format_of_pieces(options.output) ? kWritesPieces : 0u);
}

uint32_t other_forms(const ConvertOptions& options) {
  return (wants_bricks(options) ? kBricks : 0u) | (wants_hash(options) ? kHash : 0u);
}

// The traits that an input alone has.
uint32_t input_bits(InputKind kind, const ConvertOptions& options) {
  switch (kind) {
    case InputKind::Mesh:
      return kMesh;
    case InputKind::Points:
      return kPoints | kSizeless;
    case InputKind::Splats:
      return kPoints | kSplats | (options.points.splats == SplatUse::Centers ? kSizeless : 0u);
    case InputKind::Volume:
      return kHeaderVolume;
    case InputKind::RawVolume:
      return kRawVolume;
    case InputKind::Voxels:
      return kVoxels;
    case InputKind::Scene:
      return 0;  // its forms decide
  }
  return 0;
}

uint32_t inputs_bits(const ConvertOptions& options) {
  uint32_t bits = 0;
  for (const InputKind kind : options.kinds) bits |= input_bits(kind, options);
  return bits;
}

// The traits of a conversion that makes a scene with colors.
uint32_t scene_bits(const ConvertOptions& options) {
  uint32_t bits = output_bits(options);
  if ((bits & kWritesH5) != 0) bits |= other_forms(options);
  return options.build.materials || options.dither || names_by_color(options) ? bits | kColors : bits;
}

RunTraits of_volume(const ConvertOptions& options) {
  const uint32_t bits = output_bits(options) | input_bits(options.kinds[0], options);
  if (bits & kWritesH5) return {(bits & ~kWritesSvdag) | kVolumeBricks | kBricks, "a volume"};
  return {(bits & ~kOfScenes) | kVolumeBricks, "a volume that is written as a dense grid"};
}

RunTraits of_scene_file(const ConvertOptions& options) {
  if (options.kinds[0] == InputKind::Voxels) return {0, "--info of a file of voxels"};
  const SceneFileParts parts = scene_file_parts(options.inputs[0]);
  const bool is_scene = !keeps_bricks(options, parts);
  const std::string what = is_scene ? "a scene file" : "a file of bricks";
  if (!writes_file(options)) return {0, (options.info ? "--info of " : "--verify of ") + what};
  uint32_t bits = output_bits(options);
  if (!is_scene) return {bits & ~(kWritesSvdag | kOfScenes), what};
  bits |= kWholeScene | other_forms(options) | (options.makes_palette ? kMakesPalette : 0u);
  if ((bits & kBricks) != 0) return {bits, "bricks of " + what};
  return {bits, (bits & kHash) != 0 ? "a spatial hash of " + what : what};
}

RunTraits of_meshes(const ConvertOptions& options) {
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    refuse_foreign(options.inputs[i]);
    if (is_cloud(options.kinds[i]))
      throw UsageError(options.inputs[i].string() +
                       " holds points: with meshes they need --res or --voxel-size, for the grid of all");
  }
  return {kMesh | scene_bits(options), "a mesh"};
}

RunTraits of_mixed(const ConvertOptions& options) {
  for (size_t i = 0; i < options.inputs.size(); ++i)
    if (options.kinds[i] != InputKind::RawVolume) refuse_foreign(options.inputs[i]);
  return {kMixed | kVoxels | inputs_bits(options) | scene_bits(options),
          "inputs of different kinds on one grid"};
}

RunTraits traits_of(const ConvertOptions& options) {
  switch (options.conversion) {
    case ConversionKind::Meshes:
      return of_meshes(options);
    case ConversionKind::Points:
      return {(inputs_bits(options) & (kPoints | kSplats | kSizeless)) | scene_bits(options),
              "a cloud of points"};
    case ConversionKind::Voxels:
      return {kVoxels | scene_bits(options), "a file of voxels"};
    case ConversionKind::VolumeScene:
      return {kVolumeScene | input_bits(options.kinds[0], options) | scene_bits(options),
              "a volume that becomes a scene"};
    case ConversionKind::Bricks:
      return of_volume(options);
    case ConversionKind::SceneFile:
      return of_scene_file(options);
    case ConversionKind::Mixed:
      return of_mixed(options);
  }
  return {};
}

void check_volume_materials(const ConvertOptions& options) {
  if (!options.volume_materials) return;
  if (std::ranges::none_of(options.kinds, is_volume))
    throw UsageError("--materials bins and labels are for volumes: they are made of values");
  if (options.conversion != ConversionKind::Mixed && options.conversion != ConversionKind::VolumeScene)
    throw UsageError(
        "--materials has no effect on bricks of a volume: --structure svdag makes a scene of it");
}

void check_lossy(const ConvertOptions& options) {
  if (!options.lossy) return;
  if (!options.names_output)
    throw UsageError("--lossy makes another scene of a scene file: -o says where to");
  if (options.grid.resolution > 0 || options.grid.clip)
    throw UsageError(
        "--lossy goes with neither --res nor --clip, which would change the share of its voxels");
}

void check_space(const ConvertOptions& options) {
  if (!fills_space(options)) return;
  if (options.parts)
    throw UsageError("--parts does not go with --fill and --carve, which look at the whole scene");
  if (options.conversion == ConversionKind::SceneFile && (options.grid.resolution > 0 || options.grid.clip))
    throw UsageError(
        "--fill and --carve of a scene file go with neither --res nor --clip: do that afterwards");
  if (options.conversion == ConversionKind::SceneFile && !options.names_output)
    throw UsageError("--fill and --carve make another scene of a scene file: -o says where to");
}

// Colors are those of surfaces, and one file holds them.
void check_colors(const ConvertOptions& options) {
  if (options.conversion == ConversionKind::SceneFile) {
    if (options.makes_palette && (options.palette_size || options.color_error))
      throw UsageError("--palette-size and --color-error keep colors, of which --materials palette makes 16");
    return;
  }
  if (options.palette_size && !options.build.colors)
    throw UsageError(
        "--palette-size needs --materials colors, mesh or object; other palettes have 16 colors");
  if (names_by_color(options)) {
    if (options.conversion != ConversionKind::Meshes)
      throw UsageError(
          "--palette-size with --materials mesh or object is for meshes alone, without --combine");
    for (const auto& [given, what] : {std::pair(options.palette.has_value(), "--palette"),
                                      {options.palette_weight.has_value(), "--palette-weight"},
                                      {options.paint.has_value(), "--paint"},
                                      {options.color_error.has_value(), "--color-error"},
                                      {options.sdf.has_value(), "--sdf"}})
      if (given)
        throw UsageError(
            fmt::format("{} does not go with --palette-size and --materials mesh or object", what));
  }
  if (options.color_error && !options.build.colors)
    throw UsageError("--color-error needs --materials colors");
  if (options.makes_palette)
    throw UsageError(
        "--materials palette is for scene files with 24-bit colors; texture makes a palette of other inputs");
  if (!options.build.colors) return;
  if (options.conversion != ConversionKind::Meshes && options.conversion != ConversionKind::Points &&
      options.conversion != ConversionKind::Voxels && options.conversion != ConversionKind::Mixed)
    throw UsageError("--materials colors is for meshes, for points and for files of voxels");
  const auto refuse = [&](bool given, const std::string& what) {
    if (given)
      throw UsageError(fmt::format("{} does not go with {} yet: --materials texture{} does",
                                   options.dither ? "--dither" : "--materials colors", what,
                                   options.dither ? " alone" : ""));
  };
  refuse(!options.shells.empty(), "--shell");
  refuse(options.build.solid && options.parts, "--solid and --parts");
  refuse(options.file_version == 1, "--file-version 1");
  if (options.interior && !options.interior->color)
    throw UsageError("with --materials colors there are no numbers: --interior takes a color, #rrggbb");
}

// Scene files are looked at when they are read.
void check_slices(const ConvertOptions& options) {
  if (options.exports.slices.by_material && options.build.colors && !options.dither)
    throw UsageError(
        "--slices-by-material needs materials, and --materials colors makes none: --materials texture makes "
        "16");
}

// Normals are those of one mesh's surface, in one file.
void check_normals(const ConvertOptions& options) {
  if (!options.normals) return;
  if (options.conversion != ConversionKind::Meshes)
    throw UsageError("--normals is for meshes alone, without other inputs and --combine");
  if (options.parts) throw UsageError("--normals and --parts exclude each other: parts hold geometry alone");
  if (is_export_path(options.output)
          ? !export_holds_normals(options.output, options.exports)
          : options.file_version == 1 || options.structure == Structures{.bricks = true})
    throw UsageError(
        "--normals has no effect on this output: an .h5 file of version 2 with voxels, .npz and --ply points "
        "hold normals");
}

void check_devices(const ConvertOptions& options, const RunTraits& run) {
  if (!device::names_several(options.engine.device)) return;
  device::listed_devices(options.engine.device);
  if ((run.bits & (kMesh | kBricks | kHash)) != kMesh)
    throw UsageError("--device names several: they build the SVDAG of a mesh together, all else runs on one");
}

// Only SVDAGs are written in parts.
void check_parts(const ConvertOptions& options, const RunTraits& run) {
  if (!options.parts) return;
  if ((run.bits & kMixed) != 0 || (run.bits & kWritesSvdag) == 0)
    throw UsageError("--parts is for scene files of meshes: all else is written as one file");
  if ((run.bits & (kBricks | kHash)) != 0 || wants_symmetric(options))
    throw UsageError("--parts is for SVDAGs alone: other structures are made of a file afterwards");
  if (options.file_version == 1) throw UsageError("--parts needs --file-version 2");
  if (options.flood || !options.shells.empty())
    throw UsageError(fmt::format("--parts does not go with {}, which looks at the whole scene",
                                 options.flood ? "--inside flood" : "--shell"));
}

void check_holes_out(const ConvertOptions& options) {
  if (options.holes_out && options.conversion != ConversionKind::Meshes)
    throw UsageError("--holes-out is for meshes alone");
  if (options.report && options.conversion != ConversionKind::Meshes)
    throw UsageError("--report is for meshes alone");
}

void check_combine(const ConvertOptions& options) {
  if (!options.combine) return;
  if (options.kinds != std::vector{InputKind::Mesh, InputKind::Mesh})
    throw UsageError("--combine is for two meshes");
  if (options.conversion != ConversionKind::Mixed)
    throw UsageError("--combine needs a grid for both meshes: --res or --voxel-size");
  if (options.build.solid)
    throw UsageError(
        "--combine is for surfaces, without --solid: solid scenes are combined by vox-edit (union, "
        "intersect, subtract)");
  if (options.build.coverage != scene::Coverage::Conservative)
    throw UsageError("--combine needs --coverage conservative: no path leads through a thick surface");
  if (options.grid.clip)
    throw UsageError("--combine looks at whole meshes: --clip cuts a part out of the scene file afterwards");
  if (options.paint) throw UsageError("--paint is for one mesh, without --combine");
}

// Scene files are looked at when they are read.
void check_symmetric(const ConvertOptions& options) {
  if (!wants_symmetric(options) || options.conversion == ConversionKind::SceneFile) return;
  if (options.build.materials)
    throw UsageError("--structure symmetric holds geometry alone: it needs --materials colors or none");
  if (options.build.colors && (wants_bricks(options) || wants_hash(options)))
    throw UsageError("--structure symmetric goes with bricks and hashes if there are no materials");
}

// A file that is read is replaced only where the command line says so.
void check_default_output(const ConvertOptions& options, const RunTraits& run) {
  if (options.names_output || (run.bits & kWrites) == 0) return;
  for (const std::filesystem::path& input : options.inputs) {
    if (same_file(options.output, input))
      throw UsageError(
          fmt::format("without -o, the output would replace the input '{}': name another file with -o",
                      options.output.string()));
  }
}

void check_palette_files(const ConvertOptions& options) {
  check_different({{"--palette", options.palette},
                   {"--palette-out", options.palette_out},
                   {"--materials-out", options.materials_out},
                   {"--report", options.report}});
}

}  // namespace

Option lossy_option() {
  return option("lossy", "SHARE%", {{kWholeScene, "it is for scene files without materials"}},
                "Make a smaller scene of a scene file without materials: rare nodes become the nearest "
                "common ones, and at most this share of the voxels changes, such as 1%.");
}

void check_given(const ConvertOptions& options) {
  check_volume_materials(options);
  check_colors(options);
  check_normals(options);
  check_lossy(options);
  check_space(options);
  const RunTraits run = traits_of(options);
  check_effects(options.given, run);
  check_default_output(options, run);
  check_devices(options, run);
  check_slices(options);
  check_parts(options, run);
  check_distances(options);
  check_symmetric(options);
  check_combine(options);
  check_holes_out(options);
  check_palette_files(options);
}

}  // namespace vox
