#include "tools/vox-render/options.h"

#include <fmt/format.h>

#include "tools/common/common_options.h"
#include "tools/common/tool.h"

namespace vox {
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
          {.name = "structure",
           .words = {"auto", "svdag", "hash", "bricks", "symmetric"},
           .preset = "auto",
           .help = "Show this structure of a file that holds several; auto: the first one that it holds."},
          {.name = "output",
           .letter = "o",
           .argument = "FILE",
           .usual = "SCENE-view.png",
           .rules = {{kPictures, "--html says where the page goes"}},
           .help = "Write this picture, or a film (.mp4) of several pictures, which needs ffmpeg."},
          {.name = "size",
           .argument = "WxH",
           .preset = "1920x1080",
           .rules = {{kPictures, "a page is as large as its window"}},
           .help = "Size of the picture in pixels; a slice is at most this large."},
          {.name = "samples",
           .argument = "N",
           .preset = "4",
           .range = OptionRange{1, 4096},
           .rules = {kPictureRule, kSceneRule},
           .help = "Number of rays for each pixel."},
          {.name = "sampling",
           .words = {"edges", "all"},
           .preset = "edges",
           .rules = {kPictureRule, kSceneRule, {kSampled, "it is for --samples, which says how many rays"}},
           .help = "Use --samples rays for pixels on edges only, where a pixel differs from its neighbors, "
                   "or for all pixels."},
          {.name = "turntable",
           .argument = "N",
           .range = OptionRange{1, render::kMaxPictures},
           .rules = {kPictureRule, {kFromEye, kOfCameras}},
           .help = "Take this number of pictures once around the scene."},
          {.name = "path",
           .argument = "FILE.csv",
           .rules = {kPictureRule, {kFromEye, kOfCameras}},
           .help = "Take pictures along the path of a camera. The table has the columns "
                   "eye_x,eye_y,eye_z,target_x,target_y,target_z and, if wanted, fov, time, up_x,up_y,up_z. "
                   "There is "
                   "one picture for each row; with times in seconds, the camera moves through the rows."},
          {.name = "fps",
           .argument = "N",
           .preset = "30",
           .range = OptionRange{0.1, 1000},
           .rules = {{kMany, "it is for films, and for a --path with times"}},
           .help = "Number of pictures for each second of a film, or of a path with times."},
          {.name = "slice",
           .argument = "AXIS=N",
           .rules = {kPictureRule},
           .help = "Show one layer of voxels across the axis x, y or z; the first layer is 0."},
          {.name = "cut",
           .argument = "AXIS=N|off",
           .rules = {{kScene | kPage, "it is for pictures of scenes with a camera, and pages"}},
           .help =
               "Open the scene: leave out what lies between the eye and this layer of voxels, and hatch "
               "the cut. A scene that is closed on all sides is opened by default; off: leave it closed."},
          {.name = "clip",
           .argument = "X0,Y0,Z0,X1,Y1,Z1",
           .rules = {{kScene | kPage, "it is for pictures of scenes with a camera, and pages"}},
           .help = "Show only this box of the scene, in scene units."},
          {.name = "legend",
           .words = {"on", "off"},
           .preset = "on",
           .rules = {{kPictures, "a page has one where it is needed"},
                     {kMeasured | kSharing | kAnyVolume, "materials have their own colors, and no legend"}},
           .help = "Draw a legend into a corner if colors stand for measured values."}}};
}

OptionTopic page_topic() {
  return {
      .name = "page",
      .title = "a page to fly through",
      .options = {
          {.name = "html",
           .argument = "FILE",
           .help = "Write a page to fly through, instead of a picture: one file that needs no server and "
                   "begins with this view and light, or a folder with --stream."},
          {.name = "stream",
           .rules = {{kPage, "it is for --html"}},
           .help =
               "Write the page as a folder for a web server. The page loads what its user looks at, so "
               "that a scene of any size is shown in full detail. It offers everything that a page in one "
               "file does, except --shade sharing."},
          {.name = "page-limit",
           .argument = "SIZE",
           .preset = "64M",
           .rules = {{kPage, "it is for --html"}, {kOneFile, "a page with --stream has no limit"}},
           .help = "Largest size of the page; a larger scene is shown at the finest level that fits."},
          {.name = "page-memory",
           .argument = "SIZE",
           .preset = "256M",
           .range = OptionRange{1 << 20, uint64_t{1} << 34},
           .unit = "bytes",
           .rules = {{kPage, "it is for --html"}, {kStreamed, "it is for --stream"}},
           .help = "The most memory of the user's GPU that a page with --stream takes for the scene."}}};
}

OptionTopic camera_topic() {
  return {
      .name = "camera",
      .title = "the camera",
      .options = {{.name = "view",
                   .argument = "VIEW",
                   .words = render::view_names(),
                   .preset = "iso",
                   .rules = {kCameraRule},
                   .help = "Show the whole scene from this side."},
                  {.name = "eye",
                   .argument = "X,Y,Z",
                   .rules = {kCameraRule},
                   .help = "Position of the camera in scene units, instead of --view."},
                  {.name = "target",
                   .argument = "X,Y,Z",
                   .usual = "the center of the scene",
                   .rules = {kCameraRule},
                   .help = "The point that the camera of --eye looks at."},
                  {.name = "fov",
                   .argument = "ANGLE",
                   .preset = "40",
                   .range = OptionRange{render::kMinFov, render::kMaxFov},
                   .unit = "degrees",
                   .rules = {kCameraRule},
                   .help = "Field of view across the shorter side of the picture."},
                  {.name = "up",
                   .argument = "AXIS",
                   .words = {"x", "y", "z", "-x", "-y", "-z"},
                   .preset = "y",
                   .rules = {kCameraRule,
                             {kVolume | kIso,
                              "it is for volumes; of a scene y points up, and a --path may say otherwise"}},
                   .help = "The axis of a volume that points up in pictures."}}};
}

OptionTopic light_topic() {
  return {
      .name = "light",
      .title = "light and colors",
      .options = {
          {.name = "shade",
           .argument = "WHAT",
           .words = {"material", "depth", "normal", "level", "sharing", "type"},
           .preset = "material",
           .rules = {{kScene | kPage | kTyped, "it is for pictures of scenes, and type for those of bricks"}},
           .help = "Show materials in the light, or these values as colors: depth, normals, level of detail, "
                   "or how often the SVDAG uses a leaf; type: the type of each brick in a file that holds "
                   "bricks."},
          {.name = "sun",
           .argument = "X,Y,Z",
           .preset = "0.45,0.8,0.6",
           .rules = {kCameraRule, {kLit | kVolume | kIso | kPage, kOfLight}},
           .help = "Direction towards the sun."},
          {.name = "shadows",
           .words = {"on", "off"},
           .preset = "on",
           .rules = {kScenePageRule, kLightPageRule},
           .help = "Draw the shadows of the sun."},
          {.name = "ao",
           .argument = "N",
           .preset = "0",
           .range = OptionRange{0, render::kHemisphere},
           .rules = {kPictureRule, kSceneRule, kLightRule},
           .help = "Number of rays for the ambient occlusion of each sample; 0 turns it off."},
          {.name = "ao-reach",
           .argument = "LENGTH",
           .usual = "1/16 of the cube",
           .range = OptionRange{.ends = OptionRange::Ends::LeastExcluded},
           .rules = {kPictureRule,
                     kSceneRule,
                     kLightRule,
                     {kOccluded, "it is for --ao, which says how many rays"}},
           .help = "Length of these rays in scene units."},
          {.name = "normals",
           .words = {"auto", "smooth", "faces"},
           .preset = "auto",
           .rules = {kScenePageRule, {kFacing | kPage, "it is for --shade material and normal"}},
           .help =
               "Shade the faces of voxels, or the smooth surface that they stand for; auto: by the normals "
               "that the file holds (vox-convert --normals), else smooth if voxels are smaller than "
               "pixels."},
          {.name = "level-colors",
           .words = {"mean", "voxel"},
           .preset = "mean",
           .rules = {kPictureRule, kSceneRule, kLightRule, {kLevels, "it is for --lod on"}},
           .help =
               "Color of a pixel that shows several voxels: their mean, or the color of one of them. A "
               "scene larger than memory, which the CPU reads from its file piece by piece, always has the "
               "latter."},
          {.name = "sky",
           .words = {"gradient", "flat"},
           .preset = "gradient",
           .rules = {kScenePageRule, kLightPageRule},
           .help = "Background of a scene in the light."},
          {.name = "ground",
           .rules = {kScenePageRule,
                     kLightPageRule,
                     {kShadowed | kPage,
                      "it shows shadows of a sun above it, and ambient occlusion by --ao"}},
           .help = "Draw a plane below the scene in the color of the sky. It shows the scene's shadow and, "
                   "with --ao, its ambient occlusion."},
          {.name = "exposure",
           .argument = "X",
           .preset = "1",
           .range = OptionRange{0.001, 1000},
           .rules = {kScenePageRule, kLightPageRule},
           .help = "Multiply all light by this number."},
          {.name = "lod",
           .words = {"on", "off"},
           .preset = "on",
           .rules = {kScenePageRule,
                     {kLit | kMeasured | kPage, "the uses of leaves are looked up in all of them"}},
           .help = "Level of detail: on skips everything that is smaller than a pixel."}}};
}

OptionTopic volume_topic() {
  return {
      .name = "volume",
      .title = "volumes",
      .options = {
          {.name = "colors",
           .argument = "gray|viridis|bone|labels|FILE",
           .usual = "what fits the values",
           .rules = {{kAnyVolume, kOfVolumes}},
           .help = "Colors of values: gray, viridis or bone are scales from the lowest to the highest "
                   "value; labels has 256 colors, one for each number; a file of colors holds the points "
                   "of a scale or the colors of labels."},
          {.name = "opacity",
           .argument = "SHARE",
           .preset = fmt::format("{}", render::kVolumeOpacity),
           .rules = {{kVolume, "it is for pictures that look through a volume"}},
           .help = "Opacity of a voxel of the highest value, from 0 to 1; lower values are more transparent. "
                   "Or a curve "
                   "over the range of values: SHARE:OPACITY,..."},
          {.name = "iso",
           .argument = "SHARE",
           .range = OptionRange{0, 1},
           .rules = {{kIso, kOfVolumes}},
           .help = "Show only the surface where values reach this share of their range, in the last one of "
                   "the colors."},
          {.name = "values",
           .words = {"auto", "amounts", "labels"},
           .preset = "auto",
           .rules = {{kAnyVolume, kOfVolumes}},
           .help = "Meaning of the values: amounts on a scale, or labels with a color each. auto: labels "
                   "if equal whole numbers lie side by side; the materials of a scene have the colors of "
                   "its palette."}}};
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
      .operands = {
          {.name = "scene", .argument = "SCENE.h5", .help = "A scene file that vox-convert wrote."}}};
}

}  // namespace vox
