#include "tools/vox-render/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/file_types.h"
#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/common_options.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

Vec3d read_point(const CommandLine& arguments, std::string_view option) {
  const std::vector<double> n = arguments.numbers(option, 3, "three numbers like 1,2.5,-3");
  return {n[0], n[1], n[2]};
}

uint32_t parse_whole(const std::string& text, const std::string& option, uint32_t least, uint32_t most) {
  const uint64_t value = parse_count(text, "--" + option);
  if (value < least || value > most)
    throw UsageError(fmt::format("--{} is {}, expected {} to {}", option, text, least, most));
  return static_cast<uint32_t>(value);
}

render::ImageSize parse_size(const std::string& text) {
  const size_t cross = text.find('x');
  if (cross == std::string::npos)
    throw UsageError(fmt::format("--size is '{}', expected pixels like 1920x1080", text));
  return {parse_whole(text.substr(0, cross), "size", 1, render::kMaxPictureSide),
          parse_whole(text.substr(cross + 1), "size", 1, render::kMaxPictureSide)};
}

void read_path(const CommandLine& arguments, RenderToolOptions& options) {
  options.from.fps = arguments.number("fps");
  if (!arguments.has("path")) return;
  for (const char* option : {"view", "eye", "target", "turntable"})
    if (arguments.has(option))
      throw UsageError(fmt::format("--{} and --path both say where to look from", option));
  options.camera_file = arguments.text("path");
  options.from.path = read_camera_csv(options.camera_file);
  const auto has_fov = [](const render::CameraKey& key) { return key.fov.has_value(); };
  if (arguments.has("fov") && std::ranges::all_of(options.from.path.keys, has_fov))
    throw UsageError("--fov has no effect: the rows of --path have angles of their own");
  const auto has_up = [](const render::CameraKey& key) { return key.up.has_value(); };
  if (arguments.has("up") && std::ranges::all_of(options.from.path.keys, has_up))
    throw UsageError("--up has no effect: the rows of --path have directions of their own that point up");
}

void read_camera(const CommandLine& arguments, RenderToolOptions& options) {
  options.from.view = arguments.text_of_word("view");
  if (arguments.has("eye")) options.from.eye = read_point(arguments, "eye");
  if (arguments.has("target")) options.from.target = read_point(arguments, "target");
  if (options.from.target && !options.from.eye)
    throw UsageError("--target needs --eye, from where to look at it");
  if (options.from.eye && arguments.has("view"))
    throw UsageError("--view and --eye both say where to look from");
  if (options.from.eye && arguments.has("turntable"))
    throw UsageError("--turntable goes around a --view, not an --eye");
  using render::Up;
  options.from.up = arguments.choice("up", {Up::X, Up::Y, Up::Z, Up::MinusX, Up::MinusY, Up::MinusZ});
  read_path(arguments, options);
  options.from.fov = arguments.number("fov");
}

render::RenderOptions read_render(const CommandLine& arguments) {
  using namespace render;
  RenderOptions render;
  render.size = parse_size(arguments.text("size"));
  render.samples = arguments.whole("samples");
  render.ao_rays = arguments.whole("ao");
  render.to_sun = read_point(arguments, "sun");
  if (render.to_sun == Vec3d{0, 0, 0}) throw UsageError("--sun is 0,0,0, which is no direction");
  render.shade = arguments.choice(
      "shade", {Shade::Material, Shade::Depth, Shade::Normal, Shade::Level, Shade::Sharing, Shade::Material});
  render.shadows = arguments.choice("shadows", {Shadows::On, Shadows::Off});
  render.normals = arguments.choice("normals", {Normals::Auto, Normals::Smooth, Normals::Faces});
  render.colors = arguments.choice("level-colors", {LevelColors::Mean, LevelColors::Voxel});
  render.sampling = arguments.choice("sampling", {Sampling::Edges, Sampling::All});
  render.skies = arguments.choice("sky", {Sky::Gradient, Sky::Flat});
  render.ground = arguments.has("ground") ? Ground::On : Ground::Off;
  render.exposure = arguments.number("exposure");
  render.lod = arguments.choice("lod", {LevelOfDetail::On, LevelOfDetail::Off});
  return render;
}

Layer parse_layer(const std::string& text, const std::string& option) {
  if (text.size() < 3 || text[0] < 'x' || text[0] > 'z' || text[1] != '=')
    throw UsageError(fmt::format("--{} is '{}', expected an axis and a layer like z=1024", option, text));
  return {static_cast<uint32_t>(text[0] - 'x'),
          parse_whole(text.substr(2), option, 0, (1u << render::kMaxLog2Side) - 1)};
}

void read_slice(const CommandLine& arguments, RenderToolOptions& options) {
  if (!arguments.has("slice")) return;
  const Layer layer = parse_layer(arguments.text("slice"), "slice");
  render::SliceOptions slice;
  slice.axis = layer.axis;
  slice.at = layer.at;
  slice.most = options.render.size;
  options.slice = slice;
}

void read_cut(const std::string& text, RenderToolOptions& options) {
  if (text == "off")
    options.rooms = ClosedRooms::Whole;
  else
    options.cut = parse_layer(text, "cut");
}

std::filesystem::path parse_output(const std::string& name) {
  if (has_role(name, FileRole::Picture) || has_role(name, FileRole::Film)) return name;
  throw UsageError(fmt::format("-o is '{}', expected a name that ends in .png, or in .mp4 for a film", name));
}

// Checks what is known of a film before its pictures are taken.
void check_film(const RenderToolOptions& options) {
  if (!has_role(options.output, FileRole::Film)) return;
  if (options.from.turntable == 0 && options.from.path.empty())
    throw UsageError(
        fmt::format("-o is '{}', a film, and there is one picture: --turntable or --path makes several",
                    options.output.string()));
  const auto [width, height] = options.render.size;
  if (width % 2 != 0 || height % 2 != 0)
    throw UsageError(fmt::format("--size is {}x{}, and the sides of a film are even", width, height));
}

void read_page(const CommandLine& arguments, RenderToolOptions& options) {
  options.page_limit = arguments.bytes("page-limit");
  options.page_memory = arguments.bytes("page-memory");
  options.streams = arguments.has("stream");
  if (!arguments.has("html")) return;
  const auto name = arguments.text("html");
  if (options.streams && has_role(name, FileRole::Page))
    throw UsageError(fmt::format("--html is '{}', expected the name of a folder for --stream", name));
  if (!options.streams && !has_role(name, FileRole::Page))
    throw UsageError(
        fmt::format("--html is '{}', expected a name that ends in .html, or a folder and --stream", name));
  if (options.streams && options.render.shade == render::Shade::Sharing)
    throw UsageError(
        "--shade sharing has no effect with --stream: a page that loads parts of a scene cannot count uses");
  options.page = name;
}

RunTraits of_scene(const RenderToolOptions& options) {
  if (options.page && options.streams) return {kPage | kStreamed, "a page that loads the scene"};
  if (options.page) return {kPage | kOneFile, "a page"};
  if (options.slice) return {kSceneCut, "a cut through a scene"};
  uint32_t bits = 0;
  if (options.render.samples > 1) bits |= kSampled;
  if (options.render.shade == render::Shade::Sharing) return {bits | kSharing, "--shade sharing"};
  if (options.render.shade == render::Shade::Normal) bits |= kFacing;
  if (options.render.shade != render::Shade::Material)
    return {bits | kMeasured, "--shade depth, normal or level"};
  bits |= kLit | kFacing;
  if (options.render.lod == render::LevelOfDetail::On) bits |= kLevels;
  if (options.render.ao_rays > 0) bits |= kOccluded;
  const bool has_shadow = options.render.shadows == render::Shadows::On && options.render.to_sun.y > 0;
  if (has_shadow || options.render.ao_rays > 0) bits |= kShadowed;
  return {bits, "a scene"};
}

RunTraits of_volume(const RenderToolOptions& options) {
  const uint32_t typed = options.volume.types ? kTyped : 0u;
  if (options.slice) return {kVolumeCut | typed, "a cut through a volume"};
  if (options.volume.iso) return {kIso, "a surface of a volume"};
  return {kVolume | typed, "a volume"};
}

}  // namespace

RenderToolOptions read_render_options(const CommandLine& arguments) {
  RenderToolOptions options;
  options.json = arguments.json();
  options.overwrite = arguments.overwrite();
  options.given = arguments.given_options();
  options.command = arguments.command();
  if (!arguments.has("scene")) throw UsageError("no scene file named");
  options.scene = arguments.text("scene");
  options.form = arguments.choice("structure", {SceneForm::Any, SceneForm::Svdag, SceneForm::Hash,
                                                SceneForm::Bricks, SceneForm::Symmetric});
  options.output = picture_file_name(options.scene);
  if (arguments.has("output")) options.output = parse_output(arguments.text("output"));
  if (arguments.has("turntable")) options.from.turntable = arguments.whole("turntable");
  read_camera(arguments, options);
  options.render = read_render(arguments);
  if (!arguments.has("sun"))
    options.render.to_sun = render::turned_back(options.render.to_sun, options.from.up);
  check_film(options);
  if (arguments.has("ao-reach")) options.ao_reach = arguments.number("ao-reach");
  options.legends = arguments.choice("legend", {Legends::On, Legends::Off});
  read_slice(arguments, options);
  options.volume = read_volume_look(arguments);
  if (arguments.has("clip")) options.clip = arguments.box("clip");
  if (arguments.has("cut")) read_cut(arguments.text("cut"), options);
  read_page(arguments, options);
  options.engine = read_device_options(arguments);
  check_exists(options.scene);
  return options;
}

void check_given(const RenderToolOptions& options, Shown shown) {
  RunTraits run = shown == Shown::Scene ? of_scene(options) : of_volume(options);
  if (has_role(options.output, FileRole::Film) || options.from.path.timed) run.bits |= kMany;
  check_effects(options.given, run);
}

}  // namespace vox
