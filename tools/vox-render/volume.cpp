#include "tools/vox-render/frames.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "formats/images/image.h"
#include "formats/results/files.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/render/picture_share.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

// Seven colors that readers can tell apart who do not see all colors (Okabe and Ito 2008), and gray.
constexpr std::array<scene::Rgb8, bricks::kBrickTypeCount - 1> kTypeColors = {{{230, 159, 0},
                                                                               {86, 180, 233},
                                                                               {0, 158, 115},
                                                                               {240, 228, 66},
                                                                               {0, 114, 178},
                                                                               {213, 94, 0},
                                                                               {204, 121, 167},
                                                                               {153, 153, 153}}};

// The types of bricks, but for empty ones, as labels.
render::ShownValues shown_types(const bricks::FrozenBricks& bricks) {
  render::ShownValues values = {.kind = render::ShownValues::Kind::Labels,
                                .colors = {.range = {0, bricks::kBrickTypeCount - 1.0}}};
  values.colors.labels = render::repeated_colors(kTypeColors);
  for (uint32_t type = 1; type < bricks::kBrickTypeCount; ++type)
    if (bricks.counts[type] > 0) values.labels.push_back(type);
  return values;
}

Legend types_legend(const render::ShownValues& types) {
  Legend legend = {"Type of brick", {}};
  for (const uint32_t type : types.labels)
    legend.steps.push_back({kTypeColors[type - 1], std::string(bricks::BrickTypes::kNames[type])});
  return legend;
}

Legend legend_of(const render::ShownValues& values, const render::Picture& picture, const VolumeLook& look) {
  if (look.types) return types_legend(values);
  if (look.iso)
    return surface_legend(picture.low + *look.iso * (picture.high - picture.low), values.colors.scale.back());
  switch (values.kind) {
    case render::ShownValues::Kind::Amounts:
      return values_legend(picture, values.colors.scale);
    case render::ShownValues::Kind::Materials:
      return labels_legend("Material", values.labels, 1, values.colors.labels);
    case render::ShownValues::Kind::Labels:
      return labels_legend("Label", values.labels, 0, values.colors.labels);
  }
  return {};
}

render::ShownValues values_of(const bricks::FrozenBricks& bricks, const RenderToolOptions& options) {
  render::ShownValues values = colored_values(bricks, scene_palette(options.scene), options.volume);
  if (values.kind == render::ShownValues::Kind::Labels && options.volume.values == render::ValuesAs::Auto)
    log_info("{} values that lie in areas of one are shown as labels; --values amounts shows one scale",
             format_count(values.labels.size()));
  return values;
}

void add_picture(PictureOutput& output, render::Picture picture, const render::ShownValues& values,
                 const Frame& frame, const render::Place& place, const RenderToolOptions& options) {
  if (!writes_pictures(options)) return;
  if (options.legends == Legends::On) draw_legend(picture.image, legend_of(values, picture, options.volume));
  output.add(frame, picture, picture_texts(frame.pose, place, options));
}

// `values` says how the values are shown; it is called when the targets are known to be writable.
using ShownValuesOf = std::function<render::ShownValues()>;

void cut(const bricks::FrozenBricks& bricks, const ShownValuesOf& values_of_bricks,
         const RenderToolOptions& options) {
  const Frame frame = {{}, options.output};
  check_targets({frame}, options);
  const render::ShownValues values = values_of_bricks();
  render::SliceOptions slice = *options.slice;
  const Vec3d& step = bricks.info.spacing;
  slice.voxel_size = {std::abs(step.x), std::abs(step.y), std::abs(step.z)};
  const render::Picture picture =
      render::slice_volume(bricks::bricks_volume(bricks), bricks.background, values.colors, slice);
  PictureOutput output(options);
  add_picture(output, picture, values, frame, {}, options);
  output.close();
  log_info("values from {} to {}", picture.low, picture.high);
  if (!options.json) return;
  ResultGroup results = volume_results(options);
  set_picture(results, frame, picture, {}, options);
  set_range(results, picture.low, picture.high);
  print_result(json_text(results) + "\n");
}

void cast(const bricks::FrozenBricks& bricks, const ShownValuesOf& values_of_bricks,
          const RenderToolOptions& options) {
  const render::VolumeSpace space(bricks.info);
  const render::Place place = {space.corner(), space.unit()};
  std::vector<VoxelBox> framed = render::outline(bricks);
  if (framed.empty()) framed.push_back(bricks.info.box());
  for (VoxelBox& box : framed) box = space.around(box);
  const std::vector<Frame> list = frames(framed, place, options);
  check_targets(list, options);
  const std::unique_ptr<Engine> engine = make_engine(options.engine);
  log_debug("on {}", engine->device_text());
  ResultGroup results = volume_results(options);
  set_device(results, engine->device());
  const render::ShownValues values = values_of_bricks();
  std::unique_ptr<render::VolumeRenderer> renderer = render::make_volume_renderer(engine->handles(), bricks);
  if (options.ranks) renderer = render::shared_renderer(*options.ranks, std::move(renderer));
  render::VolumeRenderOptions render;
  render.size = options.render.size;
  render.to_sun = options.render.to_sun;
  render.opacity = options.volume.opacity;
  render.curve = options.volume.curve;
  render.iso = options.volume.iso;
  render.labels = values.colors.labels;
  render.scale = values.colors.scale;
  render.range = values.colors.range;
  PictureOutput output(options);
  for (const Frame& frame : list) {
    throw_if_cancelled();
    render.pose = frame.pose;
    const render::Picture picture = renderer->render(render);
    add_picture(output, picture, values, frame, place, options);
    set_picture(results.append("pictures"), frame, picture, place, options);
  }
  output.close();
  set_range(results, values.colors.range.low, values.colors.range.high);
  set_profile(results, engine->profile());
  if (options.engine.profile && writes_pictures(options)) print_profile(engine->profile());
  if (options.json) print_result(json_text(results) + "\n");
}

}  // namespace

// Returns the finest level whose bricks fit within --memory-limit, or into memory: the coarsest if none does.
static uint32_t level_that_fits(const RenderToolOptions& options) {
  const uint64_t limit = options.engine.memory_limit > 0 ? options.engine.memory_limit : available_bytes();
  const std::vector<uint64_t> bytes = brick_level_bytes(options.scene);
  uint32_t level = 0;
  while (level + 1 < bytes.size() && bytes[level] > limit) ++level;
  return level;
}

void show_volume(const RenderToolOptions& given) {
  RenderToolOptions options = given;
  if (options.page && options.volume.types)
    throw Error("--shade type is for pictures, and pages show scenes");
  if (options.page)
    throw Error(
        fmt::format("'{}' holds the bricks of a volume alone, and pages show scenes", options.scene.string()))
        .hint("vox-convert makes a scene of a volume, by --structure svdag or both");
  check_given(options, Shown::Volume);
  const uint32_t level = level_that_fits(options);
  const bricks::FrozenBricks bricks = read_bricks(options.scene, level);
  if (level > 0) {
    log_info("level {} is shown, {} x {} x {} voxels: finer ones do not fit into memory", level,
             bricks.info.size.x, bricks.info.size.y, bricks.info.size.z);
    if (options.slice) options.slice->at >>= level;
  }
  const auto show = [&](const bricks::FrozenBricks& shown, const ShownValuesOf& values) {
    options.slice ? cut(shown, values, options) : cast(shown, values, options);
  };
  if (!options.volume.types) return show(bricks, [&] { return values_of(bricks, options); });
  // The types are a volume of labels.
  const bricks::FrozenBricks types = [&] {
    const std::unique_ptr<Engine> engine = make_engine(options.engine);
    return bricks::build_bricks(engine->handle(), bricks::types_volume(bricks),
                                {.log2_side = bricks.log2_side, .threshold = {}})
        .bricks;
  }();
  show(types, [&] { return shown_types(bricks); });
}

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
          fmt::format("--colors is '{}', expected gray, viridis, bone, labels or a file of colors, {}", name,
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
  look.types = arguments.text("shade") == "type";
  for (const char* option : {"iso", "colors", "values"})
    if (look.types && arguments.has(option))
      throw UsageError(fmt::format("--{} has no effect with --shade type, which shows no values", option));
  if (look.types && !look.curve.empty())
    throw UsageError("--shade type: a curve of --opacity is for amounts");
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
    values.colors.scale = render::bone_scale();  // a surface has its last color if no scale is named
  if (!look.scale.empty()) values.colors.scale = look.scale;
  if (look.ends == ScaleEnds::Most) values.colors.range = render::window_of_most(bricks);
  if (look.file_colors.empty()) return values;
  if (values.kind != render::ShownValues::Kind::Amounts) {
    values.colors.labels = render::repeated_colors(look.file_colors);
    return values;
  }
  if (look.file_colors.size() < 2)
    throw UsageError("the file of --colors holds one color, and a scale goes from one to another");
  values.colors.scale = render::scale_through(look.file_colors);
  return values;
}

}  // namespace vox
