#include "tools/vox-render/given.h"

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
  kOccluded = 64  // ambient occlusion by --ao
};
constexpr uint32_t kScene = kLit | kMeasured | kSharing, kFromEye = kScene | kVolume;

constexpr const char* kOfCameras = "it is for a picture with a camera, a cut has none";
constexpr const char* kOfScenes = "it is for pictures of scenes";
constexpr const char* kOfLight = "it is for --shade material";

constexpr OptionRow kTable[] = {
    {"turntable", kFromEye, kOfCameras},
    {"view", kFromEye, kOfCameras},
    {"eye", kFromEye, kOfCameras},
    {"target", kFromEye, kOfCameras},
    {"fov", kFromEye, kOfCameras},
    {"samples", kScene, kOfScenes},
    {"shade", kScene, kOfScenes},
    {"shadows", kScene, kOfScenes},
    {"shadows", kLit, kOfLight},
    {"ao", kScene, kOfScenes},
    {"ao", kLit, kOfLight},
    {"ao-reach", kScene, kOfScenes},
    {"ao-reach", kLit, kOfLight},
    {"ao-reach", kOccluded, "it is for --ao, which says how many rays"},
    {"sun", kFromEye, kOfCameras},
    {"sun", kLit | kVolume, kOfLight},
    {"lod", kScene, kOfScenes},
    {"lod", kLit | kMeasured, "the uses of leaves are looked up in all of them"},
    {"legend", kMeasured | kSharing | kVolume | kVolumeCut,
     "materials have their own colours, and no legend"},
    {"opacity", kVolume, "it is for pictures of volumes"},
    {"values", kVolume | kVolumeCut, "it is for pictures of volumes"},
    {"profile", kFromEye | kSceneCut, "nothing of it runs on a device"},
};

RunTraits of_scene(const RenderToolOptions& options) {
  if (options.slice) return {kSceneCut, "a cut through a scene"};
  if (options.render.shade == render::Shade::Sharing) return {kSharing, "--shade sharing"};
  if (options.render.shade != render::Shade::Material) return {kMeasured, "--shade depth, normal or level"};
  uint32_t bits = kLit;
  if (options.render.ao_rays > 0) bits |= kOccluded;
  return {bits, "a scene"};
}

RunTraits of_volume(const RenderToolOptions& options) {
  if (options.slice) return {kVolumeCut, "a cut through a volume"};
  return {kVolume, "a volume"};
}

}  // namespace

void check_given(const RenderToolOptions& options, Shown shown) {
  check_options(options.given, kTable, shown == Shown::Scene ? of_scene(options) : of_volume(options));
}

}  // namespace vox
