#include "tools/vox-convert/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/file_types.h"
#include "formats/images/image.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

void read_grid(const CommandLine& arguments, ConvertOptions& options) {
  if (arguments.has("res") && arguments.has("voxel-size"))
    throw UsageError("--res and --voxel-size exclude each other");
  if (arguments.has("res")) options.grid.resolution = arguments.whole("res");
  if (arguments.has("voxel-size")) {
    const GivenSize given = parse_sides(arguments.text("voxel-size"), "--voxel-size");
    options.grid.voxel_size = given.size;
    options.grid_in_meters = given.in_meters;
  }
  if (arguments.has("clip")) options.grid.clip = arguments.box("clip");
  options.grid.center = arguments.has("center");
  options.grid.snap = arguments.has("snap-origin");
}

double meters_in(const std::string& unit) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"um", 1e-6}, {"mm", 1e-3},   {"cm", 1e-2},
                                                            {"m", 1},     {"in", 0.0254}, {"ft", 0.3048}};
  for (const auto& [name, meters] : kUnits)
    if (unit == name) return meters;
  return 1;
}

void read_mesh_options(const CommandLine& arguments, MeshOptions& options) {
  options.up = arguments.choice<std::optional<dag::UpAxis>>(
      "up", {std::nullopt, dag::UpAxis::X, dag::UpAxis::Y, dag::UpAxis::Z});
  const std::string units = arguments.text("units");
  options.units = units == "file" ? MeshUnits::File : MeshUnits::Keep;
  if (units != "file" && units != "keep") options.meters_per_unit = meters_in(units);
  options.texture_paths = arguments.paths("texture-path");
  if (arguments.has("allow-outside")) options.outside = OutsideFiles::Read;
  for (const auto& path : options.texture_paths) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed))
      throw UsageError(fmt::format("--texture-path is '{}', which is not a folder", path.string()));
  }
}

std::optional<double> parse_radius(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const double radius = parse_number(text, "--point-radius, which is not auto,");
  if (radius < 0) throw UsageError(fmt::format("--point-radius is '{}', expected 0 or more, or auto", text));
  return radius;
}

void read_point_options(const CommandLine& arguments, ConvertOptions& options) {
  options.points.up = options.mesh.up;
  options.point_radius = parse_radius(arguments.text("point-radius"));
  options.points.splats = arguments.choice("splats", {SplatUse::Density, SplatUse::Centers});
  options.points.splat_opacity = arguments.number("splat-opacity");
}

std::optional<uint32_t> read_channel(const CommandLine& arguments) {
  const auto channel = arguments.given_count("channel");
  if (!channel) return std::nullopt;
  return static_cast<uint32_t>(std::min<uint64_t>(*channel, UINT32_MAX));
}

// Reads bins and labels, with or without a number; returns nothing for other words.
std::optional<VolumeMaterials> parse_volume_materials(const std::string& text) {
  using Kind = VolumeMaterials::Kind;
  const std::string name = text.substr(0, text.find(':'));
  if (name != "bins" && name != "labels") return std::nullopt;
  VolumeMaterials materials = {.kind = name == "bins" ? Kind::Bins : Kind::Labels};
  if (name == text) return materials;
  const uint64_t count = parse_count(text.substr(name.size() + 1), "--materials " + name);
  const uint64_t least = materials.kind == Kind::Bins ? 1 : 2;
  if (count < least || count > scene::kPaletteSize)
    throw UsageError(fmt::format("--materials is '{}', expected {}:{} to {}:{}", text, name, least, name,
                                 scene::kPaletteSize));
  materials.count = static_cast<uint32_t>(count);
  return materials;
}

std::filesystem::path parse_palette_out(const CommandLine& arguments, scene::MaterialMode materials) {
  if (materials == scene::MaterialMode::None || materials == scene::MaterialMode::Colors)
    throw UsageError("--palette-out needs --materials texture, mesh or object");
  if (arguments.has("palette-size"))
    throw UsageError("--palette-out writes 16 colors at most: --materials-out lists more names");
  std::filesystem::path path = arguments.text("palette-out");
  if (!is_palette_path(path))
    throw UsageError(fmt::format("--palette-out is '{}', expected a name that ends in {}", path.string(),
                                 palette_extensions()));
  return path;
}

std::filesystem::path parse_materials_out(const CommandLine& arguments, const ConvertOptions& options) {
  if (options.materials == scene::MaterialMode::None || options.materials == scene::MaterialMode::Colors)
    throw UsageError("--materials-out needs --materials texture, mesh or object");
  std::filesystem::path path = arguments.text("materials-out");
  if (!has_role(path, FileRole::MaterialList))
    throw UsageError(
        fmt::format("--materials-out is '{}', expected a name that ends in .json", path.string()));
  return path;
}

std::filesystem::path parse_assign(const CommandLine& arguments, const ConvertOptions& options) {
  if (!has_named_entries(options.materials))
    throw UsageError("--assign gives numbers to names: it needs --materials mesh or object");
  if (options.palette)
    throw UsageError("--assign needs --palette auto: materials have the colors of the mesh");
  return arguments.text("assign");
}

double parse_palette_weight(const CommandLine& arguments, const ConvertOptions& options) {
  if (options.materials != scene::MaterialMode::Texture)
    throw UsageError("--palette-weight needs --materials texture: other materials have no weights");
  if (options.palette || options.dither)
    throw UsageError("--palette-weight needs --palette auto: the colors of a file are used as they are");
  const auto text = arguments.text("palette-weight");
  if (text == "area") return 1;
  if (text == "even") return 0;
  const double weight = parse_number(text, "--palette-weight, neither area nor even,");
  if (weight < 0 || weight > 1)
    throw UsageError(
        fmt::format("--palette-weight is '{}', expected area, even or a number from 0 to 1", text));
  return weight;
}

void read_painting(const CommandLine& arguments, ConvertOptions& options) {
  if (!arguments.has("paint")) {
    if (arguments.has("paint-size"))
      throw UsageError("--paint-size needs --paint, which says what is painted");
    return;
  }
  options.paint = arguments.text("paint");
  if (options.materials != scene::MaterialMode::Texture)
    throw UsageError("--paint needs --materials texture: it paints colors of the surface");
  options.painting.size = arguments.whole("paint-size");
}

std::optional<uint32_t> parse_levels(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const uint64_t levels = parse_count(text, "--levels");
  if (levels > bricks::kMostLevels)
    throw UsageError(fmt::format("--levels is '{}', expected 0 to {} or auto", text, bricks::kMostLevels));
  return static_cast<uint32_t>(levels);
}

void read_optimize(const std::string& text, ConvertOptions& options) {
  constexpr std::string_view kBalanced = "balanced=";
  if (text == "memory") {
    options.optimize = bricks::Optimize::Memory;
  } else if (text == "speed") {
    options.optimize = bricks::Optimize::Speed;
  } else if (text == "balanced" || text.starts_with(kBalanced)) {
    options.optimize = bricks::Optimize::Balanced;
    if (text != "balanced")
      options.slope = parse_number(text.substr(kBalanced.size()), "--optimize balanced");
    if (options.slope < 0)
      throw UsageError(fmt::format("--optimize is '{}', expected a slope of 0 or more", text));
  } else {
    throw UsageError(
        fmt::format("--optimize is '{}', expected memory, speed, balanced or balanced=SLOPE", text));
  }
}

Structures parse_structures(const std::string& text) {
  Structures structures;
  for (const std::string_view name : comma_separated(text)) {
    if (name == "svdag" || name == "both") structures.dag = true;
    if (name == "bricks" || name == "both") structures.bricks = true;
    if (name == "hash") structures.hash = true;
    if (name == "symmetric") structures.symmetric = true;
    if (name != "svdag" && name != "both" && name != "bricks" && name != "hash" && name != "symmetric")
      throw UsageError(fmt::format(
          "--structure is '{}', expected one of: svdag, bricks, both, hash, symmetric; or several", text));
  }
  return structures;
}

Compression parse_compression(const std::string& text) {
  if (text == "none") return {.method = Compression::Method::None};
  if (text == "zstd") return {.method = Compression::Method::Zstd};
  if (text.size() != 1 || text[0] < '0' + kFastestDeflate || text[0] > '0' + kSmallestDeflate)
    throw UsageError(fmt::format("--compression is '{}', expected none, {} to {}, or zstd", text,
                                 kFastestDeflate, kSmallestDeflate));
  return {.level = text[0] - '0'};
}

void read_resume(const CommandLine& arguments, ConvertOptions& options) {
  if (arguments.has("keep-every") && !arguments.has("resume"))
    throw UsageError("--keep-every needs --resume, without which nothing is kept");
  if (!arguments.has("resume")) return;
  options.resume = arguments.number("keep-every");
}

spatial::HashOptions read_hash_options(const CommandLine& arguments) {
  spatial::HashOptions options;
  options.load_factor = arguments.number("load-factor");
  options.layout =
      arguments.choice("key-layout", {spatial::CellKeyLayout::Morton, spatial::CellKeyLayout::Linear});
  return options;
}

scene::MaterialMode parse_materials(const std::string& text) {
  const auto found = std::ranges::find(kMaterialModes, text);
  if (found != kMaterialModes.end()) return static_cast<scene::MaterialMode>(found - kMaterialModes.begin());
  throw UsageError(fmt::format(
      "--materials is '{}', expected one of: texture, mesh, object, colors, palette, none, bins, labels",
      text));
}

// Reads "1%" as 0.01.
double parse_share(const std::string& text) {
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, percent);
  if (problem != std::errc() || last + 1 != end || *last != '%' || !(percent > 0 && percent <= 100))
    throw UsageError(
        fmt::format("--lossy is '{}', expected a share above 0% and at most 100%, such as 1%", text));
  return percent / 100;
}

EarthPlace read_place(const CommandLine& arguments) {
  const std::vector<double> n = arguments.numbers("origin", 3, "latitude,longitude,height");
  if (!(std::abs(n[0]) <= 90 && std::abs(n[1]) <= 180 && std::abs(n[2]) <= 1e7))
    throw UsageError(
        fmt::format("--origin is '{}', expected a latitude of -90 to 90, a longitude of -180 to 180, and a "
                    "height of at most 10,000 km",
                    arguments.text("origin")));
  return {n[0], n[1], n[2]};
}

ExportOptions read_export_options(const CommandLine& arguments) {
  ExportOptions exports;
  if (arguments.has("binvox-materials")) exports.binvox = BinvoxValues::Materials;
  exports.ply = arguments.choice("ply", {PlyContent::Surface, PlyContent::Points});
  exports.slices.axis = arguments.choice<std::optional<uint32_t>>("slices", {std::nullopt, 0, 1, 2});
  exports.slices.by_material = arguments.has("slices-by-material");
  exports.raw.fastest = arguments.choice("order", {RawLayout::Fastest::X, RawLayout::Fastest::Z});
  exports.raw.bits = arguments.choice<uint32_t>("bits", {1, 8, 16});
  if (arguments.has("origin")) exports.origin = read_place(arguments);
  if (arguments.has("pieces")) exports.pieces.side = arguments.whole("pieces");
  exports.vtk = arguments.choice("vtk", {VtkKind::Image, VtkKind::Amr});
  exports.nvdb = arguments.choice<std::optional<NvdbGrid>>(
      "nvdb-grid", {std::nullopt, NvdbGrid::U8, NvdbGrid::Rgba, NvdbGrid::Index, NvdbGrid::OnIndex});
  return exports;
}

void read_output(const CommandLine& arguments, ConvertOptions& options) {
  options.names_output = arguments.has("output");
  options.output = options.names_output ? std::filesystem::path(arguments.text("output"))
                                        : scene_file_name(options.inputs[0]);
  if (options.names_output && !has_role(options.output, FileRole::Scene) && !is_export_path(options.output))
    throw UsageError(fmt::format("-o is '{}', expected a name that ends in {}", options.output.string(),
                                 output_extensions()));
}

// Volumes become scenes if --structure asks for an SVDAG or a spatial hash, or the output has a format that holds
// scenes.
bool makes_scene_of_volume(const ConvertOptions& options) {
  if (is_export_path(options.output)) return !is_dense_grid(options.output);
  return options.structure &&
         (options.structure->dag || options.structure->hash || options.structure->symmetric);
}

// The first of several inputs decides if they have no common grid. A file that is to be shown, or verified without a
// grid, is taken for a scene file, whose reader says if it is none.
ConversionKind decided_conversion(const ConvertOptions& options) {
  const auto is_mesh = [](InputKind kind) { return kind == InputKind::Mesh; };
  const bool has_grid = options.grid.resolution > 0 || options.grid.has_voxel_size();
  const bool has_shapes = options.points.splats == SplatUse::Density;
  const auto splats = std::ranges::count(options.kinds, InputKind::Splats);
  const bool is_one_cloud = std::ranges::all_of(options.kinds, is_cloud) &&
                            (!has_shapes || splats == 0 || splats == std::ssize(options.kinds));
  const bool of_one_kind = std::ranges::all_of(options.kinds, is_mesh) || is_one_cloud;
  if (options.inputs.size() > 1 && has_grid && !options.info && (options.combine || !of_one_kind))
    return ConversionKind::Mixed;
  const InputKind kind = options.kinds[0];
  if (is_volume(kind))
    return makes_scene_of_volume(options) ? ConversionKind::VolumeScene : ConversionKind::Bricks;
  if (options.info) return ConversionKind::SceneFile;
  if (kind == InputKind::Voxels) return ConversionKind::Voxels;
  if (kind == InputKind::Scene || (options.verify && !has_grid)) return ConversionKind::SceneFile;
  return is_cloud(kind) ? ConversionKind::Points : ConversionKind::Meshes;
}

}  // namespace

ConvertOptions read_convert_options(const CommandLine& arguments) {
  ConvertOptions options;
  options.json = arguments.json();
  options.overwrite = arguments.overwrite();
  options.given = arguments.given_options();
  options.command = arguments.command();
  options.compression = parse_compression(arguments.text("compression"));
  options.file_version = arguments.choice<uint32_t>("file-version", {1, 2});
  options.parts = arguments.has("parts");
  read_resume(arguments, options);
  options.exports = read_export_options(arguments);
  if (!arguments.has("inputs")) throw UsageError("no input file named");
  options.inputs = arguments.paths("inputs");
  options.verify = arguments.has("verify");
  options.info = arguments.has("info");
  read_grid(arguments, options);
  read_mesh_options(arguments, options.mesh);
  read_point_options(arguments, options);
  options.volume_materials = parse_volume_materials(arguments.text("materials"));
  if (arguments.has("palette-size")) options.palette_size = arguments.whole("palette-size");
  options.color_error = arguments.given_number("color-error");
  if (const auto share = arguments.given("lossy")) options.lossy = parse_share(*share);
  options.makes_palette = arguments.text("materials") == "palette";
  options.normals = arguments.has("normals");
  options.dither = arguments.has("dither");
  if (!options.volume_materials && !options.makes_palette)
    options.materials = parse_materials(arguments.text("materials"));
  if (const auto palette = arguments.text("palette"); palette != "auto") options.palette = palette;
  if (arguments.has("palette-weight")) options.palette_weight = parse_palette_weight(arguments, options);
  if (arguments.has("palette-out")) options.palette_out = parse_palette_out(arguments, options.materials);
  if (arguments.has("materials-out")) options.materials_out = parse_materials_out(arguments, options);
  if (arguments.has("assign")) options.assign = parse_assign(arguments, options);
  if (options.materials == scene::MaterialMode::Object) options.mesh.objects = MeshObjects::Apart;
  read_painting(arguments, options);
  options.build.coverage =
      arguments.choice("coverage", {scene::Coverage::Conservative, scene::Coverage::Thin});
  read_insides(arguments, options);
  if (arguments.has("combine"))
    options.combine = static_cast<voxelize::Combination>(arguments.word("combine"));
  if (options.dither && !options.makes_palette) {
    if (options.materials != scene::MaterialMode::Texture)
      throw UsageError("--dither mixes colors from a palette: it needs --materials texture or palette");
    options.materials = scene::MaterialMode::Colors;  // until a palette takes their place
  }
  options.build.colors = options.materials == scene::MaterialMode::Colors || names_by_color(options);
  options.build.materials = options.materials != scene::MaterialMode::None && !options.build.colors;
  options.raw = read_raw_options(arguments);
  options.channel = read_channel(arguments);
  options.bricks = read_bricks_options(arguments);
  read_optimize(arguments.text("optimize"), options);
  options.levels = parse_levels(arguments.text("levels"));
  if (arguments.has("structure")) options.structure = parse_structures(arguments.text("structure"));
  options.hash = read_hash_options(arguments);
  options.engine = read_device_options(arguments);
  if (arguments.has("spill")) options.spill = parse_spill(arguments.text("spill"));
  options.engine.table = arguments.text_of_word("table");
  read_output(arguments, options);
  for (const std::filesystem::path& input : options.inputs) check_exists(input);
  options.kinds = kinds_of_inputs(options.inputs, options.raw);
  options.conversion = decided_conversion(options);
  if (options.grid_in_meters && options.conversion != ConversionKind::Meshes)
    throw UsageError("--voxel-size has a unit, which is for meshes: give the number in scene units");
  if (!options.shells.empty() && options.shells[0].in_meters && options.conversion != ConversionKind::Meshes)
    throw UsageError("--shell has a unit, which is for meshes alone: give depths in voxels");
  return options;
}

}  // namespace vox
