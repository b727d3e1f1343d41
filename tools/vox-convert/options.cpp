#include "tools/vox-convert/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/file_names.h"
#include "formats/file_types.h"
#include "formats/images/palette_file.h"
#include "formats/scene/scene_file.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/table_list.h"
#include "tools/common/bricks_options.h"
#include "tools/common/device_options.h"
#include "tools/common/option_values.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/described_options.h"
#include "tools/vox-convert/spilling.h"

namespace vox {
namespace {

uint32_t parse_resolution(const std::string& text) {
  const uint64_t value = parse_count(text, "--res");
  if (value < voxelize::kMinResolution || value > voxelize::kMaxResolution)
    throw UsageError(fmt::format("--res is {}, expected {} to {} (1M)", text, voxelize::kMinResolution,
                                 voxelize::kMaxResolution));
  return static_cast<uint32_t>(value);
}

void read_grid(const cxxopts::ParseResult& parsed, ConvertOptions& options) {
  if (parsed.count("res") && parsed.count("voxel-size"))
    throw UsageError("--res and --voxel-size exclude each other");
  if (parsed.count("res")) options.grid.resolution = parse_resolution(parsed["res"].as<std::string>());
  if (parsed.count("voxel-size")) {
    options.grid.voxel_size = parse_number(parsed["voxel-size"].as<std::string>(), "--voxel-size");
    if (options.grid.voxel_size <= 0) throw UsageError("--voxel-size must be greater than 0");
  }
  if (parsed.count("clip")) options.grid.clip = parse_box(parsed["clip"].as<std::string>(), "clip");
  options.grid.center = parsed.count("center") > 0;
  options.grid.snap = parsed.count("snap-origin") > 0;
}

// The paths that an option is given, or that stand alone. They are not read as one list of values, since
// cxxopts would cut a name at its commas.
std::vector<std::filesystem::path> named_paths(const cxxopts::ParseResult& parsed, std::string_view option) {
  std::vector<std::filesystem::path> paths;
  for (const cxxopts::KeyValue& argument : parsed.arguments())
    if (argument.key() == option) paths.emplace_back(argument.value());
  return paths;
}

void read_mesh_options(const cxxopts::ParseResult& parsed, MeshOptions& options) {
  options.up = parse_choice<std::optional<dag::UpAxis>>(
      parsed, "up",
      {{"file", std::nullopt}, {"x", dag::UpAxis::X}, {"y", dag::UpAxis::Y}, {"z", dag::UpAxis::Z}});
  options.units =
      parse_choice<MeshUnits>(parsed, "units", {{"file", MeshUnits::File}, {"keep", MeshUnits::Keep}});
  options.texture_paths = named_paths(parsed, "texture-path");
  if (parsed.count("allow-outside") > 0) options.outside = OutsideFiles::Read;
  for (const auto& path : options.texture_paths) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed))
      throw UsageError(fmt::format("--texture-path is '{}', which is not a folder", path.string()));
  }
}

void read_point_options(const cxxopts::ParseResult& parsed, ConvertOptions& options) {
  options.points.up = options.mesh.up;
  options.point_radius = parse_number(parsed["point-radius"].as<std::string>(), "--point-radius");
  if (options.point_radius < 0)
    throw UsageError(fmt::format("--point-radius is {}, expected 0 or more", options.point_radius));
  options.points.splat_opacity = parse_number(parsed["splat-opacity"].as<std::string>(), "--splat-opacity");
  if (!(options.points.splat_opacity >= 0 && options.points.splat_opacity < 1))
    throw UsageError(fmt::format("--splat-opacity is {}, expected 0 or more and less than 1",
                                 options.points.splat_opacity));
}

std::optional<uint32_t> read_channel(const cxxopts::ParseResult& parsed) {
  if (!parsed.count("channel")) return std::nullopt;
  const uint64_t channel = parse_count(parsed["channel"].as<std::string>(), "--channel");
  return static_cast<uint32_t>(std::min<uint64_t>(channel, UINT32_MAX));
}

// Of bins and labels, with or without a number; none for all else.
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

std::filesystem::path parse_palette_out(const cxxopts::ParseResult& parsed, scene::MaterialMode materials) {
  if (materials == scene::MaterialMode::None)
    throw UsageError("--palette-out needs --materials texture or mesh");
  std::filesystem::path path = parsed["palette-out"].as<std::string>();
  if (!is_palette_path(path))
    throw UsageError(fmt::format("--palette-out is '{}', expected a name that ends in {}", path.string(),
                                 palette_extensions()));
  return path;
}

double parse_palette_weight(const cxxopts::ParseResult& parsed, const ConvertOptions& options) {
  if (options.materials != scene::MaterialMode::Texture)
    throw UsageError("--palette-weight needs --materials texture: of other materials nothing is weighed");
  if (options.palette)
    throw UsageError("--palette-weight needs --palette auto: the colours of a file are taken as they are");
  const auto text = parsed["palette-weight"].as<std::string>();
  if (text == "area") return 1;
  if (text == "even") return 0;
  const double weight = parse_number(text, "--palette-weight, neither area nor even,");
  if (weight < 0 || weight > 1)
    throw UsageError(
        fmt::format("--palette-weight is '{}', expected area, even or a number from 0 to 1", text));
  return weight;
}

void read_painting(const cxxopts::ParseResult& parsed, ConvertOptions& options) {
  if (!parsed.count("paint")) {
    if (parsed.count("paint-size"))
      throw UsageError("--paint-size needs --paint, which says what is painted");
    return;
  }
  options.paint = parsed["paint"].as<std::string>();
  if (options.materials != scene::MaterialMode::Texture)
    throw UsageError("--paint needs --materials texture: what is painted are colours of the surface");
  const auto text = parsed["paint-size"].as<std::string>();
  const uint64_t size = parse_count(text, "--paint-size");
  if (size < 1 || size > painting::kMostSize)
    throw UsageError(fmt::format("--paint-size is {}, expected 1 to {} (64K)", text, painting::kMostSize));
  options.painting.size = static_cast<uint32_t>(size);
}

void read_optimize(const std::string& text, ConvertOptions& options) {
  constexpr std::string_view kBalanced = "balanced=";
  if (text == "memory") {
    options.optimize = measure::Optimize::Memory;
  } else if (text == "speed") {
    options.optimize = measure::Optimize::Speed;
  } else if (text == "balanced" || text.starts_with(kBalanced)) {
    options.optimize = measure::Optimize::Balanced;
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
    if (name != "svdag" && name != "both" && name != "bricks" && name != "hash")
      throw UsageError(
          fmt::format("--structure is '{}', expected one of: svdag, bricks, both, hash; or several", text));
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

void read_resume(const cxxopts::ParseResult& parsed, ConvertOptions& options) {
  if (parsed.count("keep-every") && !parsed.count("resume"))
    throw UsageError("--keep-every needs --resume, without which nothing is kept");
  if (!parsed.count("resume")) return;
  const auto text = parsed["keep-every"].as<std::string>();
  options.resume = parse_number(text, "--keep-every");
  if (!(*options.resume >= 0))
    throw UsageError(fmt::format("--keep-every is '{}', expected 0 seconds or more", text));
}

spatial::HashOptions read_hash_options(const cxxopts::ParseResult& parsed) {
  spatial::HashOptions options;
  const auto text = parsed["load-factor"].as<std::string>();
  options.load_factor = parse_number(text, "--load-factor");
  if (!(options.load_factor > 0 && options.load_factor <= 1))
    throw UsageError(fmt::format("--load-factor is '{}', expected a number above 0 and at most 1", text));
  options.layout = parse_choice<spatial::KeyLayout>(
      parsed, "key-layout", {{"morton", spatial::KeyLayout::Morton}, {"linear", spatial::KeyLayout::Linear}});
  return options;
}

}  // namespace

ConvertOptions parse_convert_options(int argc, char** argv) {
  cxxopts::Options description = described_options();
  CommonOptions common;
  const cxxopts::ParseResult parsed =
      parse_command_line(description, argc, argv, common,
                         {"Files", "Meshes", "Points", "Grid", "Voxels", "Painting", "Structures", "Bricks",
                          "Volumes", "Device"});
  ConvertOptions options;
  options.json = common.json;
  options.compression = parse_compression(parsed["compression"].as<std::string>());
  options.file_version = parse_choice<uint32_t>(parsed, "file-version", {{"1", 1}, {"2", 2}});
  options.parts = parsed.count("parts") > 0;
  read_resume(parsed, options);
  options.command = command_text(argc, argv);
  options.given = common.given;
  options.overwrite = common.overwrite;
  if (parsed.count("binvox-materials") > 0) options.exports.binvox = BinvoxValues::Materials;
  options.exports.ply = parse_choice<PlyContent>(
      parsed, "ply", {{"surface", PlyContent::Surface}, {"points", PlyContent::Points}});
  options.exports.vtk =
      parse_choice<VtkKind>(parsed, "vtk", {{"image", VtkKind::Image}, {"amr", VtkKind::Amr}});
  options.exports.nvdb = parse_choice<NvdbGrid>(parsed, "nvdb-grid",
                                                {{"u8", NvdbGrid::U8},
                                                 {"rgba", NvdbGrid::Rgba},
                                                 {"index", NvdbGrid::Index},
                                                 {"onindex", NvdbGrid::OnIndex}});
  if (!parsed.count("inputs")) throw UsageError("no input file named");
  options.inputs = named_paths(parsed, "inputs");
  options.verify = parsed.count("verify") > 0;
  options.info = parsed.count("info") > 0;
  read_grid(parsed, options);
  read_mesh_options(parsed, options.mesh);
  read_point_options(parsed, options);
  options.volume_materials = parse_volume_materials(parsed["materials"].as<std::string>());
  if (!options.volume_materials)
    options.materials = parse_choice<scene::MaterialMode>(parsed, "materials",
                                                          {{"texture", scene::MaterialMode::Texture},
                                                           {"mesh", scene::MaterialMode::Mesh},
                                                           {"none", scene::MaterialMode::None},
                                                           {"bins", scene::MaterialMode::Texture},
                                                           {"labels", scene::MaterialMode::Texture}});
  if (const auto palette = parsed["palette"].as<std::string>(); palette != "auto") options.palette = palette;
  if (parsed.count("palette-weight")) options.palette_weight = parse_palette_weight(parsed, options);
  if (parsed.count("palette-out")) options.palette_out = parse_palette_out(parsed, options.materials);
  read_painting(parsed, options);
  options.build.coverage = parse_choice<scene::Coverage>(
      parsed, "coverage", {{"conservative", scene::Coverage::Conservative}, {"thin", scene::Coverage::Thin}});
  options.build.solid = parsed.count("solid") > 0;
  options.build.materials = options.materials != scene::MaterialMode::None;
  options.raw = read_raw_options(parsed);
  options.channel = read_channel(parsed);
  options.bricks = read_bricks_options(parsed);
  read_optimize(parsed["optimize"].as<std::string>(), options);
  if (parsed.count("structure")) options.structure = parse_structures(parsed["structure"].as<std::string>());
  options.hash = read_hash_options(parsed);
  options.engine = read_device_options(parsed);
  if (parsed.count("spill")) options.spill = parse_spill(parsed["spill"].as<std::string>());
  options.engine.table = parse_name(parsed, "table", hash::table_names());

  options.names_output = parsed.count("output") > 0;
  options.output = options.names_output ? std::filesystem::path(parsed["output"].as<std::string>())
                                        : scene_file_name(options.inputs[0]);
  if (parsed.count("output") && !has_role(options.output, FileRole::Scene) && !is_export_path(options.output))
    throw UsageError(fmt::format("-o is '{}', expected a name that ends in {}", options.output.string(),
                                 output_extensions()));
  return options;
}

}  // namespace vox
