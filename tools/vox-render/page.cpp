#include "tools/vox-render/page.h"

#include <fmt/format.h>

#include <utility>

#include "formats/pages/scene_page.h"
#include "formats/results/json_text.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/targets.h"
#include "tools/common/terminal.h"
#include "tools/vox-render/part.h"

namespace vox {
namespace {

std::string triple(Vec3d point) {
  return fmt::format("{},{},{}", point.x, point.y, point.z);
}

// A view in the words of the page's address (formats/pages/viewer/settings.js).
std::string start_of(const RenderToolOptions& options) {
  const render::Viewpoints& from = options.from;
  std::string text = from.eye ? "eye=" + triple(*from.eye) : "view=" + from.view;
  if (from.target) text += "&target=" + triple(*from.target);
  text += fmt::format("&fov={}&sun={}", from.fov, triple(options.render.to_sun));
  switch (options.render.shade) {
    case render::Shade::Material:
      break;
    case render::Shade::Normal:
      text += "&shade=normal";
      break;
    case render::Shade::Depth:
      text += "&shade=depth";
      break;
    case render::Shade::Level:
      text += "&shade=level";
      break;
    case render::Shade::Sharing:
      text += "&shade=sharing";
      break;
  }
  if (options.render.shadows == render::Shadows::Off) text += "&shadows=off";
  if (options.render.lod == render::LevelOfDetail::Off) text += "&lod=off";
  if (options.render.normals == render::Normals::Smooth) text += "&normals=smooth";
  if (options.render.normals == render::Normals::Faces) text += "&normals=faces";
  if (options.render.skies == render::Sky::Flat) text += "&sky=flat";
  if (options.render.ground == render::Ground::On) text += "&ground=on";
  if (options.render.exposure != 1) text += fmt::format("&exposure={}", options.render.exposure);
  return text;
}

std::string part_text(const voxelize::Box& clip, const dag::VoxelScene& scene) {
  return fmt::format("the box from {} to {} of a scene of {}", triple(clip.min), triple(clip.max),
                     format_count(scene.dag.voxels, "voxel"));
}

// What is left of the scene at the first view, if it is cut. In pages, eyes stand where those of pictures do.
std::optional<VoxelBox> left_by_cut(const dag::VoxelScene& scene, const RenderToolOptions& options) {
  const render::Place place = {scene.origin, scene.voxel_size};
  const std::vector<VoxelBox> outline = render::outline(scene.dag);
  const render::CameraPose pose =
      render::poses_from(options.from, outline, place, options.render.size).front();
  const std::optional<Cutaway> cutaway = cut_open(scene, pose.eye, cut_layer(scene, pose, options));
  if (!cutaway) return std::nullopt;
  return cutaway->left;
}

}  // namespace

void write_page(const RenderToolOptions& options) {
  ScenePageOptions page = {.title = options.scene.filename().string(),
                           .command = options.command,
                           .start = start_of(options),
                           .most_bytes = options.page_limit,
                           .memory_limit = options.engine.memory_limit};
  check_target({"the page", *options.page, OutputKind::Page}, options.scene, options.overwrite);
  dag::VoxelScene scene =
      read_any_scene(options.scene, options.engine, options.form, damage_with(options.overwrite));
  if (options.clip) page.part = part_text(*options.clip, scene);
  scene = clipped_part(std::move(scene), options);
  page.first_box = left_by_cut(scene, options);
  if (page.first_box && !options.cut) page.part = "a closed room, which the page opens cut";
  const ScenePage made = make_scene_page(std::move(scene), page);
  write_scene_page(made, *options.page);
  if (made.halvings > 0)
    log_warning("the page shows {}³ voxels: more do not fit into {} (--page-limit)", made.resolution,
                format_bytes(options.page_limit));
  log_info("{}, {}", options.page->string(), format_bytes(made.text.size()));
  if (!options.json) return;
  measure::ResultGroup results;
  results.set("scene", options.scene.string())
      .set("page", options.page->string())
      .set("bytes", made.text.size(), "bytes")
      .set("resolution", made.resolution, "voxels")
      .set("halvings", made.halvings);
  print_result(json_text(results) + "\n");
}

}  // namespace vox
