#include "tools/vox-render/frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/file_types.h"
#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "tools/common/command_line.h"
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

namespace {

constexpr uint32_t kScene = kLit | kMeasured | kSharing, kFromEye = kScene | kVolume | kIso,
                   kPictures = kFromEye | kSceneCut | kVolumeCut, kAnyVolume = kVolume | kIso | kVolumeCut;

constexpr const char* kOfCameras = "it is for a picture with a camera, a cut has none";
constexpr const char* kOfScenes = "it is for pictures of scenes";
constexpr const char* kOfLight = "it is for --shade material";
constexpr const char* kOfPictures = "it is for pictures; who reads a page chooses there";
constexpr const char* kOfVolumes = "it is for pictures of volumes";

constexpr OptionRule kPictureRule = {kPictures, kOfPictures}, kSceneRule = {kScene, kOfScenes},
                     kLightRule = {kLit, kOfLight}, kCameraRule = {kFromEye | kPage, kOfCameras},
                     kScenePageRule = {kScene | kPage, kOfScenes}, kLightPageRule = {kLit | kPage, kOfLight};

OptionTopic picture_topic() {
  return {
      .name = "picture",
      .title = "the picture",
      .options = {
          option("structure", "", {},
                 "Show this structure of a file that holds several; auto: the first one that it holds.",
                 {.words = {"auto", "svdag", "hash", "bricks", "symmetric"}, .preset = "auto"}),
          option("output", "FILE", {{kPictures, "--html says where the page goes"}},
                 "Write this picture, or a film (.mp4) of several pictures, which needs ffmpeg.",
                 {.letter = "o", .usual = "SCENE-view.png"}),
          option("size", "WxH", {{kPictures, "a page is as large as its window"}},
                 "Size of the picture in pixels; a slice is at most this large.", {.preset = "1920x1080"}),
          option("samples", "N", {kPictureRule, kSceneRule}, "Number of rays for each pixel.",
                 {.preset = "4", .range = OptionRange{1, 4096}}),
          option("sampling", "",
                 {kPictureRule, kSceneRule, {kSampled, "it is for --samples, which says how many rays"}},
                 "Use --samples rays for pixels on edges only, where a pixel differs from its neighbors, "
                 "or for all pixels.",
                 {.words = {"edges", "all"}, .preset = "edges"}),
          option("turntable", "N", {kPictureRule, {kFromEye, kOfCameras}},
                 "Take this number of pictures once around the scene.",
                 {.range = OptionRange{1, render::kMaxPictures}}),
          option("path", "FILE.csv", {kPictureRule, {kFromEye, kOfCameras}},
                 "Take pictures along the path of a camera. The table has the columns "
                 "eye_x,eye_y,eye_z,target_x,target_y,target_z and, if wanted, fov, time, "
                 "up_x,up_y,up_z. There is one picture for each row; with times in seconds, the camera "
                 "moves through the rows."),
          option("fps", "N", {{kMany, "it is for films, and for a --path with times"}},
                 "Number of pictures for each second of a film, or of a path with times.",
                 {.preset = "30", .range = OptionRange{0.1, 1000}}),
          option("slice", "AXIS=N", {kPictureRule},
                 "Show one layer of voxels across the axis x, y or z; the first layer is 0."),
          option("cut", "AXIS=N|off",
                 {{kScene | kPage, "it is for pictures of scenes with a camera, and pages"}},
                 "Open the scene: leave out what lies between the eye and this layer of voxels, and "
                 "hatch the cut. A scene that is closed on all sides is opened by default; off: leave it "
                 "closed."),
          option("clip", "X0,Y0,Z0,X1,Y1,Z1",
                 {{kScene | kPage, "it is for pictures of scenes with a camera, and pages"}},
                 "Show only this box of the scene, in scene units."),
          option("legend", "",
                 {{kPictures, "a page has one where it is needed"},
                  {kMeasured | kSharing | kAnyVolume, "materials have their own colors, and no legend"}},
                 "Draw a legend into a corner if colors stand for measured values.",
                 {.words = {"on", "off"}, .preset = "on"})}};
}

OptionTopic page_topic() {
  return {.name = "page",
          .title = "a page to fly through",
          .options = {
              option("html", "FILE", {},
                     "Write a page to fly through, instead of a picture: one file that needs no server and "
                     "begins with this view and light, or a folder with --stream."),
              flag("stream", {{kPage, "it is for --html"}},
                   "Write the page as a folder for a web server. The page loads what its user looks at, so "
                   "that a scene of any size is shown in full detail. It offers everything that a page in "
                   "one file does, except --shade sharing."),
              option("page-limit", "SIZE",
                     {{kPage, "it is for --html"}, {kOneFile, "a page with --stream has no limit"}},
                     "Largest size of the page; a larger scene is shown at the finest level that fits.",
                     {.preset = "64M"}),
              option("page-memory", "SIZE", {{kPage, "it is for --html"}, {kStreamed, "it is for --stream"}},
                     "The most memory of the user's GPU that a page with --stream takes for the scene.",
                     {.preset = "256M", .range = OptionRange{1 << 20, uint64_t{1} << 34}, .unit = "bytes"})}};
}

OptionTopic camera_topic() {
  return {
      .name = "camera",
      .title = "the camera",
      .options = {
          option("view", "VIEW", {kCameraRule}, "Show the whole scene from this side.",
                 {.words = render::view_names(), .preset = "iso"}),
          option("eye", "X,Y,Z", {kCameraRule}, "Position of the camera in scene units, instead of --view."),
          option("target", "X,Y,Z", {kCameraRule}, "The point that the camera of --eye looks at.",
                 {.usual = "the center of the scene"}),
          option("fov", "ANGLE", {kCameraRule}, "Field of view across the shorter side of the picture.",
                 {.preset = "40", .range = OptionRange{render::kMinFov, render::kMaxFov}, .unit = "degrees"}),
          option(
              "up", "AXIS",
              {kCameraRule,
               {kVolume | kIso, "it is for volumes; of a scene y points up, and a --path may say otherwise"}},
              "The axis of a volume that points up in pictures.",
              {.words = {"x", "y", "z", "-x", "-y", "-z"}, .preset = "y"})}};
}

OptionTopic light_topic() {
  return {
      .name = "light",
      .title = "light and colors",
      .options = {
          option(
              "shade", "WHAT",
              {{kScene | kPage | kTyped, "it is for pictures of scenes, and type for those of bricks"}},
              "Show materials in the light, or these values as colors: depth, normals, level of detail, or "
              "how often the SVDAG uses a leaf; type: the type of each brick in a file that holds bricks.",
              {.words = {"material", "depth", "normal", "level", "sharing", "type"}, .preset = "material"}),
          option("sun", "X,Y,Z", {kCameraRule, {kLit | kVolume | kIso | kPage, kOfLight}},
                 "Direction towards the sun.", {.preset = "0.45,0.8,0.6"}),
          option("shadows", "", {kScenePageRule, kLightPageRule}, "Draw the shadows of the sun.",
                 {.words = {"on", "off"}, .preset = "on"}),
          option("ao", "N", {kPictureRule, kSceneRule, kLightRule},
                 "Number of rays for the ambient occlusion of each sample; 0 turns it off.",
                 {.preset = "0", .range = OptionRange{0, render::kHemisphere}}),
          option(
              "ao-reach", "LENGTH",
              {kPictureRule, kSceneRule, kLightRule, {kOccluded, "it is for --ao, which says how many rays"}},
              "Length of these rays in scene units.",
              {.usual = "1/16 of the cube", .range = OptionRange{.ends = OptionRange::Ends::LeastExcluded}}),
          option("normals", "", {kScenePageRule, {kFacing | kPage, "it is for --shade material and normal"}},
                 "Shade the faces of voxels, or the smooth surface that they stand for; auto: by the normals "
                 "that the file holds (vox-convert --normals), else smooth if voxels are smaller than "
                 "pixels.",
                 {.words = {"auto", "smooth", "faces"}, .preset = "auto"}),
          option("level-colors", "", {kPictureRule, kSceneRule, kLightRule, {kLevels, "it is for --lod on"}},
                 "Color of a pixel that shows several voxels: their mean, or the color of one of them. A "
                 "scene larger than memory, which the CPU reads from its file piece by piece, always has the "
                 "latter.",
                 {.words = {"mean", "voxel"}, .preset = "mean"}),
          option("sky", "", {kScenePageRule, kLightPageRule}, "Background of a scene in the light.",
                 {.words = {"gradient", "flat"}, .preset = "gradient"}),
          flag("ground",
               {kScenePageRule,
                kLightPageRule,
                {kShadowed | kPage, "it shows shadows of a sun above it, and ambient occlusion by --ao"}},
               "Draw a plane below the scene in the color of the sky. It shows the scene's shadow and, with "
               "--ao, its ambient occlusion."),
          option("exposure", "X", {kScenePageRule, kLightPageRule}, "Multiply all light by this number.",
                 {.preset = "1", .range = OptionRange{0.001, 1000}}),
          option(
              "lod", "",
              {kScenePageRule, {kLit | kMeasured | kPage, "the uses of leaves are looked up in all of them"}},
              "Level of detail: on skips everything that is smaller than a pixel.",
              {.words = {"on", "off"}, .preset = "on"})}};
}

OptionTopic volume_topic() {
  return {.name = "volume",
          .title = "volumes",
          .options = {option("colors", "gray|viridis|bone|labels|FILE", {{kAnyVolume, kOfVolumes}},
                             "Colors of values: gray, viridis or bone are scales from the lowest to the "
                             "highest value; labels has 256 colors, one for each number; a file of colors "
                             "holds the points of a scale or the colors of labels.",
                             {.usual = "what fits the values"}),
                      option("opacity", "SHARE", {{kVolume, "it is for pictures that look through a volume"}},
                             "Opacity of a voxel of the highest value, from 0 to 1; lower values are more "
                             "transparent. Or a curve over the range of values: SHARE:OPACITY,...",
                             {.preset = fmt::format("{}", render::kVolumeOpacity)}),
                      option("iso", "SHARE", {{kIso, kOfVolumes}},
                             "Show only the surface where values reach this share of their range, in the "
                             "last one of the colors.",
                             {.range = OptionRange{0, 1}}),
                      option("values", "", {{kAnyVolume, kOfVolumes}},
                             "Meaning of the values: amounts on a scale, or labels with a color each. auto: "
                             "labels if equal whole numbers lie side by side; the materials of a scene have "
                             "the colors of its palette.",
                             {.words = {"auto", "amounts", "labels"}, .preset = "auto"})}};
}

}  // namespace

ToolDescription render_description() {
  return {
      .program = "vox-render",
      .usage = "SCENE.h5 [options]",
      .about =
          "Takes a picture (PNG) of a scene file: its voxels in the light of the sun or, if the file holds "
          "only the bricks of a volume, its values as colors, where lower values are more transparent. It "
          "also makes films, slices, and pages to fly through.\n",
      .examples =
          {"vox-render house.h5                                   house-view.png, the whole scene",
           "vox-render house.h5 --eye 3,2,8 --target 0,1,0 --fov 60",
           "vox-render house.h5 --html house.html                 a page to fly through, for any browser",
           "vox-render city.h5 --html city/ --stream              a page that loads as you fly",
           "vox-render house.h5 -o view.png --view top --ao 16 --samples 4",
           "vox-render house.h5 --shade depth                     shows what is near and what is far",
           "vox-render house.h5 --shade sharing                   shows what the SVDAG uses often",
           "vox-render house.h5 --ground --ao 16                  a ground that shows the scene's shadow",
           "vox-render house.h5 --slice y=100                     the 101st layer of voxels from below",
           "vox-render house.h5 --cut x=64                        a look into the scene",
           "vox-render ct.h5 --opacity 0.1                        a more transparent volume",
           "vox-render ct.h5 --colors bone --opacity 0.2:0,1:0.6  gray values, the low ones invisible",
           "vox-render ct.h5 --iso 0.3                            a surface of one value",
           "vox-render ct.h5 --slice z=40                         a slice of a volume",
           "vox-render house.h5 --turntable 36                    house-view-00.png to house-view-35.png",
           "vox-render house.h5 --turntable 120 -o turn.mp4       a film, which needs ffmpeg",
           "vox-render house.h5 --path camera.csv -o flight.mp4   a film along the path of a camera",
           "vox-render house.h5 --samples 64 --device cuda:0,1    two GPUs share the rows"},
      .basics = {"output", "size", "view", "eye", "target", "samples", "ao", "shade", "turntable", "html"},
      .topics = {picture_topic(), page_topic(), camera_topic(), light_topic(), volume_topic(),
                 device_topic({{kFromEye | kSceneCut, "nothing of it runs on a device"}}), general_topic()},
      .operands = {option("scene", "SCENE.h5", {}, "A scene file that vox-convert wrote.")}};
}

}  // namespace vox
