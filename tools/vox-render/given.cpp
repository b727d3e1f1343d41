#include "tools/vox-render/given.h"

#include "formats/file_types.h"
#include "tools/common/option_table.h"

namespace vox {
namespace {

enum : uint32_t {
  kLit = 1,       // a scene in the light
  kMeasured = 2,  // depth, normal or level as colours
  kSharing = 4,
  kSceneCut = 8,
  kVolume = 16,
  kVolumeCut = 32,
  kOccluded = 64,   // ambient occlusion by --ao
  kPage = 128,      // a page to fly through, whose reader chooses all but the first view
  kIso = 256,       // a surface of a volume
  kMany = 512,      // a film, or a way with times
  kFacing = 1024,   // --shade material or normal
  kSampled = 2048,  // several samples a pixel
  kLevels = 4096,   // a scene in the light, with level of detail
  kShadowed = 8192  // a scene in the light, with something that makes its ground darker
};
constexpr uint32_t kScene = kLit | kMeasured | kSharing, kFromEye = kScene | kVolume | kIso,
                   kPictures = kFromEye | kSceneCut | kVolumeCut;

constexpr const char* kOfCameras = "it is for a picture with a camera, a cut has none";
constexpr const char* kOfScenes = "it is for pictures of scenes";
constexpr const char* kOfLight = "it is for --shade material";
constexpr const char* kOfPictures = "it is for pictures; who reads a page chooses there";

constexpr OptionRow kTable[] = {
    {"page-limit", kPage, "it is for --html"},
    {"output", kPictures, "--html says where the page goes"},
    {"size", kPictures, "a page is as large as its window"},
    {"slice", kPictures, kOfPictures},
    {"turntable", kPictures, kOfPictures},
    {"turntable", kFromEye, kOfCameras},
    {"path", kPictures, kOfPictures},
    {"path", kFromEye, kOfCameras},
    {"fps", kMany, "it is for films, and for a --path with times"},
    {"clip", kScene | kPage, "it is for pictures of scenes with a camera, and pages"},
    {"cut", kScene | kPage, "it is for pictures of scenes with a camera, and pages"},
    {"view", kFromEye | kPage, kOfCameras},
    {"eye", kFromEye | kPage, kOfCameras},
    {"target", kFromEye | kPage, kOfCameras},
    {"fov", kFromEye | kPage, kOfCameras},
    {"up", kFromEye | kPage, kOfCameras},
    {"up", kVolume | kIso, "it is for volumes; of a scene y points up, and a --path may say otherwise"},
    {"samples", kPictures, kOfPictures},
    {"samples", kScene, kOfScenes},
    {"sampling", kPictures, kOfPictures},
    {"sampling", kScene, kOfScenes},
    {"sampling", kSampled, "it is for --samples, which says how many rays"},
    {"normals", kScene | kPage, kOfScenes},
    {"normals", kFacing | kPage, "it is for --shade material and normal"},
    {"level-colors", kPictures, kOfPictures},
    {"level-colors", kScene, kOfScenes},
    {"level-colors", kLit, kOfLight},
    {"level-colors", kLevels, "it is for --lod on"},
    {"sky", kScene | kPage, kOfScenes},
    {"sky", kLit | kPage, kOfLight},
    {"ground", kScene | kPage, kOfScenes},
    {"ground", kLit | kPage, kOfLight},
    {"ground", kShadowed | kPage, "it shows shadows of a sun above it, and ambient occlusion by --ao"},
    {"exposure", kScene | kPage, kOfScenes},
    {"exposure", kLit | kPage, kOfLight},
    {"shade", kScene | kPage, kOfScenes},
    {"shadows", kScene | kPage, kOfScenes},
    {"shadows", kLit | kPage, kOfLight},
    {"ao", kPictures, kOfPictures},
    {"ao", kScene, kOfScenes},
    {"ao", kLit, kOfLight},
    {"ao-reach", kPictures, kOfPictures},
    {"ao-reach", kScene, kOfScenes},
    {"ao-reach", kLit, kOfLight},
    {"ao-reach", kOccluded, "it is for --ao, which says how many rays"},
    {"sun", kFromEye | kPage, kOfCameras},
    {"sun", kLit | kVolume | kIso | kPage, kOfLight},
    {"lod", kScene | kPage, kOfScenes},
    {"lod", kLit | kMeasured | kPage, "the uses of leaves are looked up in all of them"},
    {"legend", kPictures, "a page has one where it is needed"},
    {"legend", kMeasured | kSharing | kVolume | kIso | kVolumeCut,
     "materials have their own colours, and no legend"},
    {"opacity", kVolume, "it is for pictures that look through a volume"},
    {"iso", kIso, "it is for pictures of volumes"},
    {"colors", kVolume | kIso | kVolumeCut, "it is for pictures of volumes"},
    {"values", kVolume | kIso | kVolumeCut, "it is for pictures of volumes"},
    {"profile", kFromEye | kSceneCut, "nothing of it runs on a device"},
};

RunTraits of_scene(const RenderToolOptions& options) {
  if (options.page) return {kPage, "a page"};
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
  if (options.slice) return {kVolumeCut, "a cut through a volume"};
  if (options.volume.iso) return {kIso, "a surface of a volume"};
  return {kVolume, "a volume"};
}

}  // namespace

void check_given(const RenderToolOptions& options, Shown shown) {
  RunTraits run = shown == Shown::Scene ? of_scene(options) : of_volume(options);
  if (has_role(options.output, FileRole::Film) || options.from.path.timed) run.bits |= kMany;
  check_options(options.given, kTable, run);
}

}  // namespace vox
