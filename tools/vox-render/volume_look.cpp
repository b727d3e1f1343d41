#include "tools/vox-render/volume_look.h"

#include <fmt/format.h>

#include <filesystem>

#include "formats/images/palette_file.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/option_values.h"

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

// What --colors names makes the values amounts, or labels.
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

void describe_volume_options(cxxopts::Options& options) {
  const auto text = [] { return cxxopts::value<std::string>(); };
  const auto preset = [](const std::string& value) {
    return cxxopts::value<std::string>()->default_value(value);
  };
  options.add_options("Volume")(
      "colors",
      "Of values: gray, viridis or bone, scales from the lowest to the highest; labels, a colour for each "
      "number, of which there are 256; or a file of colours, stops of a scale or the colours of labels; as "
      "its values are by default",
      text(), "gray|viridis|bone|labels")(
      "opacity",
      "How much of what lies behind it a voxel of the highest value covers, 0 to 1, "
      "lower values less; or a curve, "
      "SHARE:OPACITY,…, by the share of the range of values",
      preset(fmt::format("{}", render::kVolumeOpacity)),
      "SHARE")("iso",
               "Show one surface alone, in the last of the colours: where "
               "values reach this share of their range, 0 to 1",
               text(), "SHARE")(
      "values",
      "What its values are: amounts, on one scale, or labels, with a colour each; auto: labels where whole "
      "numbers "
      "lie in areas of one, and the materials of a scene, in its palette's colours",
      preset("auto"), "auto|amounts|labels");
}

VolumeLook read_volume_look(const cxxopts::ParseResult& parsed) {
  VolumeLook look;
  const auto opacity = parsed["opacity"].as<std::string>();
  if (opacity.find(':') != std::string::npos)
    look.curve = parse_curve(opacity);
  else
    look.opacity = parse_share(opacity, "--opacity");
  if (parsed.count("iso") > 0) {
    look.iso = parse_share(parsed["iso"].as<std::string>(), "--iso");
    if (*look.iso == 0) throw UsageError("--iso is 0, which all values reach");
  }
  if (parsed.count("colors") > 0) read_colors(parsed["colors"].as<std::string>(), look);
  const auto values = parse_choice<ValuesAs>(
      parsed, "values",
      {{"auto", ValuesAs::Auto}, {"amounts", ValuesAs::Amounts}, {"labels", ValuesAs::Labels}});
  const bool of_amounts = look.iso || !look.curve.empty();
  if (values == ValuesAs::Labels && of_amounts)
    throw UsageError(
        fmt::format("--values labels: {} is for amounts", look.iso ? "--iso" : "a curve of --opacity"));
  if (look.values != ValuesAs::Auto && values != ValuesAs::Auto && values != look.values)
    throw UsageError(fmt::format("--colors {} and --values {} exclude each other",
                                 parsed["colors"].as<std::string>(), parsed["values"].as<std::string>()));
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
    values.colors.scale = render::bone_scale();  // of which it has the last colour, where none is named
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
