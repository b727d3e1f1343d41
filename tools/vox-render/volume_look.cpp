#include "tools/vox-render/volume_look.h"

#include <fmt/format.h>

#include <filesystem>

#include "formats/images/palette_file.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

using render::ValuesAs;

render::OpacityCurve parse_curve(const std::string& text) {
  render::OpacityCurve curve;
  for (const std::string_view point : comma_separated(text)) {
    const size_t colon = point.find(':');
    if (colon == std::string_view::npos)
      throw UsageError(fmt::format(
          "--opacity has the point '{}', expected a share of the range and an opacity like 0.3:0.8", point));
    curve.push_back({parse_number(point.substr(0, colon), "--opacity"),
                     parse_number(point.substr(colon + 1), "--opacity")});
  }
  try {
    render::check_curve(curve);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--opacity is '{}': {}", text, error.what()));
  }
  return curve;
}

double parse_share(const std::string& text, const std::string& option) {
  const double share = parse_number(text, option);
  if (share < 0 || share > 1) throw UsageError(fmt::format("{} is {}, expected 0 to 1", option, text));
  return share;
}

// Reads --colors, which also decides if the values are amounts or labels.
void read_colors(const std::string& name, VolumeLook& look) {
  if (name == "labels") {
    look.values = ValuesAs::Labels;
    return;
  }
  if (name != "gray" && name != "viridis" && name != "bone") {
    if (!std::filesystem::path(name).has_extension())
      throw UsageError(
          fmt::format("--colors is '{}', expected gray, viridis, bone, labels or a file of colours, {}", name,
                      palette_extensions()));
    const scene::Palette palette = read_palette(name);
    look.file_colors.assign(palette.colors.begin(), palette.colors.begin() + palette.count);
    return;
  }
  look.values = ValuesAs::Amounts;
  look.scale = name == "gray"   ? render::gray_scale()
               : name == "bone" ? render::bone_scale()
                                : render::viridis_scale();
  if (name == "bone") look.ends = ScaleEnds::Most;
}

}  // namespace

VolumeLook read_volume_look(const CommandLine& arguments) {
  VolumeLook look;
  const auto opacity = arguments.text("opacity");
  if (opacity.find(':') != std::string::npos)
    look.curve = parse_curve(opacity);
  else
    look.opacity = parse_share(opacity, "--opacity");
  if (arguments.has("iso")) {
    look.iso = arguments.number("iso");
    if (*look.iso == 0) throw UsageError("--iso is 0, which all values reach");
  }
  if (arguments.has("colors")) read_colors(arguments.text("colors"), look);
  const auto values = arguments.choice("values", {ValuesAs::Auto, ValuesAs::Amounts, ValuesAs::Labels});
  const bool of_amounts = look.iso || !look.curve.empty();
  if (values == ValuesAs::Labels && of_amounts)
    throw UsageError(
        fmt::format("--values labels: {} is for amounts", look.iso ? "--iso" : "a curve of --opacity"));
  if (look.values != ValuesAs::Auto && values != ValuesAs::Auto && values != look.values)
    throw UsageError(fmt::format("--colors {} and --values {} exclude each other", arguments.text("colors"),
                                 arguments.text("values")));
  if (look.values == ValuesAs::Labels && of_amounts)
    throw UsageError(
        fmt::format("--colors labels: {} is for amounts", look.iso ? "--iso" : "a curve of --opacity"));
  if (of_amounts) look.ends = ScaleEnds::All;  // a surface and a curve are shares of the whole range
  if (look.values == ValuesAs::Auto) look.values = of_amounts ? ValuesAs::Amounts : values;
  return look;
}

render::ShownValues colored_values(const bricks::FrozenBricks& bricks,
                                   const std::optional<scene::Palette>& palette, const VolumeLook& look) {
  render::ShownValues values = render::shown_values(bricks, palette, look.values);
  if (look.iso)
    values.colors.scale = render::bone_scale();  // a surface has its last colour if no scale is named
  if (!look.scale.empty()) values.colors.scale = look.scale;
  if (look.ends == ScaleEnds::Most) values.colors.range = render::window_of_most(bricks);
  if (look.file_colors.empty()) return values;
  if (values.kind != render::ShownValues::Kind::Amounts) {
    values.colors.labels = render::repeated_colors(look.file_colors);
    return values;
  }
  if (look.file_colors.size() < 2)
    throw UsageError("the file of --colors holds one colour, and a scale goes from one to another");
  values.colors.scale = render::scale_through(look.file_colors);
  return values;
}

}  // namespace vox
