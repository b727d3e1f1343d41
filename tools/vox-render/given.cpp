#include "tools/vox-render/given.h"

#include "formats/file_types.h"
#include "tools/vox-render/described_options.h"

namespace vox {
namespace {

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
  check_effects(options.given, run);
}

}  // namespace vox
