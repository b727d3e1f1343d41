#include "tools/vox-render/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formats/file_names.h"
#include "formats/file_types.h"
#include "formats/script/camera_csv.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/device_options.h"
#include "tools/common/option_values.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

constexpr const char* kAbout =
    R"(Makes a picture of a scene file, a PNG: of voxels in the light of the sun, or, where the file holds the bricks of
a volume alone, of its values as colours, the more transparent the lower they are. Voxels of a volume have the sides
that its spacing says.

Examples:
  vox-render house.h5                                   house-view.png, all of the scene
  vox-render house.h5 -o view.png --view top --ao 16 --samples 4
  vox-render house.h5 --eye 3,2,8 --target 0,1,0 --fov 60
  vox-render house.h5 --shade depth                     what is near, what is far
  vox-render house.h5 --shade sharing                   what the DAG stores once and uses often
  vox-render house.h5 --ground --ao 16                  it stands on something that shows its shadow
  vox-render house.h5 --slice y=100                     a cut, the 101st layer of voxels from below
  vox-render house.h5 --cut x=64                        a cutaway: a look into it
  vox-render ct.h5 --opacity 0.1                        through a volume, more transparent
  vox-render ct.h5 --colors bone --opacity 0.2:0,1:0.6  in grey, low values unseen
  vox-render ct.h5 --iso 0.3                            a surface of one value
  vox-render ct.h5 --slice z=40                         a cut through it
  vox-render house.h5 --turntable 36                    house-view-00.png to house-view-35.png
  vox-render house.h5 --turntable 120 -o turn.mp4       a film, where ffmpeg is installed
  vox-render house.h5 --path camera.csv -o flight.mp4   one along a camera's way
  vox-render house.h5 --html house.html                 a page that flies through it, in any browser
  vox-render house.h5 --samples 64 --device cuda:0,1    two GPUs share out the rows; so do the processes of mpirun
)";

constexpr double kMinFps = 0.1, kMaxFps = 1000;

cxxopts::Options describe() {
  cxxopts::Options options("vox-render", kAbout);
  options.custom_help("SCENE.h5 [options]").positional_help("").set_width(100);
  const auto text = [] { return cxxopts::value<std::string>(); };
  const auto preset = [](const char* value) { return cxxopts::value<std::string>()->default_value(value); };
  options.add_options("Picture")("scene", "A scene file that vox-convert wrote", text(), "SCENE.h5")(
      "structure",
      "Of a file with several forms of the scene the one that is shown: svdag, hash or bricks; auto: the "
      "first that it has",
      preset("auto"), "auto|svdag|hash|bricks")(
      "o,output", "Where to; SCENE-view.png by default; .mp4 for a film of many, by ffmpeg", text(), "FILE")(
      "size", "Pixels; of a cut, at most", preset("1920x1080"), "WxH")("samples", "Rays a pixel", preset("4"),
                                                                       "N")(
      "sampling",
      "Which pixels have so many: on edges, where a pixel looks otherwise than one beside it, or all",
      preset("edges"), "edges|all")("turntable", "N pictures, once around the scene", text(), "N")(
      "path",
      "Pictures on a camera's way, a table of eye_x,eye_y,eye_z,target_x,target_y,target_z and, where "
      "wanted, "
      "fov, time, "
      "up_x,up_y,up_z: one a row, or, with times in seconds, through the rows",
      text(), "FILE.csv")("fps", "Pictures a second, of a film and of a way with times", preset("30"), "N")(
      "slice", "A cut along one layer of voxels: x, y or z, counted from 0", text(), "AXIS=N")(
      "cut",
      "A cutaway: leaves out what lies between the eye and this layer of voxels; hatched where it is cut; "
      "off: no room that is closed on all sides is cut open by default",
      text(),
      "AXIS=N|off")("clip", "Only this box of the scene, in scene units", text(), "X0,Y0,Z0,X1,Y1,Z1")(
      "legend", "Of what is measured, in a corner: on or off", preset("on"), "on|off");
  options.add_options("Page")(
      "html",
      "Write a page to fly through instead: one file, which needs no server; it begins with this view and "
      "light",
      text(), "FILE")("page-limit",
                      "How large it may be; a scene that is larger is shown at the finest level that fits",
                      preset("64M"), "SIZE");
  options.add_options("Camera")(
      "view", fmt::format("All of the scene: {}", fmt::join(render::view_names(), ", ")), preset("iso"),
      "VIEW")("eye", "Where the camera stands instead, in the scene's units", text(), "X,Y,Z")(
      "target", "What it looks at; the middle of the scene by default", text(), "X,Y,Z")(
      "fov", "Degrees that the shorter side of the picture shows", preset("40"), "ANGLE")(
      "up", "Of a volume: the axis that points up in pictures, x, y, z, -x, -y or -z", preset("y"), "AXIS");
  options.add_options("Light")(
      "shade", "material, depth, normal, level (of detail) or sharing (uses of leaves)", preset("material"),
      "WHAT")("sun", "The direction that light comes from", preset("0.45,0.8,0.6"), "X,Y,Z")(
      "shadows", "Of the sun: on or off", preset("on"), "on|off")(
      "ao", "Ambient occlusion: rays a sample; 0: none", preset("0"), "N")(
      "ao-reach", "How far these look, in the scene's units; 1/16 of the cube by default", text(), "LENGTH")(
      "normals",
      "What is shaded: faces of voxels, or smooth, the surface that they stand for; auto: smooth where "
      "voxels are "
      "smaller than pixels",
      preset("auto"), "auto|smooth|faces")(
      "level-colors",
      "What has the colour of several voxels, where a pixel shows them: their mean, or one voxel's",
      preset("mean"), "mean|voxel")("sky", "Behind a scene in the light: a gradient or flat",
                                    preset("gradient"), "gradient|flat")(
      "ground",
      "A plane below the scene in the colour of the sky, which shows the scene's shadow, and ambient "
      "occlusion by --ao")("exposure", "What all light is multiplied by", preset("1"), "X")(
      "lod", "Level of detail: on, nothing smaller than a pixel is looked at; or off", preset("on"),
      "on|off");
  describe_volume_options(options);
  add_device_options(options);
  add_common_options(options);
  options.parse_positional({"scene"});
  return options;
}

Vec3d parse_point(const std::string& text, const std::string& option) {
  const std::vector<double> n = parse_numbers(text, option, 3, "three numbers like 1,2.5,-3");
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

void read_path(const cxxopts::ParseResult& parsed, RenderToolOptions& options) {
  const auto fps = parsed["fps"].as<std::string>();
  options.from.fps = parse_number(fps, "--fps");
  if (!(options.from.fps >= kMinFps && options.from.fps <= kMaxFps))
    throw UsageError(fmt::format("--fps is {}, expected {} to {}", fps, kMinFps, kMaxFps));
  if (parsed.count("path") == 0) return;
  for (const char* option : {"view", "eye", "target", "turntable"})
    if (parsed.count(option) > 0)
      throw UsageError(fmt::format("--{} and --path both say where to look from", option));
  options.camera_file = parsed["path"].as<std::string>();
  options.from.path = read_camera_csv(options.camera_file);
  const auto has_fov = [](const render::CameraKey& key) { return key.fov.has_value(); };
  if (parsed.count("fov") > 0 && std::ranges::all_of(options.from.path.keys, has_fov))
    throw UsageError("--fov has no effect: the rows of --path have angles of their own");
  const auto has_up = [](const render::CameraKey& key) { return key.up.has_value(); };
  if (parsed.count("up") > 0 && std::ranges::all_of(options.from.path.keys, has_up))
    throw UsageError("--up has no effect: the rows of --path say themselves what is up");
}

void read_camera(const cxxopts::ParseResult& parsed, RenderToolOptions& options) {
  std::vector<std::pair<std::string, std::string>> views;
  for (const std::string& name : render::view_names()) views.emplace_back(name, name);
  options.from.view = parse_choice(parsed, "view", views);
  for (const char* option : {"eye", "target"})
    if (parsed.count(option) > 0)
      (std::string(option) == "eye" ? options.from.eye : options.from.target) =
          parse_point(parsed[option].as<std::string>(), option);
  if (options.from.target && !options.from.eye)
    throw UsageError("--target needs --eye, from where to look at it");
  if (options.from.eye && parsed.count("view") > 0)
    throw UsageError("--view and --eye both say where to look from");
  if (options.from.eye && parsed.count("turntable") > 0)
    throw UsageError("--turntable goes around a --view, not an --eye");
  options.from.up = parse_choice<render::Up>(parsed, "up",
                                             {{"x", render::Up::X},
                                              {"y", render::Up::Y},
                                              {"z", render::Up::Z},
                                              {"-x", render::Up::MinusX},
                                              {"-y", render::Up::MinusY},
                                              {"-z", render::Up::MinusZ}});
  read_path(parsed, options);
  const auto fov = parsed["fov"].as<std::string>();
  options.from.fov = parse_number(fov, "--fov");
  if (options.from.fov < render::kMinFov || options.from.fov > render::kMaxFov)
    throw UsageError(
        fmt::format("--fov is {}, expected {} to {} degrees", fov, render::kMinFov, render::kMaxFov));
}

render::RenderOptions read_render(const cxxopts::ParseResult& parsed) {
  render::RenderOptions render;
  render.size = parse_size(parsed["size"].as<std::string>());
  render.samples = parse_whole(parsed["samples"].as<std::string>(), "samples", 1, 4096);
  render.ao_rays = parse_whole(parsed["ao"].as<std::string>(), "ao", 0, render::kHemisphere);
  render.to_sun = parse_point(parsed["sun"].as<std::string>(), "sun");
  if (render.to_sun == Vec3d{0, 0, 0}) throw UsageError("--sun is 0,0,0, which is no direction");
  render.shade = parse_choice<render::Shade>(parsed, "shade",
                                             {{"material", render::Shade::Material},
                                              {"depth", render::Shade::Depth},
                                              {"normal", render::Shade::Normal},
                                              {"level", render::Shade::Level},
                                              {"sharing", render::Shade::Sharing}});
  render.shadows = parse_choice<render::Shadows>(
      parsed, "shadows", {{"on", render::Shadows::On}, {"off", render::Shadows::Off}});
  render.normals = parse_choice<render::Normals>(parsed, "normals",
                                                 {{"auto", render::Normals::Auto},
                                                  {"smooth", render::Normals::Smooth},
                                                  {"faces", render::Normals::Faces}});
  render.colors = parse_choice<render::LevelColors>(
      parsed, "level-colors", {{"mean", render::LevelColors::Mean}, {"voxel", render::LevelColors::Voxel}});
  render.sampling = parse_choice<render::Sampling>(
      parsed, "sampling", {{"edges", render::Sampling::Edges}, {"all", render::Sampling::All}});
  render.skies = parse_choice<render::Sky>(
      parsed, "sky", {{"gradient", render::Sky::Gradient}, {"flat", render::Sky::Flat}});
  render.ground = parsed.count("ground") > 0 ? render::Ground::On : render::Ground::Off;
  const auto exposure = parsed["exposure"].as<std::string>();
  render.exposure = parse_number(exposure, "--exposure");
  if (!(render.exposure >= 0.001 && render.exposure <= 1000))
    throw UsageError(fmt::format("--exposure is {}, expected 0.001 to 1000", exposure));
  render.lod = parse_choice<render::LevelOfDetail>(
      parsed, "lod", {{"on", render::LevelOfDetail::On}, {"off", render::LevelOfDetail::Off}});
  return render;
}

Layer parse_layer(const std::string& text, const std::string& option) {
  if (text.size() < 3 || text[0] < 'x' || text[0] > 'z' || text[1] != '=')
    throw UsageError(fmt::format("--{} is '{}', expected an axis and a layer like z=1024", option, text));
  return {static_cast<uint32_t>(text[0] - 'x'),
          parse_whole(text.substr(2), option, 0, (1u << render::kMaxLog2Side) - 1)};
}

void read_slice(const cxxopts::ParseResult& parsed, RenderToolOptions& options) {
  if (parsed.count("slice") == 0) return;
  const Layer layer = parse_layer(parsed["slice"].as<std::string>(), "slice");
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

// Before pictures are taken, since it is known before.
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

void read_page(const cxxopts::ParseResult& parsed, RenderToolOptions& options) {
  options.page_limit = parse_bytes(parsed["page-limit"].as<std::string>(), "--page-limit");
  if (parsed.count("html") == 0) return;
  const auto name = parsed["html"].as<std::string>();
  if (!has_role(name, FileRole::Page))
    throw UsageError(fmt::format("--html is '{}', expected a name that ends in .html", name));
  options.page = name;
}

}  // namespace

RenderToolOptions parse_render_options(int argc, char** argv) {
  cxxopts::Options description = describe();
  CommonOptions common;
  const auto parsed = parse_command_line(description, argc, argv, common,
                                         {"Picture", "Page", "Camera", "Light", "Volume", "Device"});
  if (parsed.count("scene") == 0) throw UsageError("no scene file given (see vox-render --help)");
  RenderToolOptions options;
  options.scene = parsed["scene"].as<std::string>();
  options.form = parse_choice<SceneForm>(parsed, "structure",
                                         {{"auto", SceneForm::Any},
                                          {"svdag", SceneForm::Svdag},
                                          {"hash", SceneForm::Hash},
                                          {"bricks", SceneForm::Bricks}});
  options.output = picture_file_name(options.scene);
  if (parsed.count("output") > 0) options.output = parse_output(parsed["output"].as<std::string>());
  if (parsed.count("turntable") > 0)
    options.from.turntable =
        parse_whole(parsed["turntable"].as<std::string>(), "turntable", 1, render::kMaxPictures);
  read_camera(parsed, options);
  options.render = read_render(parsed);
  if (parsed.count("sun") == 0)
    options.render.to_sun = render::turned_back(options.render.to_sun, options.from.up);
  check_film(options);
  if (parsed.count("ao-reach") > 0) {
    const auto reach = parsed["ao-reach"].as<std::string>();
    options.ao_reach = parse_number(reach, "--ao-reach");
    if (options.ao_reach <= 0) throw UsageError(fmt::format("--ao-reach is {}, expected a length", reach));
  }
  options.legends = parse_choice<Legends>(parsed, "legend", {{"on", Legends::On}, {"off", Legends::Off}});
  read_slice(parsed, options);
  options.volume = read_volume_look(parsed);
  if (parsed.count("clip") > 0) options.clip = parse_box(parsed["clip"].as<std::string>(), "clip");
  if (parsed.count("cut") > 0) read_cut(parsed["cut"].as<std::string>(), options);
  read_page(parsed, options);
  options.engine = read_device_options(parsed);
  options.json = common.json;
  options.overwrite = common.overwrite;
  options.given = common.given;
  options.command = command_text(argc, argv);
  return options;
}

}  // namespace vox
