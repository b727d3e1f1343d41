#include "tools/vox-convert/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formats/file_names.h"
#include "formats/file_types.h"
#include "formats/images/palette_file.h"
#include "formats/scene/scene_file.h"
#include "formats/script/stroke_script.h"
#include "formats/voxels/export.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/hash/table_list.h"
#include "tools/common/bricks_options.h"
#include "tools/common/device_options.h"
#include "tools/common/option_values.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/spilling.h"

namespace vox {
namespace {

constexpr const char* kAbout =
    R"(Turns textured meshes into a sparse voxel DAG with a palette of 16 materials, and volumes into hybrid bricks.

Reads meshes: {}; volumes: {}; other programs' voxels: {}; points: {}; and scene files ({}) of its own.
Writes scene files, and by the extension of -o also {} of scenes.
Surfaces of a glTF show their base colour plus their emission; what moves is shown in its rest pose.

Examples:
  vox-convert house.obj --res 4K                        house.h5, 4096 voxels along its longest side
  vox-convert house.glb --res 64K --device cuda         the same on a GPU, 65536 voxels
  mpirun -n 4 vox-convert house.glb --res 256K          four processes, a GPU each (docs/ranks.md)
  vox-convert a.obj b.obj --voxel-size 0.01 -o ab.h5    two meshes on one grid, voxels of 0.01 units
  vox-convert a.xyz b.xyz --voxel-size 0.1 -o ab.h5     two files of points on one grid
  vox-convert land.vox house.obj --res 2K -o all.h5     voxels and a mesh over them, on one grid
  vox-convert house.h5 -o house.vox                     for MagicaVoxel
  vox-convert house.h5 -o house.glb                     the faces of its voxels as a mesh
  vox-convert house.h5 --res 1K -o small.h5             a coarser level: half, a quarter, …
  vox-convert house.h5 --info                           what is in it
  vox-convert --verify house.h5                         check every pointer, the counts, the digest
  vox-convert ct_64x64x93_uint16.raw --threshold 0.08   bricks of a volume, without the lowest 8 %
  vox-convert ct.nrrd --structure svdag -o bones.h5     a volume as a scene: bins of its values, or labels
  vox-convert house.h5 --structure bricks -o bricks.h5  bricks of a scene's materials
  vox-convert house.h5 --structure svdag,hash           a spatial hash of its voxels beside the DAG
  vox-convert house.obj --res 4K --spill host           where the DAG is larger than the device's memory
  vox-convert house.obj --res 4K --paint strokes.txt    what the script paints on it comes before its textures

{})";

std::string about() {
  return fmt::format(kAbout, listed_names(FileRole::Mesh, FileUse::Read, FileList::And),
                     listed_extensions(FileRole::Volume, FileUse::Read, FileList::Commas),
                     listed_extensions(FileRole::Voxels, FileUse::Read, FileList::Commas),
                     listed_extensions(FileRole::Points, FileUse::Read, FileList::Commas),
                     listed_extensions(FileRole::Scene, FileUse::Read, FileList::Commas),
                     listed_extensions(FileRole::Export, FileUse::Written, FileList::And),
                     stroke_script_help());
}

// The extensions that -o may have: ".h5, .nrrd, … or .vtkhdf".
std::string output_extensions() {
  return listed_extensions(FileRole::Scene, FileUse::Written, FileList::Commas) + ", " +
         listed_extensions(FileRole::Export, FileUse::Written, FileList::Or);
}

cxxopts::Options describe() {
  cxxopts::Options options("vox-convert", about());
  options.custom_help("INPUT... (--res N | --voxel-size S) [options]").positional_help("").set_width(100);
  auto text = [] { return cxxopts::value<std::string>(); };
  auto preset = [](const char* value) { return cxxopts::value<std::string>()->default_value(value); };
  options.add_options("Files")("inputs", "Meshes, points, volumes, files of voxels and scene files",
                               cxxopts::value<std::vector<std::string>>(), "FILE")(
      "o,output",
      fmt::format("Where to: {} (default: the first INPUT's name with .h5, in the current folder)",
                  output_extensions()),
      text(),
      "FILE")("compression",
              "Of what is written as .h5: none; 1 (fast) to 9 (small): deflate; zstd: where HDF5 finds "
              "a plugin for it, which all need who read the file",
              preset("1"), "HOW")(
      "file-version",
      "Of an SVDAG that is written as .h5: 1 is for older programs, and has less than 2^32 words a level",
      preset("2"), "1|2")(
      "parts",
      "Of a scene of meshes: each process, or device of a list, writes what it holds into a file of its own "
      "in NAME.parts/ beside NAME.h5, and nothing is brought together (docs/ranks.md)")(
      "resume",
      "Of scenes of meshes: keep in NAME.parts/ what has been built, so that the same "
      "command goes on from there when it was ended; with nothing kept, it begins anew (docs/ranks.md)")(
      "keep-every", "With --resume: keep it each time after so many seconds", preset("120"), "SECONDS")(
      "info", "Show what a scene file says of itself; --verify also looks whether it is true")(
      "binvox-materials", "In a .binvox file, say of filled voxels which material they are, as version 2")(
      "nvdb-grid",
      "Of a .nvdb file what a voxel holds: u8: its material + 1 (Fp8, whole numbers); rgba: its colour; "
      "index: its number in an array of materials, the smallest file, for NanoVDB before 32.6; onindex: the "
      "same for 32.6 and newer (OpenVDB 11)",
      preset("u8"), "u8|rgba|index|onindex")(
      "ply",
      "Of a .ply file: surface: the faces of the voxels, as .obj and .glb hold them; points: the middles of "
      "the voxels, with normals of the surface",
      preset("surface"),
      "surface|points")("vtk", "Of a .vtkhdf file: image: a dense grid; amr: boxes where voxels are",
                        preset("image"), "image|amr")(
      "verify",
      "Check a scene file: every pointer, the counts, the digest, that bricks and a spatial hash hold the "
      "DAG's voxels; "
      "of what is converted: read it back and compare");
  options.add_options("Grid")(
      "r,res",
      "Voxels along the longest side, 4 to 1M: 4096, 4K, 64K or 2^16; of a scene file half as many as it "
      "has, a "
      "quarter, ...: a voxel is filled where any in it is, with the material of most of these",
      text(), "N")("voxel-size", "Instead of --res: the side of a voxel in scene units", text(), "S")(
      "clip", "Only this box, in scene units; the grid spans it, or, of a scene file, the export", text(),
      "X0,Y0,Z0,X1,Y1,Z1")("center",
                           "Centre the shorter sides in the cube instead of starting at its corner")(
      "snap-origin",
      "Start the grid at a multiple of the voxel size, so that tiles converted apart with one --voxel-size "
      "fit together");
  options.add_options("Meshes")(
      "up",
      "The axis that points up, x, y or z, whatever the file says; it is turned to y; "
      "file: as it says (COLLADA, FBX; LAS: z), y where it says nothing",
      preset("file"), "AXIS")(
      "units",
      "file: scene units are metres, where the file says what its own are (FBX, COLLADA); keep: its numbers",
      preset("file"), "KIND")(
      "texture-path", "A folder to look into for textures that are not beside the mesh; may be repeated",
      text(), "DIR");
  options.add_options("Points")(
      "point-radius",
      "Fill the voxels too whose centre is at most so many scene units away from a point, up to 31 voxels",
      preset("0"), "R")("splat-opacity", "Of splats, those that are at least so opaque, from 0 to below 1",
                        preset("0.5"), "A");
  options.add_options("Voxels")("coverage",
                                "conservative: every voxel a triangle touches; thin: fewer, but no path "
                                "through faces leaks (6-separating)",
                                preset("conservative"),
                                "KIND")("solid", "Fill the inside of closed surfaces too")(
      "materials",
      "texture: the surface's colours; mesh: the mesh's own materials; none: occupancy alone; of a "
      "volume as a scene: bins[:N]: N parts of the range of values; labels[:N]: label k is material k - 1, "
      "or, "
      "of more than N, those of most voxels have one each and all others the last",
      preset("texture"),
      "KIND")("palette",
              "auto: chosen from the mesh; or a file of up to 16 colours: .gpl, .pal (JASC), .hex, an image",
              preset("auto"), "FILE")(
      "palette-weight",
      "What a colour of --palette auto weighs: area: what it covers; even: all alike; or a number "
      "from 0 (even) to 1 (area), that power of the area. Lower ones favour colours of small "
      "areas, at the cost of all others",
      preset("area"),
      "WEIGHT")("palette-out", "Write the palette used: " + palette_extensions(), text(), "FILE");
  options.add_options("Painting")("paint",
                                  "A script of strokes that are painted on the surface, as told above",
                                  text(), "FILE")("paint-size",
                                                  "Texels along each side of the square of texture "
                                                  "coordinates, 1 to 64K: 4096, 4K or 2^12; memory is taken "
                                                  "for those that are painted",
                                                  preset("4K"), "N");
  options.add_options("Structures")(
      "structure",
      "svdag (of meshes the default), bricks (of volumes), hash: a spatial hash of the filled voxels; "
      "or several with commas between them; both: svdag,bricks",
      text(), "KIND,...")("load-factor",
                          "Of a spatial hash: voxels for each cell of the table, above 0 and at most 1",
                          preset("0.95"), "N")(
      "key-layout", "Of a spatial hash: morton: keys are Morton codes; linear: row by row", preset("morton"),
      "KIND");
  options.add_options("Bricks")("optimize",
                                "memory: each brick as small as can be; speed: dense and "
                                "empty bricks alone; balanced[=SLOPE]: dense where the "
                                "time that a mean filter of 3 x 3 x 3 saves, measured here, "
                                "is worth SLOPE times the mean of all in memory",
                                preset("memory"), "FOR");
  add_bricks_options(options);
  add_volume_options(options);
  options.add_options("Volumes")(
      "channel",
      "Of a file whose voxels have several values, such as red, green and blue: which "
      "one, from 0 on",
      text(), "N");
  add_device_options(options);
  options.add_options("Device")(
      "table", fmt::format("The hash table that holds the DAG: {}", fmt::join(hash::table_names(), ", ")),
      preset(EngineOptions().table.c_str()),
      "NAME")("spill",
              "Build a scene whose SVDAG is larger than --memory-limit or the device, in rounds: what does "
              "not fit goes "
              "to files in this folder, which have no names; host: to the host's memory",
              text(), "DIR");
  add_common_options(options);
  options.parse_positional({"inputs"});
  return options;
}

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
  cxxopts::Options description = describe();
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
