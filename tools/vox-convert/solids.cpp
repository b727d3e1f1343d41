#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "formats/mesh/mesh.h"
#include "libvox/attributes/octahedral.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/dag/colors.h"
#include "libvox/dag/voxels_by_material.h"
#include "libvox/device/cpu_device.h"
#include "libvox/scene/oklab.h"
#include "libvox/voxelize/normals.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/options.h"
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

// Returns the membranes: those in holes are red, and those on sheets are blue; and triangles at fault: those that have been
// turned are yellow, those that cross others purple.
scene::Scene membranes_of(const scene::Scene& scene, const voxelize::ClosedHoles& closed,
                          const voxelize::MeshFaults& faults) {
  scene::Scene last;
  last.materials.resize(4);
  last.materials[0].name = "holes", last.materials[0].base_color = {1, 0, 0, 1};
  last.materials[1].name = "sheets", last.materials[1].base_color = {0, 0, 1, 1};
  last.materials[2].name = "turned", last.materials[2].base_color = {1, 1, 0, 1};
  last.materials[3].name = "crossing", last.materials[3].base_color = {0.6f, 0, 0.8f, 1};
  last.unit = scene.unit;
  const size_t sheets = scene.triangles.size() - closed.covers;
  const auto add = [&](size_t i, uint32_t material) {
    const auto first = static_cast<uint32_t>(last.positions.size());
    for (const uint32_t corner : scene.triangles[i].position)
      last.positions.push_back(scene.positions[corner]);
    last.triangles.push_back(
        {{first, first + 1, first + 2}, {scene::kNone, scene::kNone, scene::kNone}, material});
  };
  for (size_t i = scene.triangles.size() - closed.membranes; i < scene.triangles.size(); ++i)
    add(i, i < sheets ? 0 : 1);
  for (const uint32_t triangle : faults.turned) add(triangle, 2);
  for (const uint32_t triangle : faults.crossing) add(triangle, 3);
  return last;
}

void write_holes(const scene::Scene& scene, const voxelize::ClosedHoles& closed,
                 const voxelize::MeshFaults& faults, const ConvertOptions& options) {
  if (options.ranks != nullptr && options.ranks->rank() > 0) return;
  if (closed.membranes == 0 && faults.turned.empty() && faults.crossing.empty())
    log_info("the mesh has no holes: {} is not written", options.holes_out->string());
  else
    write_glb(membranes_of(scene, closed, faults), *options.holes_out);
}

}  // namespace

voxelize::MeshFaults reported_faults(const scene::Scene& scene, const voxelize::Grid& grid,
                                     const ConvertOptions& options) {
  if (!options.report || (options.ranks != nullptr && options.ranks->rank() > 0)) return {};
  voxelize::MeshFaults faults = voxelize::find_faults(scene, grid);
  write_mesh_report(*options.report, faults, scene.unit);
  log_info("the mesh has {}: {} says where", faults_text(faults), options.report->string());
  return faults;
}

voxelize::ClosedHoles holes_closed(scene::Scene& scene, scene::IndexedScene& indexed,
                                   const voxelize::Grid& grid, const ConvertOptions& options,
                                   const voxelize::MeshFaults& faults) {
  if (!closes_holes(options)) return {};
  const voxelize::ClosedHoles closed = voxelize::close_holes(scene, indexed, grid, options.close);
  if (closed.turned > 0)
    log_info("{} that face the other way than their neighbors are turned",
             format_count(closed.turned, "triangle"));
  if (closed.joined > 0)
    log_info("{} vertices at gaps of at most {} voxels are joined to others, to tell what is inside",
             format_count(closed.joined), options.close);
  if (closed.holes > 0)
    log_warning(
        "the mesh has {} in {}, the largest {:.3g} {} across: to tell what is inside, they count as closed",
        format_count(closed.open_edges, "open edge"), format_count(closed.holes, "hole"), closed.largest,
        scene::unit_name(scene.unit));
  if (closed.sheets > 0)
    log_info("{} of the mesh {} open by more than 0.7 of {} surface, and {} filled with nothing{}",
             format_count(closed.sheets, "part"), closed.sheets == 1 ? "is" : "are",
             closed.sheets == 1 ? "its" : "their", closed.sheets == 1 ? "is" : "are",
             options.close > 0 ? "" : "; --close N joins parts that are at most N voxels apart");
  if (options.holes_out) write_holes(scene, closed, faults, options);
  return closed;
}

namespace {

// The number of an inside's material. A color joins the palette, or becomes the nearest one.
uint8_t number_of(const InsideMaterial& material, const char* option, scene::Palette& palette) {
  if (!material.color) {
    if (material.number >= palette.count)
      throw UsageError(fmt::format(
          "{} is {}, but the palette has the materials 0 to {}; a color, #rrggbb, joins the palette", option,
          material.number, palette.count - 1));
    return material.number;
  }
  const scene::Rgb8 color = *material.color;
  const auto end = palette.colors.begin() + palette.count,
             known = std::find(palette.colors.begin(), end, color);
  if (known == end && palette.count == scene::kPaletteSize) {
    const uint8_t nearest = scene::NearestEntry(palette)(color);
    log_warning("the palette has {} colors already: voxels inside take the nearest one, {}", palette.count,
                scene::hex_name(palette.colors[nearest]));
    return nearest;
  }
  const auto number = static_cast<uint8_t>(known - palette.colors.begin());
  if (known == end) {
    palette.names[palette.count] = "interior";
    palette.colors[palette.count++] = color;
  }
  return number;
}

}  // namespace

voxelize::Inside inside_of(const ConvertOptions& options, const voxelize::Grid& grid,
                           scene::Palette& palette) {
  voxelize::Inside result = {.flood = options.flood, .memory_limit = options.engine.memory_limit};
  if (options.build.colors) return result;  // make_values() gives voxels inside colors
  if (options.interior) result.interior = number_of(*options.interior, "--interior", palette);
  if (options.shells.empty()) return result;
  voxelize::Shells shells = {.shells = {}, .interior = *result.interior};
  for (const GivenShell& shell : options.shells) {
    const double voxels = shell.in_meters ? shell.depth / grid.voxel_size.shortest() : shell.depth;
    shells.shells.push_back(
        {voxelize::shell_depth(voxels), number_of(shell.material, "a material of --shell", palette)});
  }
  voxelize::set_shells(result, std::move(shells), palette.count);
  return result;
}

namespace {

// Makes what is stored for each voxel beside the DAG: with --materials colors and --solid, the result's colors; with --normals,
// the normals that it returns. `input` is what the result was built of.
std::optional<attributes::PackedValues> make_values(voxelize::BuildResult& result, Engine& engine,
                                                    const build::SceneInput& input,
                                                    const ConvertOptions& options) {
  const bool inside = options.build.solid, colors = inside && options.build.colors;
  if (!colors && !options.normals) return {};
  const Stopwatch watch;
  const voxelize::BuildOptions surface_alone = {.coverage = options.build.coverage,
                                                .materials = false,
                                                .colors = colors,
                                                .chunk_pairs = options.build.chunk_pairs};
  voxelize::BuildResult surface;
  if (inside) surface = engine.build(input.scene, input.indexed, input.grid, surface_alone);
  const auto with_inside = [&](const attributes::PackedValues& values, std::optional<uint32_t> interior) {
    const uint64_t memory = device::CpuDevice(options.engine.memory_limit, false).pool().available();
    return dag::inside_values(result.dag, surface.dag, values, interior, memory);
  };
  if (colors) {
    std::optional<uint32_t> interior;
    if (options.interior) interior = scene::packed_color(*options.interior->color);
    result.colors = attributes::with_table(with_inside(*std::exchange(surface.colors, {}), interior));
  }
  std::optional<attributes::PackedValues> normals;
  if (options.normals)
    normals = voxelize::build_normals(engine.handle(), input.scene, input.indexed, input.grid, surface_alone,
                                      {.table = engine.table()});
  if (normals && inside) normals = with_inside(*normals, attributes::kNoDirection);
  result.build_seconds += watch.seconds();
  return normals;
}

}  // namespace

void complete_mesh(voxelize::BuildResult& result, const voxelize::Inside& inside, Engine& engine,
                   const build::SceneInput& input, const ConvertOptions& options, Conversion& conversion) {
  if (options.ranks == nullptr || options.ranks->rank() == 0) {
    voxelize::make_inside(result, inside, input.grid.voxel_size);
    conversion.normals = make_values(result, engine, input, options);
  }
  voxelize::tell_of_solid(result.solid, options.build.inside);
}

uint32_t colors_for_surface(const ConvertOptions& options) {
  uint32_t others = options.shells.empty() ? 0 : 1;
  if (options.interior && options.interior->color) ++others;
  for (const GivenShell& shell : options.shells) others += shell.material.color ? 1 : 0;
  return scene::kPaletteSize - std::min(others, scene::kPaletteSize - 1u);
}

void fill_space(dag::VoxelScene& scene, std::optional<attributes::PackedValues>& normals,
                const ConvertOptions& options) {
  if (options.walker && scene.up != dag::UpAxis::Y)
    throw Error("its y axis does not point up, as that of a scene for --carve does");
  const uint64_t memory = options.engine.memory_limit;
  uint8_t material = 0;
  if (scene.dag.materials && !scene.dag.empty())
    material = dag::majority_materials(scene.dag, 0, UINT64_MAX, ranks::alone())[0];
  voxelize::FloodedScene filled =
      voxelize::unreachable_filled(scene.dag, material,
                                   {.seed = (options.seed - scene.origin) / scene.voxel_size,
                                    .voxel_size = scene.voxel_size,
                                    .seal = options.seal,
                                    .walker = options.walker,
                                    .memory_limit = memory});
  const auto with_filled = [&](std::optional<attributes::PackedValues>& values,
                               std::optional<uint32_t> fill) {
    if (values)
      values = dag::inside_values(filled.dag, scene.dag, *values, fill,
                                  device::CpuDevice(memory, false).pool().available());
  };
  with_filled(scene.colors, std::nullopt);
  with_filled(normals, attributes::kNoDirection);
  scene.dag = std::move(filled.dag);
  log_info("{} that no walker reaches are filled", format_count(filled.filled, "voxel"));
}

// The part of vox-convert that reads what is inside solids.

namespace {

// Reads a palette entry's number, or a color that becomes one.
InsideMaterial parse_inside_material(std::string_view text, std::string_view option) {
  const char* const end = text.data() + text.size();
  uint32_t number = 0;
  const bool is_color = text.size() == 7 && text[0] == '#';
  const auto read = std::from_chars(text.data() + (is_color ? 1 : 0), end, number, is_color ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end || (!is_color && number >= scene::kPaletteSize))
    throw UsageError(
        fmt::format("{} is '{}', expected a material, 0 to 15, or a color, #rrggbb", option, text));
  if (!is_color) return {.number = static_cast<uint8_t>(number), .color = std::nullopt};
  return {.number = 0,
          .color = scene::Rgb8{static_cast<uint8_t>(number >> 16), static_cast<uint8_t>(number >> 8),
                               static_cast<uint8_t>(number)}};
}

std::vector<GivenShell> parse_shells(const std::string& text) {
  std::vector<GivenShell> shells;
  for (const std::string_view step : comma_separated(text)) {
    const size_t equals = step.find('=');
    if (equals == std::string_view::npos)
      throw UsageError(fmt::format("--shell is '{}', expected DEPTH=MATERIAL, such as 2mm=3", text));
    const GivenSize depth = parse_sides(step.substr(0, equals), "a depth of --shell");
    shells.push_back({.depth = depth.size.x,
                      .in_meters = depth.in_meters,
                      .material = parse_inside_material(step.substr(equals + 1), "a material of --shell")});
    if (shells.back().in_meters != shells.front().in_meters)
      throw UsageError(fmt::format("--shell is '{}', expected a unit at each depth, or at none", text));
    if (shells.size() > 1 && !(shells.back().depth > shells[shells.size() - 2].depth))
      throw UsageError(fmt::format("--shell is '{}', expected depths that ascend", text));
  }
  return shells;
}

std::filesystem::path path_ending_in(const char* extension, const CommandLine& arguments,
                                     const char* option) {
  std::filesystem::path path = arguments.text(option);
  if (path.extension() != extension)
    throw UsageError(
        fmt::format("--{} is '{}', expected a name that ends in {}", option, path.string(), extension));
  return path;
}

// Reads --fill, --carve and --seed.
void read_walk(const CommandLine& arguments, ConvertOptions& options) {
  constexpr std::string_view kSealed = "outside=";
  if (const auto fill = arguments.given("fill")) {
    options.seal = voxelize::kUsualSeal;
    if (fill->starts_with(kSealed))
      options.seal = parse_number(fill->substr(kSealed.size()), "--fill outside");
    if ((*fill != "outside" && !fill->starts_with(kSealed)) || !(*options.seal >= 0))
      throw UsageError(fmt::format("--fill is '{}', expected outside or outside=DISTANCE", *fill));
  }
  if (const auto carve = arguments.given("carve")) {
    const std::vector<double> sizes = arguments.numbers("carve", 2, "HEIGHT,RADIUS");
    options.walker = {sizes[0], sizes[1]};
    if (!(sizes[1] > 0 && sizes[0] >= 2 * sizes[1]))
      throw UsageError(fmt::format(
          "--carve is '{}', expected a radius above 0 and a height of at least twice the radius", *carve));
  }
  if (!arguments.has("seed")) return;
  if (!fills_space(options))
    throw UsageError("--seed is where the walker of --carve and --fill begins: give one");
  const std::vector<double> place = arguments.numbers("seed", 3, "X,Y,Z");
  options.seed = {place[0], place[1], place[2]};
}

// Throws UsageError if the option has no effect: only voxels with materials have one inside.
void check_of_materials(const CommandLine& arguments, const char* option, const ConvertOptions& options) {
  if (!arguments.has(option)) return;
  if (!options.build.solid)
    throw UsageError(fmt::format("--{} is for the inside of a mesh, which --solid fills: give both", option));
  if (options.materials == scene::MaterialMode::None)
    throw UsageError(fmt::format("--{} has no effect: with --materials none there are no materials", option));
}

}  // namespace

bool closes_holes(const ConvertOptions& options) {
  return options.build.solid && !options.flood && options.build.inside == voxelize::InsideRule::Winding;
}

void read_insides(const CommandLine& arguments, ConvertOptions& options) {
  options.build.solid = arguments.has("solid");
  const std::string rule = arguments.text("inside");
  options.flood = rule == "flood";
  options.build.inside = rule == "parity" ? voxelize::InsideRule::Parity : voxelize::InsideRule::Winding;
  if (arguments.has("inside") && !options.build.solid)
    throw UsageError("--inside says what --solid fills: give both");
  options.close = arguments.number("close");
  for (const char* option : {"close", "holes-out"})
    if (arguments.has(option) && !closes_holes(options))
      throw UsageError(fmt::format("--{} needs --solid, with --inside winding, which closes holes", option));
  for (const char* option : {"interior", "shell"}) check_of_materials(arguments, option, options);
  if (arguments.has("interior"))
    options.interior = parse_inside_material(arguments.text("interior"), "--interior");
  if (arguments.has("shell")) options.shells = parse_shells(arguments.text("shell"));
  if (!options.shells.empty() && !options.interior)
    throw UsageError("--shell needs --interior, the material of what lies deeper");
  if (arguments.has("holes-out")) options.holes_out = path_ending_in(".glb", arguments, "holes-out");
  if (arguments.has("report")) options.report = path_ending_in(".json", arguments, "report");
  if (options.report && options.materials != scene::MaterialMode::Mesh)
    options.mesh.objects = MeshObjects::Apart;
  read_walk(arguments, options);
  options.sdf = arguments.given_number("sdf");
  if (arguments.has("sdf-type") && !options.sdf)
    throw UsageError("--sdf-type is for the distances that --sdf writes: give both");
  if (arguments.text("sdf-type") == "f16") options.sdf_type = Floats::F16;
}

}  // namespace vox
