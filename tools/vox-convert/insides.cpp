// The part of vox-convert that reads what is inside solids.

#include <fmt/format.h>

#include <charconv>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/options.h"

namespace vox {
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
    throw UsageError(fmt::format("--{} is for what --solid fills: give both", option));
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
